"""Functions that make labels: one hidden layer, deeper networks, and what is no network at all."""
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Units:
    """A relu(W x + b) + skip x + offset; W (k, d), A (l, k)."""

    W: np.ndarray
    b: np.ndarray
    A: np.ndarray
    skip: np.ndarray = None
    offset: np.ndarray = None

    def __post_init__(self):
        self.W = np.atleast_2d(np.asarray(self.W, float))  # (0, d) without units
        self.b = np.asarray(self.b, float).reshape(-1)
        self.A = np.atleast_2d(np.asarray(self.A, float))
        inputs, outputs = self.W.shape[1], self.A.shape[0]
        self.skip = np.zeros((outputs, inputs)) if self.skip is None else np.asarray(self.skip, float).reshape(outputs, inputs)
        self.offset = np.zeros(outputs) if self.offset is None else np.asarray(self.offset, float).reshape(outputs)

    @property
    def units(self):
        return len(self.b)

    @property
    def outputs(self):
        return len(self.A)

    @property
    def affine(self):
        """Whether there is a linear part beside the units."""
        return bool(np.any(self.skip) or np.any(self.offset))

    def __call__(self, x):
        x = np.asarray(x, float)
        return np.maximum(x @ self.W.T + self.b, 0) @ self.A.T + x @ self.skip.T + self.offset

    def size(self, x):
        """Sum of the sizes of the terms: what rounding errors are proportional to."""
        x = np.asarray(x, float)
        inside = np.abs(x) @ np.abs(self.W).T + np.abs(self.b)
        return inside @ np.abs(self.A).T + np.abs(x) @ np.abs(self.skip).T + np.abs(self.offset)

    def with_units(self, W, b, A):
        """This network with further units."""
        return Units(np.vstack([self.W, W]), np.r_[self.b, b], np.hstack([self.A, A]), self.skip, self.offset)


@dataclass
class Layers:
    """Any depth: layers of (W, b), relu between them, the last one linear."""

    layers: list
    skip: np.ndarray = None
    around: list = None  # for each layer a matrix from what the layer below sees, or None

    @property
    def outputs(self):
        return len(self.layers[-1][1])

    def _through(self, x, act, part):
        x = part(np.asarray(x, float))
        seen, h = None, x
        for i, (W, b) in enumerate(self.layers):
            t = h @ part(W).T + part(b)
            if self.around is not None and self.around[i] is not None:
                t = t + seen @ part(self.around[i]).T
            seen, h = h, act(t) if i + 1 < len(self.layers) else t
        return h if self.skip is None else h + x @ part(self.skip).T

    def __call__(self, x):
        return self._through(x, lambda t: np.maximum(t, 0), lambda v: v)

    def size(self, x):
        return self._through(x, lambda t: t, np.abs)


@dataclass
class Function:
    """Anything that is no network of this kind; words say what."""

    of: object
    outputs: int
    words: str = ""

    def __call__(self, x):
        return np.asarray(self.of(np.asarray(x, float)), float).reshape(len(x), self.outputs)

    def size(self, x):
        return np.abs(self(x)) + np.sqrt((np.asarray(x, float) ** 2).mean())


def softplus(t, sharpness):
    return np.logaddexp(0, sharpness * t) / sharpness


def planted(rng, d, k, l=1, bias=0.7, affine=False, x=None, least_share=0.0, least_angle=0.0, spread=(0.5, 1.5)):
    """A random network; with x, every unit bends at least `least_share` of the samples away on both sides, and no two
    kinks are closer than `least_angle` (radians, in the coordinates (z, 1) of standardised inputs)."""
    for attempt in range(2000):
        W = rng.standard_normal((k, d)) / np.sqrt(d)
        b = bias * rng.standard_normal(k)
        if x is not None and least_share > 0:
            # The bias is put where it divides the samples in shares that are drawn.
            t = x @ W.T
            shares = rng.uniform(max(least_share, 0.02), 1 - max(least_share, 0.02), k)
            b = -np.array([np.quantile(t[:, i], shares[i]) for i in range(k)])
        A = rng.choice([-1.0, 1.0], (l, k)) * rng.uniform(*spread, (l, k))
        if least_angle <= 0 or x is None or k == 1 or closest(W, b, x) >= least_angle:
            break
    skip = 0.5 * rng.standard_normal((l, d)) if affine else None
    offset = 0.5 * rng.standard_normal(l) if affine else None
    return Units(W, b, A, skip, offset)


def closest(W, b, x):
    """The smallest angle between two kinks as hyperplanes of standardised inputs."""
    mid, dev = x.mean(0), x.std(0) + 1e-300
    theta = np.c_[W * dev, b + W @ mid]
    theta /= np.linalg.norm(theta, axis=1)[:, None]
    cosines = np.abs(theta @ theta.T)[np.triu_indices(len(theta), 1)]
    return float(np.arccos(np.clip(cosines.max(), -1, 1))) if len(cosines) else np.pi
