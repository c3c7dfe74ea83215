"""Deep networks and what only looks like one, asked for by layers: is `exact` ever said of the wrong function, or of other weights?

False: the answer differs from the truth on more than .2% of fresh inputs drawn alike, and the samples beyond the unknowns would have
shown it (a share s is missed by m of them with chance exp(-12) at most: s m > 12); or the truth has these widths, all its units are
seen by samples on both sides, and one of them is not among the answer's; or the answer has more units than the truth; or `exact` is
said of labels with noise. `recovered` is false where the truth beats the answer by more than 60 in twice the log-likelihood, beyond what
the answer's unknowns took of the noise, or where both have the same widths and a unit is another one.

A part of the cases is solvable: two layers that all samples see well, many samples, the widths given, noise or none. How many of these
are claimed is told. Imitations are told with and without noise.
"""
from dataclasses import dataclass

import numpy as np

from .. import ask
from ..answers import record_of
from ..crew import run_all
from ..families.common import any_place
from ..layers import shares_on, units_found
from ..truths import Function, Layers, softplus

FRESH, DIFFERS, CERTAIN_SHARE, AGAINST = 20000, 0.002, 12.0, 60.0
# Well-seen cases can be claimed, given time: of 500 cases of 8 s each beside other work 38 were.
SECONDS_WELL_SEEN, SECONDS = 5 * ask.TIME_LIMIT, ask.TIME_LIMIT

SMOOTH = {
    "softplus": lambda t, s: softplus(t, s),
    "swish": lambda t, s: t / (1 + np.exp(-np.clip(s * t, -500, 500))),
    "elu": lambda t, s: np.where(t > 0, t, np.expm1(np.minimum(s * t, 0)) / s),
    "squared": lambda t, s: np.where(t > 0, t + t * t / s, 0),
    "huber": lambda t, s: np.where(t > 1 / s, t - 0.5 / s, 0.5 * s * np.maximum(t, 0) ** 2),
    "tanh": lambda t, s: np.tanh(t),
}


@dataclass
class DeepCase:
    words: str
    x: np.ndarray
    y: np.ndarray
    truth: object  # Layers, or a Function
    fresh: object
    asked: dict
    noisy: bool = False
    float32: bool = False
    sigma: float = 0.0  # of noise that is the same everywhere
    solvable: bool = False
    seconds: float = SECONDS


def random_layers(rng, x, d, widths, l):
    layers, h, before = [], x, d
    for width in widths:
        W = 1.4 * rng.standard_normal((width, before)) / np.sqrt(before)
        t = h @ W.T
        b = -np.quantile(t, rng.uniform(0.05, 0.8), axis=0) if rng.random() < 0.5 else 0.3 * rng.standard_normal(width)
        layers.append((W, b))
        h, before = np.maximum(t + b, 0), width
    return [*layers, (rng.standard_normal((l, before)), rng.standard_normal(l))]


def through(layers, x, activations, more=None):
    h = x
    for i, (W, b) in enumerate(layers[:-1]):
        before, h = h, activations[i](h @ W.T + b)
        if more is not None:
            h = more(i, before, h)
    return h @ layers[-1][0].T + layers[-1][1]


def relu(t):
    return np.maximum(t, 0)


