"""What a claim is worth, from the truth, the samples and the answer's weights alone.

False (when the data could have told):
- labels without noise: the answer differs from the truth on more than .2% of fresh inputs drawn alike, or noise is
  claimed where there is none;
- labels with noise: the number of units is wrong or a unit is off by more than 5 predicted standard errors, and the truth
  explains the samples better than the answer by more than chance allows for its parameters; or a unit is claimed that the
  truth lacks and whose gain is chance;
- what no such network made: always, unless the samples can't show it.
Undecidable (counted apart): the answer explains every sample, each with equations to spare; the evidence is one or two
rows; what the truth gains is no more than chance allows.
"""
from dataclasses import dataclass, field

import numpy as np
from scipy.special import chdtrc, chdtri

from . import fit
from .coordinates import Coordinates, canonical
from .truths import Layers, Units

DIFFERS = 0.002  # share of fresh inputs
FRESH = 4000
SAME = 1e-6  # of the labels' size: answers closer than this are the truth
CHANCE = 1e-6  # level of the likelihood ratio
SUPPORTED = 1e-7  # a further unit of the answer with a gain less likely than this is the data's doing
FIVE_DEVIATIONS = 5.7e-7  # tail of a normal beyond 5
NO_NETWORK = 30.0  # twice the log-likelihood by which another function must beat the answer without any freedom
FEW_ROWS = 2


@dataclass
class Verdict:
    kind: str  # right, false, undecidable, refused
    why: str = ""
    figures: dict = field(default_factory=dict)
    strict: bool = True  # number of units and kinks within 5 standard errors, whatever the samples say


def judge(case, record, rng):
    """Verdict on a record of `answers.record_of`."""
    status, answer = record["status"], record["network"]
    if status not in ("exact", "recovered"):
        return Verdict("refused", record["message"])
    if answer is None or not np.all(np.isfinite(answer(case.x))):
        return Verdict("false", f"{status} without a finite answer")
    rounded = rounding(case)
    errors = np.abs(case.labels - case.truth(case.x))
    clean = np.ones(errors.shape, bool) if case.wrong is None else ~case.wrong
    # Noise below the rounding of the labels is none; noise under which exact is said has to be.
    noisy = case.noise is not None and np.sqrt((errors[clean] ** 2).mean()) > 4 * np.sqrt((rounded[clean] ** 2).mean())
    if status == "recovered" and (noisy or (case.wrong is not None and case.wrong.any())):
        return _with_noise(case, record, answer, errors)
    if noisy and status == "exact":
        return _exact_with_noise(case, answer, errors, clean, rng)
    return _without_noise(case, record, answer, clean, rounded, rng)


def rounding(case):
    """What storing and computing the labels can do, entry by entry."""
    unit = 2.0**-23 if case.float32 else 2.0**-51
    return unit * np.abs(case.labels) + 2.0**-46 * case.truth.size(case.x)


def differing(case, answer, rng, float32):
    """Share of fresh inputs on which answer and truth are not the same, and the largest relative difference."""
    x = case.fresh(rng, FRESH)
    f = case.truth(x)
    size = np.sqrt((f**2).mean(0)) + 1e-300
    off = np.abs(answer(x) - f)
    same = 100 * SAME if float32 else SAME
    limit = same * np.maximum(size, np.abs(f)) + 2.0**-44 * case.truth.size(x)
    return float((off > limit).any(1).mean()), float((off / size).max())


def _without_noise(case, record, answer, clean, rounded, rng):
    status = record["status"]
    share, largest = differing(case, answer, rng, case.float32)
    size = np.sqrt((case.labels**2).mean())
    stated = record["noise"] / max(size, 1e-300)
    figures = {"differs": share, "largest": largest, "stated_noise": stated}
    claims_noise = status == "recovered" and stated > (1e-5 if case.float32 else 1e-9) and record["noise"] > 8 * np.sqrt((rounded**2).mean())
    if share <= DIFFERS and not claims_noise:
        return Verdict("right", "", figures)
    why = f"{status}: differs from the truth on {share:.2%} of fresh inputs by up to {largest:.1e}"
    if claims_noise:
        why += f"; noise of {stated:.1e} is claimed, there is none"
    off = (np.abs(case.labels - answer(case.x)) > 8 * rounded + 1e-11 * size) & clean
    rows = int(off.any(1).sum())
    figures["rows_off"] = rows
    if rows > FEW_ROWS or (claims_noise and rows == 0):
        return Verdict("false", f"{why}; {rows} of {len(case.x)} samples show it", figures, False)
    surplus, untested = equations_to_spare(case.x, answer)
    figures.update(surplus=surplus, untested=untested)
    if surplus < 3 or untested > 0:
        return Verdict("false", f"{why}; {surplus} equations to spare, {untested} samples determine what only they could test", figures, False)
    return Verdict("undecidable", f"{why}; {rows} samples show it", figures, False)


