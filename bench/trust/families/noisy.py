"""Noise of every shape and size, wrong labels, rounding, no signal at all."""
import numpy as np

from .. import noises
from ..case import Case
from ..truths import Units
from . import family
from .common import add_noise, any_place, planted_case, samples_for, sizes


def _case(rng, least=8, most=60, share=0.03, **more):
    k, d, l = sizes(rng)
    return planted_case(rng, k, d, l, min(max(samples_for(rng, k, d, l, least, most), 60), 4000), share=share, **more)


@family("noise-shapes", 8)
def noise_shapes(rng):
    case = _case(rng)
    size = np.exp(rng.uniform(np.log(1e-6), np.log(1.0)))
    return add_noise(case, noises.any_noise(rng, case.x, case.labels, size))


@family("wrong-labels", 7)
def wrong_labels(rng):
    """A share of the rows says something else."""
    case = _case(rng, 10, 60)
    f = case.labels
    size = noises.spread_of(f)
    rate = np.exp(rng.uniform(np.log(0.002), np.log(0.4)))
    rows = rng.random(len(f)) < rate
    kind = rng.choice(["random", "other row", "constant", "sign", "shifted", "huge", "clipped"])
    y = f.copy()
    m = int(rows.sum())
    if kind == "random":
        y[rows] = size * rng.standard_normal((m, f.shape[1]))
    elif kind == "other row":
        y[rows] = f[rng.permutation(len(f))[:m]]
    elif kind == "constant":
        y[rows] = 0.0
    elif kind == "sign":
        y[rows] = -f[rows]
    elif kind == "shifted":
        y[rows] = f[rows] + size
    elif kind == "huge":
        y[rows] = 10.0 ** rng.uniform(1, 6) * size * rng.standard_normal((m, f.shape[1]))
    else:  # a sensor that saturates on its own: wrong where the label is large, so a function of x
        level = np.quantile(f, 1 - rate, axis=0)
        y = np.minimum(f, level)
        case.y, case.words = y, case.words + f", clipped at the quantile {1 - rate:.3f}"
        truth, case.truth = case.truth, _clipped(case.truth, level)
        return case
    case.wrong = np.abs(y - f) > 0
    case.y = y
    case.words += f", {case.wrong.any(1).mean():.1%} of the rows wrong ({kind})"
    if rng.random() < 0.4:
        s = np.exp(rng.uniform(np.log(1e-6), np.log(0.1))) * size
        case.y, case.noise = y + s * rng.standard_normal(y.shape), noises.Noise(s, words="normal")
        case.words += f", normal noise {s / size:.1e}"
    return case


def _clipped(net, level):
    from ..truths import Function

    return Function(lambda x: np.minimum(net(x), level), net.outputs, "a network, clipped above")


@family("rounding", 4)
def rounding(rng):
    case = _case(rng, 15, 60)
    f = case.labels
    step = noises.spread_of(f) * 10.0 ** -rng.uniform(0.3, 9)
    kind = rng.choice(["decimals", "binary", "floor", "significant"])
    if kind == "decimals":
        step = 10.0 ** np.round(np.log10(step))
        y = np.round(f / step) * step
    elif kind == "binary":
        step = 2.0 ** np.round(np.log2(step))
        y = np.round(f / step) * step
    elif kind == "floor":
        y = (np.floor(f / step) + 0.5) * step
    else:
        digits = int(rng.integers(2, 9))
        size = 10.0 ** np.floor(np.log10(np.maximum(np.abs(f), 1e-300)))
        y = np.round(f / size, digits - 1) * size
        step = np.sqrt(((y - f) ** 2).mean()) * np.sqrt(12)
    case.y = y
    case.noise = noises.Noise(max(float(np.sqrt(((y - f) ** 2).mean())), 1e-300), words=f"rounding ({kind})")
    case.words += f", rounded ({kind}) to {step / noises.spread_of(f):.1e} of the spread"
    return case


@family("pure-noise", 4)
def pure_noise(rng):
    """Labels that have nothing to do with the inputs."""
    k, d, l = sizes(rng)
    n = int(np.exp(rng.uniform(np.log(20), np.log(2000))))
    draw = any_place(rng, d)
    x = draw(rng, n, d)
    kind = rng.choice(["normal", "uniform", "laplace", "t3", "cauchy", "skewed", "signs", "two_sizes", "integers", "constant"])
    shape = (n, l)
    if kind == "integers":
        y, noise = rng.integers(0, rng.integers(2, 12), shape).astype(float), noises.Noise(3.0, words="integers")
        offset = y.mean(0)
    elif kind == "constant":
        value = float(rng.standard_normal())
        truth = Units(np.zeros((0, d)), [], np.zeros((l, 0)), None, np.full(l, value))
        return Case(x, truth(x), truth, lambda g, m: draw(g, m, d), "constant labels", units=k if rng.random() < 0.5 else "auto")
    else:
        y, noise = noises.PLAIN_SHAPES[kind](rng, shape, 1.0)
        offset = np.zeros(l)
    truth = Units(np.zeros((0, d)), [], np.zeros((l, 0)), None, offset)
    return Case(x, y, truth, lambda g, m: draw(g, m, d), f"pure noise ({kind})", noise=noise, units=k if rng.random() < 0.6 else "auto")
