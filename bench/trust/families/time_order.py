"""Rows in the order of time: inputs that are windows of a series, noise that remembers."""
import numpy as np

from .. import inputs, noises
from ..case import Case
from ..truths import Function, planted
from . import family
from .common import add_noise, asked, planted_case, samples_for, sizes


@family("time-series", 4)
def time_series(rng):
    k, d, l = sizes(rng, most_outputs=2)
    memory = float(rng.choice([0.5, 0.9, 0.99, 0.999]))
    draw = inputs.lagged(memory) if rng.random() < 0.5 else inputs.slow(memory)
    n = min(max(samples_for(rng, k, d, l, 15, 60), 150), 2500)
    case = planted_case(rng, k, d, l, n, draw=draw)
    case.words = f"{k} units, inputs are a series of memory {memory}"
    if rng.random() < 0.6:
        f = case.labels
        s = np.exp(rng.uniform(np.log(1e-6), np.log(0.3))) * noises.spread_of(f)
        kept = float(rng.choice([0.0, 0.5, 0.9, 0.99]))
        add_noise(case, noises.autocorrelated(rng, f.shape, s, kept))
        both = kept * memory
        case.noise.inflation = (1 + both) / (1 - both)
    return case


@family("autocorrelated", 3)
def autocorrelated(rng):
    """Independent inputs, noise that remembers."""
    k, d, l = sizes(rng, most_outputs=2)
    n = min(max(samples_for(rng, k, d, l, 20, 100), 200), 3000)
    case = planted_case(rng, k, d, l, n)
    f = case.labels
    s = np.exp(rng.uniform(np.log(1e-4), np.log(0.6))) * noises.spread_of(f)
    kind = rng.random()
    return add_noise(case, noises.drift(rng, f.shape, s) if kind < 0.3 else noises.autocorrelated(rng, f.shape, s, float(rng.choice([0.5, 0.9, 0.99]))))


def _order_term(rng, kind, n, x, net):
    """What goes with the row number, one number for each row."""
    i, f = np.arange(n), net(x)[:, 0]
    before = lambda v: np.r_[v[:1], v[:-1]]
    return {
        "drift": lambda: i / n, "season": lambda: np.sin(2 * np.pi * i / n * rng.integers(1, 60) + 1), "regime": lambda: (i > rng.uniform(0.2, 0.8) * n) * 1.0,
        "calibration that drifts": lambda: (i / n - 0.5) * (f - f.mean()), "every m-th row": lambda: (i % int(rng.integers(2, 25)) == 0) * 1.0,
        "inputs of the row before": lambda: before(x @ rng.standard_normal(x.shape[1])), "label of the row before": lambda: before(f),
        "a walk": lambda: np.cumsum(rng.standard_normal(n))}[kind]()


ORDERS = ["drift", "season", "regime", "calibration that drifts", "every m-th row", "inputs of the row before", "label of the row before", "a walk"]


@family("row-order", 3)
def row_order(rng):
    """Noise, and a term of the row number or of other rows. Found by somebody who had not seen the tests."""
    kind = str(rng.choice(ORDERS))
    d, k = int(rng.integers(3, 8)), int(rng.integers(1, 4))
    n = int(np.exp(rng.uniform(np.log(1500), np.log(8000))))
    x = inputs.gaussian(rng, n, d)
    if "before" in kind:
        for row in range(1, n):
            x[row] = 0.9 * x[row - 1] + np.sqrt(0.19) * x[row]
    net = planted(rng, d, k, x=x, least_share=0.15, least_angle=0.4)
    term = _order_term(rng, kind, n, x, net)
    noise = rng.uniform(0.01, 0.3) * noises.spread_of(net(x))
    term = noise * rng.uniform(20, 40) / np.sqrt(n) * (term - term.mean()) / max(float(np.std(term)), 1e-300)
    truth = Function(lambda v: net(v) + (term[:, None] if len(v) == n else 0), 1, f"{k} units and {kind}")
    case = Case(x, truth(x), truth, lambda g, m: inputs.gaussian(g, m, d), truth.words, units=asked(rng, k))
    return add_noise(case, noises.normal(rng, case.y.shape, noise))
