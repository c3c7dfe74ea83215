"""Networks of two and three hidden layers."""
import numpy as np

from .. import noises
from ..case import Case
from ..truths import Layers
from . import family
from .common import add_noise, any_place


@family("deep", 5)
def deep(rng):
    d, l = int(rng.integers(1, 5)), int(rng.integers(1, 3))
    widths = [int(rng.integers(1, 5)) for _ in range(int(rng.integers(2, 4)))]
    n = int(np.exp(rng.uniform(np.log(200), np.log(3000))))
    draw = any_place(rng, d)
    x = draw(rng, n, d)
    layers, before, h = [], d, x
    for width in widths:
        W = rng.standard_normal((width, before)) / np.sqrt(before)
        t = h @ W.T
        b = -np.quantile(t, rng.uniform(0.05, 0.8), axis=0) if rng.random() < 0.8 else 0.3 * rng.standard_normal(width)
        layers.append((W, b))
        h, before = np.maximum(t + b, 0), width
    layers.append((rng.standard_normal((l, before)), 0.3 * rng.standard_normal(l)))
    truth = Layers(layers)
    case = Case(x, truth(x), truth, lambda g, m: draw(g, m, d), f"a network {d}-{'-'.join(map(str, widths))}-{l}")
    case.units = widths[0] if rng.random() < 0.4 else "auto"
    if rng.random() < 0.4:
        f = case.labels
        s = np.exp(rng.uniform(np.log(1e-6), np.log(0.1))) * noises.spread_of(f)
        add_noise(case, noises.normal(rng, f.shape, s))
    return case
