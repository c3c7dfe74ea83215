"""What has to be claimed: generic networks, many samples, little noise."""
import numpy as np

from .. import noises
from . import family
from .common import add_noise, planted_case, samples_for, sizes


@family("plain", 14)
def plain(rng):
    k, d, l = sizes(rng)
    case = planted_case(rng, k, d, l, max(samples_for(rng, k, d, l, 15, 60), 60))
    case.solvable = case.extra["apart"]
    return case


@family("float32", 8)
def float32(rng):
    k, d, l = sizes(rng)
    case = planted_case(rng, k, d, l, max(samples_for(rng, k, d, l, 20, 80), 80))
    kind = rng.integers(3)
    if kind < 2:  # inputs too
        x = case.x.astype(np.float32)
        case.x = x if kind == 0 else x.astype(float)
        case.y = case.truth(case.x).astype(np.float32)
        if kind == 1:
            case.y = case.y.astype(float)
    else:
        case.y = case.y.astype(np.float32)
    case.float32, case.solvable = case.extra["apart"], True
    case.words += ", labels float32"
    return case


def _little_noise(rng, affine):
    k, d, l = sizes(rng, most_units=3, most_inputs=5)
    n = max(samples_for(rng, k, d, l, 60, 100) * l, 300)
    case = planted_case(rng, k, d, l, n, share=0.15, angle=0.6, affine=affine)
    s = np.exp(rng.uniform(np.log(1e-9), np.log(0.03))) * noises.spread_of(case.y)
    kind = rng.choice(list(noises.BENIGN) + ["along_x"])
    f = case.labels
    return add_noise(case, noises.along_x(rng, case.x, f.shape, s) if kind == "along_x" else noises.BENIGN[kind](rng, f.shape, s))


@family("noise", 12)
def small_noise(rng):
    """Units alone: their linear parts add up to the function's."""
    case = _little_noise(rng, affine=False)
    case.solvable = case.extra["apart"]
    return case


@family("noise-linear", 4)
def small_noise_linear(rng):
    """A linear term of its own beside the units, which noisy data can't tell from a unit that no sample bends."""
    return _little_noise(rng, affine=True)
