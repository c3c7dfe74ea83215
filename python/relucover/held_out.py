"""A small ReLU network for data that no small network made: width and ridge chosen by held-out error.

The model is the sign-free form of a ReLU network, f(x) = S |Theta x~| + V x~ with x~ = (x, 1), on standardised inputs and
labels. Fitted by Levenberg-Marquardt on mean squared error + ridge (|Theta|² + |V without its constant|²).
"""
import numbers
from dataclasses import dataclass

import numpy as np

WIDTHS = (0, 1, 2, 4, 8, 16)
RIDGES = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0001)
ITERATIONS = 8
GIVE_UP_AFTER = 2  # widths in a row that are no better than the best so far, ...
CLEARLY_WORSE = 1.03  # ... or one whose error is this many times as large


@dataclass
class Scaling:
    """Standardised inputs and labels; columns that never vary stay at zero."""

    x_mean: np.ndarray
    x_scale: np.ndarray
    y_mean: np.ndarray
    y_scale: np.ndarray

    @staticmethod
    def of(x, y, weights):
        mean = lambda a: np.average(a, axis=0, weights=weights)

        def spread(a):
            s = np.sqrt(mean((a - mean(a)) ** 2))
            return np.where(s > 1e-12 * np.maximum(1.0, np.abs(a).max(axis=0, initial=0.0)), s, 1.0)

        return Scaling(mean(x), spread(x), mean(y), spread(y))

    def inputs(self, x):
        z = (x - self.x_mean) / self.x_scale
        return np.hstack([z, np.ones((len(z), 1))])

    def labels(self, y):
        return (y - self.y_mean) / self.y_scale

    def weighted(self, x, y, weights):
        """Inputs and labels for a fit: f(c z) = c f(z), so a sample's weight is the square of a factor before both."""
        root = np.sqrt(weights / weights.mean())[:, None]
        return root * self.inputs(x), root * self.labels(y)


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


DENSE_UP_TO = 200  # parameters: beyond, conjugate gradients are faster than the Gram matrix
CG_ITERATIONS, CG_TOLERANCE = 30, 5e-2


class _Dense:
    """Gram matrix and gradient of the penalised cost, parameters ordered theta, affine (output by output)."""

    def __init__(self, model, z, y, ridge):
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
        mask = _penalised(model)
        gram[np.diag_indices(size)] += ridge * mask
        self.gram, self.gradient = gram, gradient - ridge * mask * shrunk

    def step(self, damping):
        damped = self.gram.copy()
        damped[np.diag_indices(len(damped))] += damping * (np.diag(self.gram) + 1e-12)
        return np.linalg.solve(damped, self.gradient)

    def times(self, step):
        return self.gram @ step


class _MatrixFree:
    """The same by products with the data: a unit's own block of the Gram matrix is that of the inputs times its output weights squared, so one
    decomposition of that makes a preconditioner for any ridge and damping."""

    def __init__(self, model, z, y, ridge):
        self.z, self.output, self.ridge, self.mask = z, model.output, ridge, _penalised(model)
        self.signs = np.sign(z @ model.theta.T)
        self.cut, self.shape = model.theta.size, (model.theta.shape, model.affine.shape)
        self.values, self.vectors = np.linalg.eigh(z.T @ z / len(z))
        self.sizes = np.concatenate([np.sum(model.output**2, axis=0), np.ones(len(model.output))])
        shrunk = np.concatenate([model.theta.ravel(), model.affine.ravel()])
        self.gradient = self._back(y - model(z)) - ridge * self.mask * shrunk

    def _back(self, residual):
        theta = ((residual @ self.output) * self.signs).T @ self.z
        return np.concatenate([theta.ravel(), (residual.T @ self.z).ravel()]) / len(self.z)

    def times(self, step):
        theta, affine = step[: self.cut].reshape(self.shape[0]), step[self.cut :].reshape(self.shape[1])
        moved = (self.signs * (self.z @ theta.T)) @ self.output.T + self.z @ affine.T
        return self._back(moved) + self.ridge * self.mask * step

    def step(self, damping):
        spread = np.repeat(self.sizes, len(self.values)) * np.tile((self.vectors**2 @ self.values), len(self.sizes))  # the Gram matrix's diagonal
        extra = damping * (spread + self.ridge * self.mask)
        scales = 1 / (self.sizes[:, None] * (self.values + damping) + self.ridge)
        precondition = lambda v: (((v.reshape(len(self.sizes), -1) @ self.vectors) * scales) @ self.vectors.T).ravel()
        x, r = np.zeros_like(self.gradient), self.gradient.copy()
        q = precondition(r)
        p, energy = q.copy(), r @ q
        enough = CG_TOLERANCE**2 * energy
        for _ in range(CG_ITERATIONS):
            if not energy > max(enough, 1e-300):
                break
            along = self.times(p) + extra * p
            length = energy / (p @ along)
            x, r = x + length * p, r - length * along
            q = precondition(r)
            energy, before = r @ q, energy
            p = q + energy / before * p
        return x


