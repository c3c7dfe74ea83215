"""A case of one family with the trouble of another on top."""
import numpy as np

from .. import noises
from . import _FAMILIES, family
from .common import add_noise

BASES = ["plain", "rare-unit", "parallel", "small-unit", "clamp", "step", "softplus", "smooth-terms", "deep", "wrong-number", "doubled", "time-series", "manifold",
         "filled", "quantised", "curves", "scales", "few-samples", "trained"]


@family("combined", 8)
def combined(rng):
    base = str(rng.choice(BASES))
    case = _FAMILIES[base][0](rng)
    case.solvable = False
    f = case.labels
    trouble = str(rng.choice(["wrong rows", "heavy noise", "any noise", "float32", "repeated rows", "sorted", "added output", "rounded"]))
    if trouble == "wrong rows" and case.noise is None:
        rows = rng.random(len(f)) < np.exp(rng.uniform(np.log(0.003), np.log(0.2)))
        case.wrong = np.repeat(rows[:, None], f.shape[1], axis=1)
        case.y = np.where(case.wrong, noises.spread_of(f) * 3 * rng.standard_normal(f.shape), f)
    elif trouble == "heavy noise" and case.noise is None:
        add_noise(case, noises.student3(rng, f.shape, 10 ** rng.uniform(-4, -0.3) * noises.spread_of(f)))
    elif trouble == "any noise" and case.noise is None:
        add_noise(case, noises.any_noise(rng, np.asarray(case.x, float), f, 10 ** rng.uniform(-5, -0.3)))
    elif trouble == "float32" and case.noise is None:
        case.y, case.float32 = case.y.astype(np.float32), True
    elif trouble == "repeated rows" and case.noise is None:
        rows = rng.integers(len(f), size=len(f))
        case.x, case.y = case.x[rows], case.y[rows]
    elif trouble == "sorted":
        order = np.argsort(case.x[:, 0], kind="stable")
        case.x, case.y = case.x[order], case.y[order]
        if case.noise is not None and np.ndim(case.noise.scale):
            case.noise.scale = np.asarray(case.noise.scale)[order]
        if case.wrong is not None:
            case.wrong = case.wrong[order]
    elif trouble == "rounded" and case.noise is None:
        step = 10.0 ** np.round(np.log10(noises.spread_of(f) * 10 ** rng.uniform(-7, -1)))
        case.y = np.round(f / step) * step
        case.noise = noises.Noise(max(float(np.sqrt(((case.y - f) ** 2).mean())), 1e-300), words="rounding (decimals)")
    case.words = f"{base} + {trouble}: {case.words}"
    return case
