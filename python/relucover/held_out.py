"""A small ReLU network for data that no small network made: width and ridge chosen by held-out error.

The model is the sign-free form of a ReLU network, f(x) = S |Theta x~| + V x~ with x~ = (x, 1), on standardised inputs and
labels. Fitted by Levenberg-Marquardt on mean squared error + ridge (|Theta|² + |V without its constant|²).
"""
import numbers
from dataclasses import dataclass

import numpy as np

WIDTHS = (0, 1, 2, 4, 8, 16)
RIDGES = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0001)
ITERATIONS = 12
GIVE_UP_AFTER = 2  # widths in a row that are no better than the best so far


@dataclass
class Scaling:
    """Standardised inputs and labels; columns that never vary stay at zero."""

    x_mean: np.ndarray
    x_scale: np.ndarray
    y_mean: np.ndarray
    y_scale: np.ndarray

    @staticmethod
    def of(x, y):
        def spread(a):
            s = a.std(axis=0)
            return np.where(s > 1e-12 * np.maximum(1.0, np.abs(a).max(axis=0, initial=0.0)), s, 1.0)

        return Scaling(x.mean(axis=0), spread(x), y.mean(axis=0), spread(y))

    def inputs(self, x):
        z = (x - self.x_mean) / self.x_scale
        return np.hstack([z, np.ones((len(z), 1))])

    def labels(self, y):
        return (y - self.y_mean) / self.y_scale


@dataclass
class SignFree:
    theta: np.ndarray  # units by (inputs + 1)
    output: np.ndarray  # outputs by units: ±1, or free signs and sizes for several outputs
    affine: np.ndarray  # outputs by (inputs + 1)

    def __call__(self, z):
        return np.abs(z @ self.theta.T) @ self.output.T + z @ self.affine.T


def _start(inputs, outputs, units, seed):
    rng = np.random.default_rng([seed, units])
    theta = rng.normal(size=(units, inputs + 1)) / np.sqrt(inputs + 1.0)
    theta[:, -1] = 0.7 * np.linalg.norm(theta[:, :-1], axis=1) * rng.normal(size=units)
    scale = 0.3 / max(1.0, np.sqrt(units))
    signs = np.where(np.arange(units) % 2 == 0, 1.0, -1.0)
    output = signs[None, :] * np.ones((outputs, 1)) if outputs == 1 else rng.choice([-1.0, 1.0], size=(outputs, units))
    return SignFree(theta * scale, output, np.zeros((outputs, inputs + 1)))


def _penalty(model, ridge):
    return ridge * (np.sum(model.theta**2) + np.sum(model.affine[:, :-1] ** 2))


def _cost(model, z, y, ridge):
    return np.sum((model(z) - y) ** 2) / len(z) + _penalty(model, ridge)


def _gauss_newton(model, z, y, ridge):
    """Gram matrix and gradient of the penalised cost, parameters ordered theta, affine (output by output)."""
    n, d = z.shape
    outputs, units = model.output.shape
    signs = np.sign(z @ model.theta.T)
    features = (signs[:, :, None] * z[:, None, :]).reshape(n, units * d)
    residual = y - model(z)
    size = units * d + outputs * d
    gram, gradient = np.zeros((size, size)), np.zeros(size)
    weights = np.repeat(model.output, d, axis=1)  # outputs by (units d)
    shared = features.T @ features / n
    cross = features.T @ z / n
    gram[: units * d, : units * d] = shared * (weights.T @ weights)
    second = z.T @ z / n
    for o in range(outputs):
        at = slice(units * d + o * d, units * d + (o + 1) * d)
        gram[: units * d, at] = weights[o][:, None] * cross
        gram[at, : units * d] = gram[: units * d, at].T
        gram[at, at] = second
        gradient[: units * d] += weights[o] * (features.T @ residual[:, o]) / n
        gradient[at] = z.T @ residual[:, o] / n
    shrunk = np.concatenate([model.theta.ravel(), model.affine.ravel()])
    mask = np.ones(size)
    mask[units * d + d - 1 :: d] = 0.0  # constants are free
    gram[np.diag_indices(size)] += ridge * mask
    gradient -= ridge * mask * shrunk
    return gram, gradient


def _moved(model, step):
    cut = model.theta.size
    return SignFree(model.theta + step[:cut].reshape(model.theta.shape), model.output,
                    model.affine + step[cut:].reshape(model.affine.shape))


def _fit(model, z, y, ridge, iterations=ITERATIONS):
    """Levenberg-Marquardt, damped by the gain; stops when a good step gains less than 0.1%."""
    damping, cost = 1e-2, _cost(model, z, y, ridge)
    for _ in range(iterations):
        gram, gradient = _gauss_newton(model, z, y, ridge)
        diagonal = np.diag(gram) + 1e-12
        for _ in range(8):
            damped = gram.copy()
            damped[np.diag_indices(len(damped))] += damping * diagonal
            step = np.linalg.solve(damped, gradient)
            candidate = _moved(model, step)
            next_cost = _cost(candidate, z, y, ridge)
            if next_cost < cost:
                break
            damping *= 5
        else:
            return model
        gained = (cost - next_cost) / max(cost, 1e-300)
        predicted = step @ (2 * gradient - gram @ step)
        ratio = (cost - next_cost) / predicted if predicted > 0 else 0.0
        damping = damping * 0.2 if ratio > 0.6 else damping * 3 if ratio < 0.25 else damping
        model, cost = candidate, next_cost
        if gained < 1e-3:
            break
    return model