def _penalised(model):
    mask = np.ones(model.theta.size + model.affine.size)
    mask[model.theta.size + model.affine.shape[1] - 1 :: model.affine.shape[1]] = 0.0  # constants are free
    return mask


def _moved(model, step):
    cut = model.theta.size
    return SignFree(model.theta + step[:cut].reshape(model.theta.shape), model.output,
                    model.affine + step[cut:].reshape(model.affine.shape))


def _fit(model, z, y, ridge, iterations=ITERATIONS):
    """Levenberg-Marquardt, damped by the gain; stops when a good step gains less than 0.1%."""
    damping, cost = 1e-2, _cost(model, z, y, ridge)
    kind = _Dense if model.theta.size + model.affine.size <= DENSE_UP_TO else _MatrixFree
    for _ in range(iterations):
        normal = kind(model, z, y, ridge)
        for _ in range(8):
            step = normal.step(damping)
            candidate = _moved(model, step)
            next_cost = _cost(candidate, z, y, ridge)
            if next_cost < cost:
                break
            damping *= 5
        else:
            return model
        gained = (cost - next_cost) / max(cost, 1e-300)
        predicted = step @ (2 * normal.gradient - normal.times(step))
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
    """Parts of the data to judge by: five when there are few samples, three of some hundreds, one when there are many."""
    if samples < 2:
        return []
    order = np.random.default_rng([seed, 12345]).permutation(samples)
    if samples > 1000:
        cut = min(samples // 5, 4000)
        return [(order[cut : cut + 20000], order[:cut])]
    count = min(5 if samples < 300 else 3, samples)
    parts = np.array_split(order, count)
    return [(np.concatenate(parts[:i] + parts[i + 1 :]), parts[i]) for i in range(count)]


def _held_out_errors(x, y, weights, units, folds, seed):
    """Held-out mean squared error (relative to the labels' variance) by ridge, until it has risen twice in a row, and what was predicted."""
    spread = np.maximum(np.average((y - np.average(y, axis=0, weights=weights)) ** 2, axis=0, weights=weights), 1e-300)
    walks = []
    for train, judge in folds:
        scaling = Scaling.of(x[train], y[train], weights[train])
        path = _path(*scaling.weighted(x[train], y[train], weights[train]), units, RIDGES, seed)
        walks.append((path, scaling, scaling.inputs(x[judge]), judge))
    judged = sum(weights[judge].sum() for _, judge in folds) * y.shape[1]
    errors, predictions = [], []
    for _ in RIDGES:
        total = 0.0
        predictions.append([])
        for path, scaling, z, judge in walks:
            predicted = next(path)(z) * scaling.y_scale + scaling.y_mean
            total += np.sum(weights[judge, None] * (predicted - y[judge]) ** 2 / spread)
            predictions[-1].append(predicted)
        errors.append(total / judged)
        if len(errors) > GIVE_UP_AFTER and min(errors[-GIVE_UP_AFTER:]) > min(errors[:-GIVE_UP_AFTER]):
            break
    return np.array(errors), predictions


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
    judged: np.ndarray  # rows that were held out at some time
    predicted: np.ndarray  # for these, by fits without them


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


def fit_held_out(x, y, *, weights=None, units="auto", max_units=16, seed=0):
    """Fits a network whose ridge, and width where `units` is "auto", give the least held-out error. Weights: above zero, one for each sample."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    y = y.reshape(len(y), -1)
    weights = np.ones(len(x)) if weights is None else np.asarray(weights, float)
    folds = _folds(len(x), seed)
    if units != "auto" and (not isinstance(units, numbers.Integral) or units < 1):
        raise ValueError(f'units is {units!r}, expected "auto" or a positive number')
    widths = [w for w in WIDTHS if w <= max_units] if units == "auto" else [int(units)]
    table, best, failures, kept = {}, (np.inf, widths[0], RIDGES[0]), 0, []
    for width in widths if folds else []:
        errors, predictions = _held_out_errors(x, y, weights, width, folds, seed)
        table.update({(width, ridge): float(e) for ridge, e in zip(RIDGES, errors)})
        i = int(np.argmin(errors))
        if errors[i] < best[0]:
            best, failures, kept = (float(errors[i]), width, RIDGES[i]), 0, predictions[i]
        else:
            failures += 1
        if failures == GIVE_UP_AFTER or errors[i] > CLEARLY_WORSE * best[0]:
            break
    error, width, ridge = best
    scaling = Scaling.of(x, y, weights)
    z, labels = scaling.weighted(x, y, weights)
    for model in _path(z, labels, width, RIDGES[: RIDGES.index(ridge) + 1], seed):
        pass
    W, b, A, skip, offset = _as_network(model, scaling)
    judged = np.concatenate([judge for _, judge in folds]) if kept else np.array([], int)
    return HeldOutFit(W, b, A, skip, offset, len(W), ridge, error, table, judged, np.concatenate(kept) if kept else np.empty((0, y.shape[1])))