def no_network(rng, kind, layers, d, l):
    """What nearly is a deep ReLU network, as a function of rows."""
    depth = len(layers) - 1
    acts = [relu] * depth
    if kind in SMOOTH:
        sharpness = np.exp(rng.uniform(np.log(3), np.log(3000)))
        for i in ([int(rng.integers(depth))] if rng.random() < 0.5 else range(depth)):
            acts[i] = lambda t: SMOOTH[kind](t, sharpness)
        return lambda x: through(layers, x, acts), f"{kind} of sharpness {sharpness:.0f}"
    if kind == "skip":
        v = rng.standard_normal((l, d)) * np.exp(rng.uniform(np.log(1e-4), 0))
        return lambda x: through(layers, x, acts) + x @ v.T, "beside a linear function of the inputs"
    if kind == "residual":
        def more(i, before, h):
            wide = min(before.shape[1], h.shape[1])
            h = h.copy()
            h[:, :wide] += before[:, :wide]
            return h
        return lambda x: through(layers, x, acts, more), "residual blocks"
    if kind == "leaky":
        slope = np.exp(rng.uniform(np.log(1e-4), np.log(0.5)))
        return lambda x: through(layers, x, [lambda t: np.where(t > 0, t, slope * t)] * depth), f"leaky units of slope {slope:.1e}"
    if kind == "clipped":
        top = rng.uniform(1, 5)
        return lambda x: through(layers, x, [lambda t: np.clip(t, 0, top)] * depth), f"units clipped at {top:.1f}"
    if kind == "clamped output":
        low, high = np.quantile(through(layers, rng.standard_normal((2000, d)), acts), rng.uniform([0, 0.9], [0.1, 1]))
        return lambda x: np.clip(through(layers, x, acts), low, high), "output clamped"
    if kind == "term":
        v, size = rng.standard_normal(d), np.exp(rng.uniform(np.log(1e-7), np.log(0.3)))
        which = int(rng.integers(3))
        term = [lambda t: np.sin(t), lambda t: t * t, lambda t: (t > 1).astype(float)][which]
        return lambda x: through(layers, x, acts) + size * term(x @ v)[:, None], f"beside {size:.1e} of {['a sine', 'a square', 'a step'][which]}"
    if kind == "normalised":
        return lambda x: through(layers, x / (1e-9 + np.sqrt((x * x).mean(1, keepdims=True))), acts), "inputs normalised row by row"
    v = rng.standard_normal((3, d))
    return lambda x: np.sin(x @ v.T).sum(1, keepdims=True) * np.ones((1, l)), "no network"


IMITATIONS = [*SMOOTH, "skip", "residual", "leaky", "clipped", "clamped output", "term", "normalised", "no network"]


def solvable(rng, number):
    """Two layers that every sample helps to see."""
    while True:
        d, widths, n = int(rng.integers(3, 7)), [int(rng.integers(3, 6)), int(rng.integers(2, 4))], int(rng.integers(4000, 12000))
        x = rng.standard_normal((n, d))
        layers = random_layers(rng, x, d, widths, 1)
        if min(np.minimum(s, 1 - s).min() for s in shares_on(layers[:-1], x)) > 0.05:
            break
    truth, kind = Layers(layers), rng.choice(["deep", "float32", "noise", "noise", "noise", "imitation", "imitation"])
    words, sigma, what = f"{d}-{'-'.join(map(str, widths))}-1, {n} samples, well seen", 0.0, ""
    if kind == "imitation":
        of, what = no_network(rng, str(rng.choice(IMITATIONS)), layers, d, 1)
        truth = Function(of, 1, what)
    y = truth(x)
    if kind == "float32":
        y = y.astype(np.float32)
    if kind in ("noise", "imitation"):
        sigma = np.exp(rng.uniform(np.log(0.002), np.log(0.03))) * y.std()
        y = y + sigma * rng.standard_normal(y.shape)
    asked = {"layers": [widths, widths, widths, widths, widths, [widths[0] + 1, widths[1]], [widths[0] - 1, widths[1]]][int(rng.integers(7))]}
    return DeepCase(f"deep:{number}: {words}, {kind} {what}, asked {asked}", x, y, truth, lambda g, m: g.standard_normal((m, d)), asked, sigma > 0,
                    kind == "float32", sigma, kind != "imitation" and asked["layers"] == widths, SECONDS_WELL_SEEN)


