"""Noise of many shapes: what is added, and how large it is entry by entry, which the judge may know."""
from dataclasses import dataclass

import numpy as np


@dataclass
class Noise:
    """scale: (n, l) or (n, 1) or a number, the noise's own scale at each entry; degrees: of the Student density that
    resembles it (infinite: normal), for the judge's likelihood."""

    scale: object
    degrees: float = np.inf
    words: str = ""
    inflation: float = 1.0  # of variances, where neighbouring rows share noise and inputs
    sparse: bool = False  # most entries have none: those that do are wrong labels


def normal(rng, shape, s):
    return s * rng.standard_normal(shape), Noise(s, words="normal")


def uniform(rng, shape, s):
    return s * np.sqrt(3) * rng.uniform(-1, 1, shape), Noise(s, words="uniform")


def laplace(rng, shape, s):
    return s * rng.laplace(size=shape) / np.sqrt(2), Noise(0.75 * s, 4.0, "Laplace")


def student5(rng, shape, s):
    return s * rng.standard_t(5, shape) / np.sqrt(5 / 3), Noise(s / np.sqrt(5 / 3), 5.0, "t with 5 degrees")


def student3(rng, shape, s):
    return s * rng.standard_t(3, shape) / np.sqrt(3), Noise(s / np.sqrt(3), 3.0, "t with 3 degrees")


def cauchy(rng, shape, s):
    return 0.2 * s * rng.standard_cauchy(shape), Noise(0.2 * s, 1.0, "Cauchy")


def skewed(rng, shape, s):
    return s * (rng.exponential(size=shape) - 1), Noise(s, words="exponential, centred")


def two_sizes(rng, shape, s):
    big = rng.random(shape) < 0.05
    return s * np.where(big, 4.0, 0.5) * rng.standard_normal(shape), Noise(0.5 * s, 2.0, "two sizes")


def signs(rng, shape, s):
    return s * rng.choice([-1.0, 1.0], shape), Noise(s, words="two values")


def sparse(rng, shape, s):
    """Most entries have none."""
    on = rng.random(shape) < 0.1
    return s * on * rng.standard_normal(shape) * 3, Noise(s, words="on a tenth of the entries", sparse=True)


def along_x(rng, x, shape, s):
    """Larger on one side of the inputs."""
    u = rng.standard_normal(x.shape[1])
    t = (x - x.mean(0)) @ u
    size = np.exp(0.6 * np.clip(t / (t.std() + 1e-300), -2.5, 2.5))[:, None]
    size = s * size / np.sqrt((size**2).mean())
    return size * rng.standard_normal(shape), Noise(size, words="heteroscedastic along x")


def with_label(rng, f, s):
    """Proportional to the label's size."""
    size = np.abs(f) + 0.1 * np.sqrt((f**2).mean(0))
    size = s * size / np.sqrt((size**2).mean())
    return size * rng.standard_normal(f.shape), Noise(size, words="proportional to the label")


def autocorrelated(rng, shape, s, memory):
    e = rng.standard_normal(shape)
    for i in range(1, len(e)):
        e[i] = memory * e[i - 1] + np.sqrt(1 - memory**2) * e[i]
    return s * e, Noise(s, words=f"autoregressive, memory {memory:.2g}")


def drift(rng, shape, s):
    """A slow wave over the rows and a little noise."""
    n = shape[0]
    wave = np.sin(2 * np.pi * rng.uniform(0.5, 5) * np.arange(n) / n + rng.uniform(0, 6))[:, None]
    return s * (wave + 0.3 * rng.standard_normal(shape)), Noise(s, words="a wave over the rows")


def common(rng, shape, s):
    """The same for all outputs, but for a little."""
    e = rng.standard_normal((shape[0], 1)) + 0.2 * rng.standard_normal(shape)
    return s * e, Noise(s, words="shared by the outputs")


BENIGN = {"normal": normal, "uniform": uniform, "laplace": laplace, "t5": student5}
PLAIN_SHAPES = {**BENIGN, "t3": student3, "cauchy": cauchy, "skewed": skewed, "two_sizes": two_sizes, "signs": signs, "sparse": sparse,
                "common": common}


def any_noise(rng, x, f, s):
    """One of all shapes; s times the deviation of the labels' own spread."""
    s = s * spread_of(f)
    kind = rng.choice(list(PLAIN_SHAPES) + ["along_x", "with_label", "autocorrelated", "drift"])
    if kind == "along_x":
        return along_x(rng, x, f.shape, s)
    if kind == "with_label":
        return with_label(rng, f, s)
    if kind == "autocorrelated":
        return autocorrelated(rng, f.shape, s, rng.choice([0.5, 0.9, 0.99]))
    if kind == "drift":
        return drift(rng, f.shape, s)
    return PLAIN_SHAPES[kind](rng, f.shape, s)


def spread_of(f):
    """Deviation of the labels, all outputs together."""
    return max(float(np.sqrt(((f - f.mean(0)) ** 2).mean())), 1e-300)
