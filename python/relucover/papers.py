"""What the papers' tasks and tools are called from Python: first layers, signs, errors, moments, exact moments, experiments."""
import math
import os
from functools import reduce

import numpy as np

from . import _core
from .functions import _progress, unit_count


def _limit(time_limit):
    return math.inf if time_limit is None else float(time_limit)


def learn_lowest_layer(x, y, *, units="auto", unit="relu", threshold=None, method="joint", refine=True, degree=3, power=1, ask=None,
                       rounds=300, questions=8000, seed=0, threads=None, time_limit=None, verbose=False):
    """The first layer with thresholds under a polynomial or deep upper part, as `relucover learn --task lowest-layer`.

    `unit` is relu, step, sigmoid, exponential:RATE, abs, cosine:F, gaussian or power:P; `method` joint, landscape, simultaneous
    or directions; `ask` a function (or ThresholdModel) that can be asked, to place boundaries by questions.

    >>> import relucover
    >>> x, y, truth = relucover.sample_threshold(inputs=6, units=3, samples=50000, seed=2)
    >>> result = relucover.learn_lowest_layer(x, y, units=3)
    >>> result.status, relucover.compare(truth, result.model)["max_weight_error"] < 1e-10
    ('exact', True)
    """
    return _core.lowest_layer(np.asarray(x), np.asarray(y), unit_count(units), unit, math.nan if threshold is None else float(threshold), method,
                              bool(refine), int(degree), int(power), ask, int(rounds), int(questions), int(seed), int(threads or 0),
                              _limit(time_limit), _progress(verbose))


def learn_halfspaces(x, y, *, units="auto", seed=0, threads=None, time_limit=None, verbose=False):
    """A union (or intersection) of halfspaces from 0/1 labels, as `relucover learn --task halfspaces`."""
    return _core.halfspaces(np.asarray(x), np.asarray(y), unit_count(units), int(seed), int(threads or 0), _limit(time_limit), _progress(verbose))


def sample_threshold(inputs, units, samples, *, unit="relu", threshold=2.0, upper="polynomial", noise=0.0, seed=0):
    """Planted data of a first layer with thresholds: `(x, y, truth)`, as `relucover sample-threshold` makes."""
    return _core.sample_threshold(int(inputs), int(units), unit, float(threshold), upper, int(samples), float(noise), int(seed))


def signs(network, *, limit=4096):
    """Which units can be turned around together without changing the function: `unique`, `complete`, `equivalent`, `signs`.

    >>> import relucover
    >>> relucover.signs(relucover.Network(W=[[1.0, 0.0], [0.0, 1.0]], A=[[1.0, 1.0]]))["unique"]
    True
    """
    return _core.signs(network, int(limit))


def evaluate(model, x, y, *, threads=None):
    """Error of a Network or ThresholdModel on data: `samples`, `rms`, `relative`, `max_abs`, `worst_sample`, `output_rms`.

    >>> import relucover
    >>> x, y, truth = relucover.sample(inputs=4, units=2, samples=100, seed=5)
    >>> relucover.evaluate(truth, x, y)["rms"] < 1e-14
    True
    """
    run = _core.evaluate_threshold if isinstance(model, _core.ThresholdModel) else _core.evaluate_network
    return run(model, np.asarray(x), np.asarray(y), int(threads or 0))


def moments(x, y, *, order=4, threads=None):
    """Moments of a part of the data, to be merged with those of other parts.

    >>> import relucover
    >>> x, y, truth = relucover.sample(inputs=4, units=2, samples=20000, seed=5)
    >>> parts = [relucover.moments(x[:10000], y[:10000]), relucover.moments(x[10000:], y[10000:])]
    >>> relucover.merge(parts).samples
    20000
    """
    return _core.moments(np.asarray(x), np.asarray(y), int(order), int(threads or 0))


def merge(parts):
    """The moments of all parts together; parts are from :func:`moments`, or paths of .moments files."""
    read = [part if isinstance(part, _core.PowerSums) else _core.PowerSums.read(os.fspath(part)) for part in parts]
    if not read:
        raise ValueError("there is nothing to merge")
    return reduce(lambda one, other: one + other, read)


def from_moments(sums, x=None, y=None, *, units="auto", method="auto", seed=0, threads=None, time_limit=None, settings=None, verbose=False):
    """Learn from moments; with a few samples x, y the answer is refined on them and certified."""
    samples = (None, None) if x is None else (np.asarray(x), np.asarray(y))
    return _core.from_moments(sums, *samples, unit_count(units), method, int(seed), int(threads or 0), _limit(time_limit), dict(settings or {}),
                              _progress(verbose))


def from_network(network, *, units="auto", method="auto", seed=0, threads=None, time_limit=None, settings=None, verbose=False):
    """Learn from the exact moments of a network instead of samples, as `relucover learn --from-network`.

    >>> import relucover
    >>> x, y, truth = relucover.sample(inputs=4, units=3, samples=10, seed=5)
    >>> relucover.from_network(truth).status
    'exact'
    """
    return _core.from_network(network, unit_count(units), method, int(seed), int(threads or 0), _limit(time_limit), dict(settings or {}),
                              _progress(verbose))


def reproduce(figure, *, trials=5, points=0, threads=None, time_limit=None, verbose=False):
    """A paper's experiment as a dict of `header` and `rows`, as `relucover reproduce` prints it."""
    return _core.reproduce(figure, int(trials), int(points), int(threads or 0), _limit(time_limit), _progress(verbose))