def make(number):
    rng = np.random.default_rng([81, number])
    if rng.random() < 0.5:
        return solvable(rng, number)
    d, l = int(rng.integers(1, 7)), int(rng.choice([1, 1, 1, 2, 3]))
    widths = [int(rng.integers(1, 6)) for _ in range(int(rng.choice([1, 2, 2, 2, 3])))]
    n = int(np.exp(rng.uniform(np.log(150), np.log(8000))))
    draw = any_place(rng, d)
    if rng.random() < 0.1:
        values = int(rng.integers(2, 8))
        base = draw
        draw = lambda g, m, dd: np.round(base(g, m, dd) * values / 2) / values * 2  # noqa: E731
    x = draw(rng, n, d)
    if rng.random() < 0.1:
        x = x[rng.integers(n, size=n)]  # repeated rows
    layers = random_layers(rng, x, d, widths, l)
    words = f"{d}-{'-'.join(map(str, widths))}-{l}, {n} samples"
    truth, noisy, float32 = Layers(layers), False, False
    kind = rng.choice([*["deep", "rare", "twins"] * 3, "float32", "noise", "decimals", "wrong labels", *IMITATIONS])
    if kind == "rare":
        level = int(rng.integers(len(widths)))
        h = x
        for W, b in layers[:level]:
            h = relu(h @ W.T + b)
        W, b = layers[level]
        t = h @ W[0]
        b[0] = -np.sort(t)[-min(len(t), int(rng.integers(1, 30)))]
    if kind == "twins" and widths[-1] > 1:
        W, b = layers[-2]
        W[1], b[1] = W[0] + np.exp(rng.uniform(np.log(1e-9), np.log(0.1))) * rng.standard_normal(W.shape[1]), b[0]
    if kind in IMITATIONS:
        of, more = no_network(rng, kind, layers, d, l)
        truth, words = Function(of, l, more), f"{words}, {more}"
    y = truth(x)
    size = y.std() + 1e-300
    if kind == "float32":
        y, float32 = y.astype(np.float32), True
    sigma = 0.0
    if kind == "noise" or (kind in IMITATIONS and rng.random() < 0.3):
        sigma, noisy = np.exp(rng.uniform(np.log(1e-12), np.log(0.1))) * size, True
        y = y + sigma * rng.standard_normal(y.shape)
    if kind == "decimals":
        y, noisy = np.round(y, int(rng.integers(1, 10))), True
    if kind == "wrong labels":
        which = rng.random(len(y)) < np.exp(rng.uniform(np.log(1e-3), np.log(0.3)))
        y, noisy = y + which[:, None] * rng.standard_normal(y.shape) * size, bool(which.any())
    asked = [{"layers": widths}, {"layers": [w + int(rng.integers(0, 3)) for w in widths]}, {"layers": [max(1, w - 1) for w in widths]}, {"layers": ["auto", "auto"]},
             {"layers": "auto"}, {"layers": [*widths, 2]}][int(rng.choice([0, 0, 0, 1, 1, 2, 3, 4, 5]))]
    return DeepCase(f"deep:{number}: {words}, {kind}, asked {asked}", x, y, truth, lambda g, m: draw(g, m, d), asked, noisy, float32, sigma)


def verdict_of_noisy(case, answer, status):
    """The samples themselves say it, to who knows the truth."""
    if case.sigma == 0:
        return "false", f"{status}: labels are wrong, not noisy"
    unknowns = sum(W.size for W, _ in answer.layers)
    against = float((((case.y - answer(case.x)) ** 2).sum() - ((case.y - case.truth(case.x)) ** 2).sum()) / case.sigma**2) + unknowns
    if against > AGAINST:
        return "false", f"{status}: the truth is better by {against:.0f}"
    if not isinstance(case.truth, Layers):
        return "undecidable", f"{status}: the truth is better by {against:.0f}"
    truth, found = case.truth.layers[:-1], answer.layers[:-1]
    if sum(len(b) for _, b in found) > sum(len(b) for _, b in truth):
        return "false", f"{status}: {[len(b) for _, b in found]} units, the truth has {[len(b) for _, b in truth]}"
    if [len(b) for _, b in found] != [len(b) for _, b in truth]:
        return "undecidable", f"{status}: {[len(b) for _, b in found]} units, the truth has {[len(b) for _, b in truth]}, and is better by {against:.0f}"
    missing = sum(not there for layer in units_found(truth, found, 0.3) for there in layer)
    return ("false", f"{status}: {missing} units are others than the truth's") if missing else ("right", "")


