"""Where inputs come from: functions of (rng, n, d) that draw rows alike."""
import numpy as np


def gaussian(rng, n, d):
    return rng.standard_normal((n, d))


def uniform(rng, n, d):
    return rng.uniform(-1.7, 1.7, (n, d))


def laplace(rng, n, d):
    return rng.laplace(size=(n, d)) / np.sqrt(2)


def student(rng, n, d):
    return rng.standard_t(5, (n, d)) / np.sqrt(5 / 3)


def exponential(rng, n, d):
    return rng.exponential(size=(n, d)) - 1


def sphere(rng, n, d):
    x = rng.standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1)[:, None] * np.sqrt(d)


def positive(rng, n, d):
    return rng.uniform(0, 1, (n, d))


SMOOTH = {f.__name__: f for f in (gaussian, uniform, laplace, student, exponential, positive)}


def any_smooth(rng):
    """One of the smooth distributions, and its name."""
    name = rng.choice(list(SMOOTH))
    return SMOOTH[name], str(name)


def correlated(mixing, shift, base):
    """Rows of `base` mixed and shifted."""
    return lambda rng, n, d: base(rng, n, d) @ mixing.T + shift


def from_rows(rows):
    """Rows of a table, drawn again with replacement."""
    return lambda rng, n, d: rows[rng.integers(len(rows), size=n)]


def discrete(levels):
    """Columns that take few values."""
    return lambda rng, n, d: np.asarray(levels, float)[rng.integers(len(levels), size=(n, d))]


def one_hot(rng, n, d):
    return np.eye(d)[rng.integers(d, size=n)]


def mixed_types(rng, n, d):
    """Some numbers, some switches."""
    x = rng.standard_normal((n, d))
    half = d // 2
    x[:, :half] = rng.integers(0, 2, (n, half))
    return x


def subspace(basis):
    """Gaussian in fewer dimensions than columns; basis (d, r)."""
    return lambda rng, n, d: rng.standard_normal((n, basis.shape[1])) @ basis.T


def circle(rng, n, d):
    """A closed curve that winds through d dimensions."""
    a = rng.uniform(0, 2 * np.pi, n)
    return np.stack([np.cos((i // 2 + 1) * a + (i % 2) * np.pi / 2) for i in range(d)], axis=1)


def surface(rng, n, d):
    """Two coordinates and smooth functions of them."""
    u, v = rng.standard_normal((2, n))
    shapes = [u, v, u * v, u * u - 1, np.sin(2 * v), np.tanh(u + v), v * v - 1, np.cos(u)]
    return np.stack([shapes[i % len(shapes)] for i in range(d)], axis=1)


def lagged(memory):
    """Windows of an autoregressive series: neighbouring rows overlap."""

    def draw(rng, n, d):
        e = rng.standard_normal(n + d + 50)
        s = np.zeros(n + d + 50)
        for i in range(1, len(s)):
            s[i] = memory * s[i - 1] + np.sqrt(1 - memory**2) * e[i]
        return np.stack([s[50 + j:50 + j + n] for j in range(d)], axis=1)

    return draw


def slow(memory):
    """Independent columns that change slowly from row to row."""

    def draw(rng, n, d):
        e = rng.standard_normal((n + 50, d))
        for i in range(1, n + 50):
            e[i] = memory * e[i - 1] + np.sqrt(1 - memory**2) * e[i]
        return e[50:]

    return draw


def quantised(base, step):
    return lambda rng, n, d: np.round(base(rng, n, d) / step) * step


def filled(base, share):
    """Missing entries filled with their column's mean, as in tables that people clean."""

    def draw(rng, n, d):
        x = base(rng, n, d)
        x[rng.random((n, d)) < share] = 0.0
        return x

    return draw
