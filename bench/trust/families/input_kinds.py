"""Inputs that are not spread out: discrete, one-hot, degenerate, repeated, few, on manifolds, quantised, filled."""
import numpy as np

from .. import inputs, noises
from ..case import Case
from ..truths import Function, planted
from . import family
from .common import add_noise, any_place, asked, planted_case, samples_for, sizes, unknowns


def _noise_or_not(rng, case, most=0.1, share=0.4):
    if rng.random() < share:
        f = case.labels
        s = np.exp(rng.uniform(np.log(1e-6), np.log(most))) * noises.spread_of(f)
        add_noise(case, noises.normal(rng, f.shape, s))
    return case


def _random_labels(rng, case):
    """The same inputs with labels of their own, equal on equal rows: no network made them."""
    rows, of = np.unique(case.x, axis=0, return_inverse=True)
    values = rng.standard_normal((len(rows), case.labels.shape[1]))
    table = {row.tobytes(): value for row, value in zip(rows, values)}
    other = {}

    def look_up(v):
        # Rows that were never seen get labels that nothing predicts.
        return np.array([table[r.tobytes()] if r.tobytes() in table
                         else other.setdefault(r.tobytes(), np.random.default_rng(np.frombuffer(r.tobytes(), np.uint32)).standard_normal(values.shape[1]))
                         for r in np.ascontiguousarray(v, float)])

    case.truth = Function(look_up, values.shape[1], "labels drawn at random, one for each different row")
    case.y, case.noise, case.wrong, case.solvable = values[of.reshape(-1)], None, None, False
    case.words += ", random labels"
    return case


@family("discrete", 5)
def discrete(rng):
    k, d, l = sizes(rng, most_inputs=5, most_outputs=2)
    kind = rng.choice(["signs", "switches", "levels", "mixed", "one-hot"])
    draw = {"signs": inputs.discrete([-1, 1]), "switches": inputs.discrete([0, 1]), "levels": inputs.discrete(np.arange(rng.integers(3, 9))),
            "mixed": inputs.mixed_types, "one-hot": inputs.one_hot}[kind]
    d = max(d, 2)
    n = int(np.exp(rng.uniform(np.log(40), np.log(1500))))
    case = planted_case(rng, k, d, l, n, draw=draw, share=0.0, angle=0.0)
    case.words, case.discrete = f"{k} units, inputs {kind}", True
    if rng.random() < 0.3:
        return _random_labels(rng, case)
    return _noise_or_not(rng, case)


@family("degenerate", 4)
def degenerate(rng):
    """Constant, repeated and dependent columns."""
    k, d, l = sizes(rng, most_inputs=4, most_outputs=2)
    n = max(samples_for(rng, k, d + 1, l, 15, 60), 60)
    base = any_place(rng, d)
    kind = rng.choice(["constant", "copy", "dependent", "subspace", "nearly"])
    M = rng.standard_normal((d, 2))
    extra = {"constant": lambda x, g: np.full((len(x), 1), 3.0), "copy": lambda x, g: x[:, :1], "dependent": lambda x, g: x @ M[:, :1],
             "subspace": lambda x, g: x @ M, "nearly": lambda x, g: x[:, :1] + 1e-6 * g.standard_normal((len(x), 1))}[kind]

    def draw(g, m, _):
        x = base(g, m, d)
        return np.hstack([x, extra(x, g)])

    wide = draw(rng, 3, d).shape[1]
    x = draw(rng, n, wide)
    truth = planted(rng, wide, k, l, x=x, least_share=0.1)
    case = Case(x, truth(x), truth, lambda g, m: draw(g, m, wide), f"{k} units, a column is {kind}", units=asked(rng, k))
    return _noise_or_not(rng, case)


@family("few-samples", 6)
def few_samples(rng):
    """Half to four samples an unknown."""
    k, d, l = sizes(rng)
    n = max(int(rng.uniform(0.5, 4) * unknowns(k, d, l) / (l if rng.random() < 0.5 else 1)), 3)
    case = planted_case(rng, k, d, l, n, share=0.0, angle=0.0)
    case.words += f", {n} samples for {unknowns(k, d, l)} unknowns"
    if rng.random() < 0.25:
        return _random_labels(rng, case)
    return _noise_or_not(rng, case, share=0.3)