def verdict(case, record, rng):
    status, answer = record["status"], record["network"]
    if status not in ("exact", "recovered"):
        return "refused", record["message"]
    if not isinstance(answer, Layers):
        return "one layer", ""  # other families are about these
    if case.noisy:
        float_like = np.array_equal(case.y.astype(np.float32).astype(float), case.y)
        off = np.abs(case.y - case.truth(case.x)).max() / (np.abs(case.y).max() + 1e-300)
        if off > (1e-6 if float_like else 1e-13) and status == "exact":
            return "false", f"exact: labels are off by {off:.1e}"
        if status == "recovered":
            return verdict_of_noisy(case, answer, status)
    fresh = case.fresh(rng, FRESH)
    f = case.truth(fresh)
    off = np.abs(answer(fresh) - f).max(1)
    same = (1e-4 if case.float32 or case.noisy else 1e-6) * np.maximum(np.sqrt((f**2).mean()), np.abs(f).max(1)) + 2.0**-44 * case.truth.size(fresh).max(1)
    share = float((off > same).mean())
    unknowns = sum(W.size + len(b) for W, b in answer.layers)
    spare = len(np.unique(case.x, axis=0)) * f.shape[1] - unknowns
    if share > DIFFERS:
        return ("false" if share * spare > CERTAIN_SHARE else "undecidable"), f"{status}: wrong on {share:.2%} of fresh inputs, {spare} samples beyond the unknowns"
    if not isinstance(case.truth, Layers):
        return "right", ""
    truth, found = case.truth.layers[:-1], answer.layers[:-1]
    if sum(len(b) for _, b in found) > sum(len(b) for _, b in truth):
        return "false", f"{status}: {[len(b) for _, b in found]} units, the truth has {[len(b) for _, b in truth]}"
    seen = all(np.minimum(s, 1 - s).min() * len(case.x) > 2 * W.shape[1] + 2 for s, (W, _) in zip(shares_on(truth, case.x), truth))
    if seen and [len(b) for _, b in found] == [len(b) for _, b in truth]:
        missing = sum(not there for layer in units_found(truth, found, 1e-3 if case.float32 else 1e-5) for there in layer)
        if missing:
            return "false", f"{status}: {missing} units are others than the truth's"
    return "right", ""


def run(number):
    import relucover

    case = make(number)
    told = {"name": case.words, "number": number, "kind": "error", "why": "", "printed": "", "status": ""}
    try:
        result = relucover.learn(case.x, case.y, seed=number, threads=1, time_limit=case.seconds, **case.asked)
    except Exception as error:  # what data can cause is a status, never an exception
        return {**told, "why": f"{type(error).__name__}: {error}"}
    kind, why = verdict(case, record_of(result), np.random.default_rng([82, number]))
    return {**told, "kind": kind, "why": why, "status": result.status, "solvable": case.solvable}


def failed(number, kind, words, seconds):
    return {"name": make(number).words, "number": number, "kind": kind, "why": words, "printed": "", "status": kind}


def main(asked):
    outcomes = list(run_all(range(asked.seed_base, asked.seed_base + (asked.cases or 500)), run, asked.jobs, failed))
    count = {kind: sum(o["kind"] == kind for o in outcomes) for kind in ("right", "one layer", "false", "undecidable", "refused", "crash", "hang", "error")}
    for o in outcomes:
        if o["kind"] in ("false", "crash", "hang", "error") or (asked.all and o["kind"] == "undecidable") or o["printed"]:
            print(f"{o['kind']:11s} {o['name']}\n            {o['why']} {o['printed']}")
    print(f"{len(outcomes)} cases: " + ", ".join(f"{number} {kind}" for kind, number in count.items()))
    solvable_ones = [o for o in outcomes if o.get("solvable")]
    print(f"{sum(o['kind'] == 'right' for o in solvable_ones)} of {len(solvable_ones)} solvable cases are claimed")
    return 1 if count["false"] or count["crash"] or count["hang"] or count["error"] else 0
