"""Rows in the order of time: inputs that are windows of a series, noise that remembers."""
import numpy as np

from .. import inputs, noises
from . import family
from .common import add_noise, planted_case, samples_for, sizes


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
