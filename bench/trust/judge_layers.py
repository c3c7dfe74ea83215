"""Claims about first layers with thresholds: halfspaces, lowest layers."""
import numpy as np

from .judge import DIFFERS, FRESH, Verdict

UNITS = {"relu": lambda a: np.maximum(a, 0), "step": lambda a: (a > 0).astype(float), "sigmoid": lambda a: 1 / (1 + np.exp(-a)), "abs": np.abs}


def judge_halfspaces(case, record, rng):
    """The claimed union (or intersection) must be the true set: off on no more of fresh inputs than .2% or what so many
    samples can't fix, and made of as many halfspaces as data of this size can show. What is no union of these is none where
    samples enough show it."""
    if record["status"] not in ("exact", "recovered"):
        return Verdict("refused", record["message"])
    W, t = record["W"], record["t"]
    x = case.fresh(rng, 10 * FRESH)
    inside = (x @ W.T - t > 0).any(1) if len(t) else np.zeros(len(x), bool)
    said = ~inside if record["intersection"] else inside
    wrong = float((said != (case.truth(x)[:, 0] > 0.5)).mean())
    n = len(case.x)
    allowed = max(DIFFERS, 5 * W.size / n)
    own = (case.x @ W.T - t > 0).any(1) if len(t) else np.zeros(n, bool)
    own = (~own if record["intersection"] else own).astype(float)
    apart = own != case.truth(case.x)[:, 0]
    told = int((case.labels[apart, 0] != own[apart]).sum())  # given labels that side with the truth where the two differ
    shown = (2 * told - apart.sum()) / max(np.sqrt(apart.sum()), 1.0)
    figures = {"differs": wrong, "allowed": allowed, "apart": int(apart.sum()), "told": told}
    shows = 2 * told - apart.sum() > 5 * W.size
    if wrong <= allowed and not (case.extra.get("no_union") and shows):
        return Verdict("right", "", figures)
    why = f"{record['status']}: {len(t)} halfspaces, wrong on {wrong:.2%} of fresh inputs, {allowed:.2%} allowed; {told} of {n} given samples show it"
    return Verdict("false" if told > 2 and shown > 2.5 else "undecidable", why, figures, False)


def function_of(model):
    """A threshold model's JSON as a function, or None where its upper part is another."""
    W, t = np.array(model["W"], float), np.array(model["t"], float).reshape(-1)
    unit, upper = UNITS.get(model["unit"]), model["upper"]
    if unit is None or upper["kind"] != "polynomial" or not upper.get("monomials"):
        return None

    def of(x):
        h = unit(x @ W.T - t)
        y = np.full(len(x), float(upper.get("constant", 0.0)))
        for monomial in upper["monomials"]:
            term = np.full(len(x), float(monomial["coefficient"]))
            for factor in monomial["factors"]:
                i, power = (factor["unit"], factor["power"]) if isinstance(factor, dict) else factor
                term *= h[:, i] ** power
            y += term
        return y[:, None]

    return of


def judge_lowest_layer(case, record, rng):
    if record["status"] not in ("exact", "recovered"):
        return Verdict("refused", record["message"])
    model, truth = record["model"], case.extra.get("W")
    if model is None:
        return Verdict("false", f"{record['status']} without a model", {}, False)
    W = np.array(model["W"], float)
    W = W / np.linalg.norm(W, axis=1)[:, None]
    if truth is None:
        return Verdict("false", f"{record['status']}: there is no such layer ({case.words})", {}, False)
    figures = {"units": len(truth), "found": len(W)}
    cosines = np.abs(W @ truth.T)
    angle = float(np.arccos(np.clip(cosines.max(1).min() if len(W) else 0.0, -1, 1)))
    figures["angle"] = angle
    of = function_of(model)
    if record["status"] == "exact" and of is not None:
        x = case.fresh(rng, FRESH)
        f = case.truth(x)
        off = float((np.abs(of(x) - f) > 1e-6 * (np.abs(f) + np.sqrt((f**2).mean()))).mean())
        if off > DIFFERS:
            return Verdict("false", f"exact: differs from the truth on {off:.1%} of fresh inputs", figures, False)
    stated = record.get("direction_error") or 0.0
    allowed = 1e-5 if record["status"] == "exact" else max(5 * stated, 0.005)
    if len(W) != len(truth) or angle > allowed:
        return Verdict("false", f"{record['status']}: {len(W)} units instead of {len(truth)}, the worst {angle:.1e} rad off, {stated:.1e} stated", figures, False)
    return Verdict("right", "", figures)


JUDGES = {"halfspaces": judge_halfspaces, "lowest-layer": judge_lowest_layer}