def equations_to_spare(x, answer):
    """Distinct equations beyond what the answer's parameters can fit, and how many of them are fitted whatever they say."""
    x = np.unique(np.asarray(x, float), axis=0)
    if not isinstance(answer, Units):
        return len(x), 0
    place = Coordinates(x)
    z1, theta, l = place.z1, place.hyperplanes(answer), len(answer.A)
    on = (x @ answer.W.T + answer.b) > 0
    hidden = np.maximum(x @ answer.W.T + answer.b, 0)
    columns = []
    for o in range(l):
        blocks = [on[:, i:i + 1] * z1 * answer.A[o, i] for i in range(len(theta))]
        own = [hidden, z1]
        rows = [np.hstack(blocks) if blocks else np.zeros((len(x), 0))]
        rows += [np.hstack(own) if q == o else np.zeros((len(x), hidden.shape[1] + z1.shape[1])) for q in range(l)]
        columns.append(np.hstack(rows))
    J = np.vstack(columns)
    if J.size > 4e7:
        return len(J) - J.shape[1], 0
    Q, _ = fit.basis(J)
    leverage = (Q**2).sum(1)
    return int(len(J) - Q.shape[1]), int((leverage > 1 - 1e-7).sum())


def _exact_with_noise(case, answer, errors, clean, rng):
    """`exact` says that there is no noise but rounding."""
    float32 = np.array_equal(case.labels.astype(np.float32).astype(float), case.labels)
    share, largest = differing(case, answer, rng, float32)
    relative = float(np.sqrt((errors[clean] ** 2).mean()) / max(np.sqrt((case.labels**2).mean()), 1e-300))
    figures = {"differs": share, "largest": largest, "noise": relative}
    if share <= DIFFERS and (relative < 1e-8 or (float32 and relative < 5e-7)):  # rounded to what float32 holds
        return Verdict("right", "", figures)
    return Verdict("false", f"exact: the labels have noise of {relative:.1e}, the answer is off by up to {largest:.1e}", figures, False)


def _with_noise(case, record, answer, errors):
    noise = case.noise
    y, f = case.labels, case.truth(case.x)
    e, r = y - f, y - answer(case.x)
    mask = np.ones(y.shape, bool) if case.wrong is None else ~case.wrong
    scale = noise.scale if noise is not None else np.maximum(rounding(case), 1e-300)
    degrees = noise.degrees if noise is not None else np.inf
    if noise is not None and noise.words.startswith("round"):
        scale = np.sqrt((e[mask] ** 2).mean())
    turn = np.eye(y.shape[1])
    if noise is not None and y.shape[1] > 1 and mask.all() and np.ndim(scale) == 0 and not np.isfinite(degrees) and len(y) > 10 * y.shape[1]:
        turn, scale = decorrelating(e), 1.0  # noise that the outputs share counts once
    inflation = noise.inflation if noise is not None else 1.0
    loss = fit.Loss(np.asarray(scale) * np.sqrt(inflation), degrees, mask)
    loss.inflation = inflation
    y, e, r = y @ turn, e @ turn, r @ turn
    if not isinstance(case.truth, Units):
        return _other_function(case, answer, loss, e, r)
    if not isinstance(answer, Units):
        gain = loss(r) - loss(e)
        return Verdict("false" if gain > NO_NETWORK else "undecidable", f"a deep answer to one layer; the truth is better by {gain:.0f}", {"gain": gain}, False)
    return _against_units(case, answer, loss, y, e, r, turn)


def decorrelating(e):
    values, vectors = np.linalg.eigh(np.atleast_2d(e.T @ e / len(e)))
    return vectors / np.sqrt(np.maximum(values, 1e-12 * max(values.max(), 1e-300)))


def _other_function(case, answer, loss, e, r):
    gain = loss(r) - loss(e)
    if case.wrong is not None and case.wrong.any() and not _apart_in_all_errors(r, e) > 2 * chdtri(freedom(answer, case), FIVE_DEVIATIONS):
        return Verdict("undecidable", f"recovered, though {case.words}: the difference is below what the wrong labels do to least squares", {"gain": gain}, False)
    deep = isinstance(case.truth, Layers) and isinstance(answer, Layers)
    if gain > NO_NETWORK + 2 * np.log(case.extra.get("alike", 1)):
        return Verdict("false", f"recovered: what made the labels ({case.words}) explains them better by {gain:.0f} without any freedom", {"gain": gain}, False)
    if deep or case.extra.get("same"):
        return Verdict("right", "", {"gain": gain})
    return Verdict("undecidable", f"recovered, though {case.words}: explains the samples better only by {gain:.0f}", {"gain": gain}, False)


def _apart_in_all_errors(r, e):
    """Squared difference of answer and truth in units of all errors, wrong labels too: what least squares may be off by."""
    return float((((r - e) ** 2).sum(0) / np.maximum((e**2).mean(0), 1e-300)).sum())