@family("repeated", 6)
def repeated(rng):
    """Few different rows, each many times."""
    k, d, l = sizes(rng, most_units=3, most_inputs=4, most_outputs=2)
    distinct = max(int(rng.uniform(0.4, 3) * unknowns(k, d, l) / l), 1)
    draw = any_place(rng, d)
    rows = draw(rng, distinct, d)
    n = int(np.exp(rng.uniform(np.log(50), np.log(1500))))
    x = rows[rng.integers(distinct, size=n)]
    truth = planted(rng, d, k, l, affine=rng.random() < 0.3)
    case = Case(x, truth(x), truth, lambda g, m: draw(g, m, d), f"{k} units, {distinct} different rows of {n}", units=asked(rng, k))
    case.discrete = True
    if rng.random() < 0.5:
        return _random_labels(rng, case)
    return _noise_or_not(rng, case)


@family("manifold", 4)
def manifold(rng):
    k, d, l = sizes(rng, most_outputs=2)
    d = max(d, 2)
    kind = rng.choice(["circle", "surface", "subspace", "sphere", "line"])
    basis = rng.standard_normal((d, 1 if kind == "line" else max(d // 2, 1)))
    draw = {"circle": inputs.circle, "surface": inputs.surface, "sphere": inputs.sphere}.get(kind, inputs.subspace(basis))
    n = min(max(samples_for(rng, k, d, l, 15, 60), 100), 2500)
    case = planted_case(rng, k, d, l, n, draw=draw, share=0.08, angle=0.0)
    case.words = f"{k} units, inputs on a {kind}"
    if rng.random() < 0.2:
        w = rng.standard_normal(d)
        case.truth = Function(lambda v: np.sin(2 * v @ w)[:, None] * np.ones(l), l, "a sine on a manifold")
        case.y, case.words = case.truth(case.x), f"a sine, inputs on a {kind}"
    return _noise_or_not(rng, case)


@family("quantised", 4)
def quantised(rng):
    """Inputs on a grid, labels of the inputs before rounding or after it."""
    k, d, l = sizes(rng, most_inputs=4, most_outputs=2)
    step = 10 ** rng.uniform(-4, 0)
    base = any_place(rng, d)
    n = min(max(samples_for(rng, k, d, l, 15, 60), 100), 2500)
    case = planted_case(rng, k, d, l, n, draw=inputs.quantised(base, step))
    case.words, case.discrete = f"{k} units, inputs rounded to {step:.1e}", step > 0.05
    if rng.random() < 0.4:  # what was measured is not what acted
        x = case.x + step * rng.uniform(-0.5, 0.5, case.x.shape)
        added = case.truth(x) - case.truth(case.x)
        case.y = case.labels + added
        case.noise = noises.Noise(max(float(np.sqrt((added**2).mean())), 1e-300), words="rounded inputs")
        case.words += ", labels of the inputs before rounding"
        return case
    return _noise_or_not(rng, case)


@family("filled", 4)
def filled(rng):
    """Missing inputs filled with means; the labels know what was missing, or not."""
    k, d, l = sizes(rng, most_outputs=2)
    base = any_place(rng, d)
    n = min(max(samples_for(rng, k, d, l, 20, 80), 150), 2500)
    share = rng.uniform(0.01, 0.4)
    case = planted_case(rng, k, d, l, n, draw=base)
    case.words = f"{k} units, {share:.0%} of the inputs filled with their mean"
    missing = rng.random(case.x.shape) < share
    x = np.where(missing, case.x.mean(0), case.x)
    draw = inputs.filled(base, share)
    case.fresh = lambda g, m: draw(g, m, d)
    if rng.random() < 0.5:
        added = case.truth(case.x) - case.truth(x)
        case.y = case.truth(x) + added
        case.wrong = np.abs(added) > 0  # not wrong by chance: an input is at its mean there
        case.words += ", labels of what was missing"
        case.x = x
        return case
    case.x, case.y = x, case.truth(x)
    return _noise_or_not(rng, case)