def _path(z, y, units, ridges, seed):
    """Models along a path of falling ridges, each started from the one before."""
    model = _start(z.shape[1] - 1, y.shape[1], units, seed)
    for ridge in ridges:
        model = _fit(model, z, y, ridge)
        yield model


def _folds(samples, seed):
    """Parts of the data to judge by: five when there are few samples, one when there are many."""
    if samples < 2:
        return []
    order = np.random.default_rng([seed, 12345]).permutation(samples)
    if samples > 1000:
        cut = min(samples // 5, 4000)
        return [(order[cut : cut + 20000], order[:cut])]
    count = min(5, samples)
    parts = np.array_split(order, count)
    return [(np.concatenate(parts[:i] + parts[i + 1 :]), parts[i]) for i in range(count)]


def _held_out_errors(x, y, units, folds, seed):
    """Held-out mean squared error (relative to the labels' variance) by ridge, until it has risen twice in a row."""
    spread = np.maximum(y.var(axis=0), 1e-300)
    walks = []
    for train, judge in folds:
        scaling = Scaling.of(x[train], y[train])
        path = _path(scaling.inputs(x[train]), scaling.labels(y[train]), units, RIDGES, seed)
        walks.append((path, scaling, scaling.inputs(x[judge]), y[judge]))
    judged = sum(len(judge) for _, judge in folds) * y.shape[1]
    errors = []
    for _ in RIDGES:
        total = 0.0
        for path, scaling, z, labels in walks:
            predicted = next(path)(z) * scaling.y_scale + scaling.y_mean
            total += np.sum((predicted - labels) ** 2 / spread)
        errors.append(total / judged)
        if len(errors) > GIVE_UP_AFTER and min(errors[-GIVE_UP_AFTER:]) > min(errors[:-GIVE_UP_AFTER]):
            break
    return np.array(errors)


@dataclass
class HeldOutFit:
    """Weights in the units of the data, and how they were chosen."""

    W: np.ndarray
    b: np.ndarray
    A: np.ndarray
    skip: np.ndarray
    offset: np.ndarray
    units: int
    ridge: float
    error: float  # held-out, relative to the labels' variance
    table: dict  # (units, ridge) -> error


def _as_network(model, scaling):
    """S |Theta x~| + V x~ as ReLUs: |t| = 2 relu(t) - t."""
    inner = model.theta[:, :-1] / scaling.x_scale
    bias = model.theta[:, -1] - inner @ scaling.x_mean
    skip = model.affine[:, :-1] / scaling.x_scale
    offset = model.affine[:, -1] - skip @ scaling.x_mean
    norms = np.linalg.norm(inner, axis=1)
    kept = norms > 0
    offset = offset + model.output[:, ~kept] @ np.abs(bias[~kept])
    inner, bias, output, norms = inner[kept], bias[kept], model.output[:, kept], norms[kept]
    skip = skip - output @ inner
    offset = offset - output @ bias
    scale = scaling.y_scale[:, None]
    return (inner / norms[:, None], bias / norms, 2 * output * norms * scale, skip * scale,
            offset * scaling.y_scale + scaling.y_mean)


def fit_held_out(x, y, *, units="auto", max_units=16, seed=0):
    """Fits a network whose ridge, and width where `units` is "auto", give the least held-out error."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    y = y.reshape(len(y), -1)
    folds = _folds(len(x), seed)
    if units != "auto" and (not isinstance(units, numbers.Integral) or units < 1):
        raise ValueError(f'units is {units!r}, expected "auto" or a positive number')
    widths = [w for w in WIDTHS if w <= max_units] if units == "auto" else [int(units)]
    table, best, failures = {}, (np.inf, widths[0], RIDGES[0]), 0
    for width in widths if folds else []:
        errors = _held_out_errors(x, y, width, folds, seed)
        table.update({(width, ridge): float(e) for ridge, e in zip(RIDGES, errors)})
        i = int(np.argmin(errors))
        if errors[i] < best[0]:
            best, failures = (float(errors[i]), width, RIDGES[i]), 0
        else:
            failures += 1
        if failures == GIVE_UP_AFTER:
            break
    error, width, ridge = best
    scaling = Scaling.of(x, y)
    z, labels = scaling.inputs(x), scaling.labels(y)
    for model in _path(z, labels, width, RIDGES[: RIDGES.index(ridge) + 1], seed):
        pass
    W, b, A, skip, offset = _as_network(model, scaling)
    return HeldOutFit(W, b, A, skip, offset, len(W), ridge, error, table)
