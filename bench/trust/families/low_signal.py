"""Noise as large as the signal, corrupted entries of vector labels."""
import numpy as np

from .. import noises
from . import family
from .common import add_noise, planted_case, unknowns


def low_signal_case(rng, k=None, size=None):
    """1 to 6 units, 1 to 31 outputs, normal noise of .3 to 2 of the signal."""
    k = int(rng.integers(1, 7)) if k is None else k
    d = int(rng.integers(2, 8))
    l = int(rng.choice([1, 1, 1, 2, 3, 9, 31]))
    n = int(np.clip(unknowns(k, d, l) * np.exp(rng.uniform(np.log(20), np.log(120))) / l, 400, 5000 if l < 9 else 1500))
    case = planted_case(rng, k, d, l, n, draw=None, share=0.05, angle=0.3)
    size = float(rng.choice([0.3, 0.6, 1.0, 2.0])) if size is None else size
    f = case.labels
    return add_noise(case, noises.normal(rng, f.shape, size * noises.spread_of(f)))


@family("low-signal", 5)
def low_signal(rng):
    return low_signal_case(rng)


@family("corrupted", 3)
def corrupted(rng):
    """A share of the entries of vector labels replaced."""
    k, d = int(rng.integers(1, 5)), int(rng.integers(2, 8))
    l = int(rng.choice([2, 3, 5, 9, 15, 31]))
    case = planted_case(rng, k, d, l, int(rng.integers(300, 1200)), share=0.05)
    f = case.labels
    rate = float(rng.choice([0.01, 0.05, 0.15, 0.3]))
    size = noises.spread_of(f) * float(rng.choice([0.5, 1.0, 10.0]))
    case.wrong = rng.random(f.shape) < rate
    case.y = np.where(case.wrong, size * rng.standard_normal(f.shape), f)
    case.words += f", {rate:.0%} of the entries replaced"
    if rng.random() < 0.4:
        s = 10 ** rng.uniform(-4, -0.5) * noises.spread_of(f)
        case.y, case.noise = case.y + s * rng.standard_normal(f.shape), noises.Noise(s, words="normal")
        case.words += f", noise {s / noises.spread_of(f):.1e}"
    if rng.random() < 0.4:
        case.method = "corrupted-labels"
    return case