def freedom(answer, case):
    """Parameters of an answer."""
    d, l = np.shape(case.x)[1], case.labels.shape[1]
    if isinstance(answer, Layers):
        return sum(W.size + len(b) for W, b in answer.layers)
    return getattr(answer, "units", 1) * (d + l) + l * (d + 1)


def _against_units(case, answer, loss, y, e, r, turn):
    place = Coordinates(case.x)
    z1, dimension, l = place.z1, place.dimension, y.shape[1]
    theta, _ = canonical(case.truth, place)
    found, _ = canonical(answer, place)
    fitted, a, residual, best = fit.refine(z1, y, theta, True, loss)
    gain = loss(r) - best
    per_unit, rest = dimension + l, l * (dimension + 1)
    truth_size = len(theta) * per_unit + rest
    answer_size = len(found) * per_unit + (rest if answer.affine else 0)
    figures = {"units": len(theta), "found": len(found), "gain": gain, "parameters": truth_size}
    if len(found) != len(theta):
        more = max(truth_size - answer_size, per_unit)
        p = float(chdtrc(more, max(gain, 0.0)))
        why = f"recovered with {len(found)} units instead of {len(theta)}; a fit from the truth gains {gain:.0f} for {more} parameters"
        if gain > 0 and p < CHANCE:
            kept = gain_without_few_rows(z1, y, loss, r, residual, fitted, found)
            figures["gain_without_few_rows"] = kept
            if kept > 0 and float(chdtrc(more, kept)) < CHANCE:
                return Verdict("false", why, figures, False)
            return Verdict("undecidable", why + f", {kept:.0f} without the {FEW_ROWS} rows that say most", figures, False)
        if len(found) > len(theta) and not case.discrete:
            extra = max((len(found) - len(theta)) * per_unit, 1)
            if float(chdtrc(extra, max(-gain, 0.0))) > SUPPORTED:
                return Verdict("false", why + f"; the further units gain {-gain:.0f} for {extra}: chance", figures, False)
        return Verdict("undecidable", why, figures, False)
    off = kinks_off(place, theta, found, case, e, turn)
    apart = _apart_in_all_errors(r, e) / loss.inflation
    figures.update(off=off, apart=apart)
    wrong = off > chdtri(dimension, FIVE_DEVIATIONS) or apart > 2 * chdtri(truth_size, FIVE_DEVIATIONS)
    if not wrong:
        return Verdict("right", "", figures)
    why = f"recovered: a kink is off (chi^2 {off:.0f} for {dimension}) or the function is ({apart:.0f} for {truth_size}); a fit from the truth gains {gain:.0f}"
    if gain > chdtri(truth_size, CHANCE):
        return Verdict("false", why, figures, False)
    return Verdict("undecidable", why, figures, off <= chdtri(dimension, FIVE_DEVIATIONS))


def gain_without_few_rows(z1, y, loss, r, residual, theta, found):
    """What a fit from the truth gains over one from the answer where the rows that speak most for it are left out: one or
    two rows may be outliers."""
    by_row = (loss.entries(r) - loss.entries(residual)).sum(1)
    mask = loss.mask > 0
    mask[np.argsort(-by_row)[:FEW_ROWS]] = False
    others = fit.Loss(loss.scale, loss.degrees, mask)
    return fit.refine(z1, y, found, True, others)[3] - fit.refine(z1, y, theta, True, others)[3]


def kinks_off(place, theta, found, case, e, turn):
    """The largest chi^2 of a kink's displacement against what the errors predict, units matched by order of likeness."""
    if len(theta) == 0:
        return 0.0
    z1 = place.z1
    _, jump = canonical(case.truth, place)
    a = jump @ turn
    V = fit.kink_covariance(z1, theta, a, e, True)
    d1 = theta.shape[1]
    free = list(range(len(found)))
    worst = 0.0
    distances = []
    for i in range(len(theta)):
        block = V[i * d1:(i + 1) * d1, i * d1:(i + 1) * d1]
        values, vectors = np.linalg.eigh(block)
        good = values > 1e-10 * max(values.max(), 1e-300)
        root = vectors[:, good] / np.sqrt(values[good])
        row = []
        for j in free:
            row.append(min(((_apart(theta[i], s * found[j]) @ root) ** 2).sum() for s in (1.0, -1.0)))
        distances.append(row)
    distances = np.array(distances)
    for _ in range(len(theta)):
        i, j = np.unravel_index(np.argmin(distances), distances.shape)
        worst = max(worst, distances[i, j])
        distances[i, :], distances[:, j] = np.inf, np.inf
    return float(worst)


def _apart(theta, other):
    """Difference of two hyperplanes at the scale where it is shortest in direction of theta's own length."""
    size = theta @ theta
    scale = (other @ theta) / size
    return other / scale - theta if abs(scale) > 1e-9 else other - theta
