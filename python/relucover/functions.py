"""The functional interface: learn, sample, compare, diagnose, extract, methods."""
import math
import os
import sys

import numpy as np

from . import _core
from .models import Asked, rows_like


def unit_count(units):
    """0 for "auto", else the number; raises for anything else."""
    if units is None or (isinstance(units, str) and units == "auto"):
        return 0
    if isinstance(units, (bool, str)) or int(units) != units or units < 1:
        raise ValueError(f'units is {units!r}, expected "auto" or a positive number')
    return int(units)


def layer_widths(units, layers):
    """Units of each hidden layer for the core: one number for one layer, none for any depth, 0 to be found out."""
    if layers is None:
        return [unit_count(units)]
    if not (units is None or (isinstance(units, str) and units == "auto")):
        raise ValueError("units and layers are both given: units is for one hidden layer")
    if isinstance(layers, str) and layers == "auto":
        return []
    if isinstance(layers, str) or not np.iterable(layers) or not len(layers):
        raise ValueError(f'layers is {layers!r}, expected "auto" or a list of widths such as [8, 5] or ["auto", "auto"]')
    return [unit_count(width) for width in layers]


def _progress(verbose):
    """A function for the observer: True or 1 prints stages to standard error, a callable is called."""
    if callable(verbose):
        return verbose
    if not verbose:
        return None
    seen = []

    def show(stage, fraction, detail):
        if not seen or seen[-1] != stage:
            seen.append(stage)
            print(f"relucover: {stage} {detail}".rstrip(), file=sys.stderr)

    return show


def _run_options(units, layers, method, link, seed, threads, time_limit, starts, settings, verbose):
    limit = math.inf if time_limit is None else float(time_limit)
    return (layer_widths(units, layers), method, link, int(seed), int(threads or 0), limit, int(starts), dict(settings or {}), _progress(verbose))


def learn(x, y=None, *, units="auto", layers=None, method="auto", link="auto", seed=0, threads=None, time_limit=None, starts=12, settings=None,
          verbose=False):
    """Learn the network that made the samples.

    Parameters
    ----------
    x : array or DataFrame of shape (n, d), or a path, or a list of paths
        Inputs; or files as on the command line (.npz, .h5, .csv), then without y.
    y : array of shape (n,) or (n, l)
        Labels. float32 arrays stay float32, and rows that are contiguous are not copied.
    units : "auto" or int
        Hidden units.
    layers : None, "auto" or list
        Units of each hidden layer, from below, of a deep network; "auto" in the list for a width that is to be found out, "auto"
        alone for the number of layers too. None: one hidden layer.
    method : str
        "auto" or a name from :func:`methods`.
    link : str
        What the labels went through after the network: "identity", "sigmoid", "softmax", "log-softmax"; "auto": found out
        (probabilities are recognised).
    seed, threads, time_limit, starts, settings
        As on the command line; the answer is the same for every number of threads.
    verbose : bool or callable
        True prints stages; a callable gets (stage, fraction, detail). Ctrl-C stops the work.

    Returns
    -------
    Result
        With `status`, `message`, `network`, `notes`, `figures`, `stages`; what data can cause is a status, never an
        exception.

    Examples
    --------
    >>> import relucover
    >>> x, y, truth = relucover.sample(inputs=6, units=2, outputs=2, samples=1000, seed=3)
    >>> relucover.learn(x, y, units=2).status
    'exact'
    >>> x, y, truth = relucover.sample(inputs=10, layers=[8, 5], samples=20000, seed=3)
    >>> relucover.learn(x, y, layers=[8, 5], seed=1).network.widths
    [8, 5]
    """
    options = _run_options(units, layers, method, link, seed, threads, time_limit, starts, settings, verbose)
    if y is None:
        paths = [x] if isinstance(x, (str, os.PathLike)) else list(x)
        return _core.learn_files([os.fspath(path) for path in paths], *options)
    return _core.learn_arrays(np.asarray(x), np.asarray(y), *options)


def sample(inputs, units=None, samples=None, *, layers=None, outputs=1, bias=0.7, weights="gaussian", distribution="gaussian", noise=0.0, seed=0):
    """Planted data: `(x, y, truth)`, the same as `relucover sample` makes; a deep network where `layers` are given instead of `units`.

    >>> import relucover
    >>> x, y, truth = relucover.sample(inputs=4, units=2, samples=10, seed=5)
    >>> x.shape, y.shape, truth
    ((10, 4), (10, 1), Network(inputs=4, units=2, outputs=1, activation='relu'))
    """
    if samples is None or (units is None) == (layers is None):
        raise TypeError("sample needs inputs, samples, and units or layers, one of them")
    if layers is not None:
        return _core.sample_deep(int(inputs), [int(width) for width in layers], int(outputs), int(samples), distribution, float(noise), int(seed))
    condition = 1.0
    if weights.startswith("condition:"):
        weights, condition = "condition", float(weights.split(":", 1)[1])
    return _core.sample(int(inputs), int(units), int(outputs), int(samples), float(bias), weights, condition, distribution,
                        float(noise), int(seed))


def compare(truth, answer):
    """Errors of `answer` against `truth` up to order, scaling and sign of the units, as a dict.

    >>> import relucover
    >>> net = relucover.Network(W=[[3.0, 4.0]], b=[1.0], A=[[2.0]])
    >>> relucover.compare(net, net.canonical())["units_matched"]
    1
    """
    if isinstance(truth, _core.ThresholdModel):
        return _core.compare_thresholds(truth, answer)
    return _core.compare(truth, answer)


def diagnose(x, y=None, *, threads=None, look=5.0):
    """Which assumptions hold: Gaussian, symmetric, whitened inputs, number of units, rounding of the labels, as a dict.

    `looks_like` says in words what the labels look like (constant, classes, kinked, deeper, smooth, noisy), from an attempt of
    `look` seconds to explain them; 0: no look.

    >>> import relucover
    >>> x, y, truth = relucover.sample(inputs=4, units=2, samples=5000, seed=5)
    >>> relucover.diagnose(x, y)["gaussian"]["passed"]
    True
    """
    if y is None:
        paths = [x] if isinstance(x, (str, os.PathLike)) else list(x)
        return _core.diagnose_files([os.fspath(path) for path in paths], int(threads or 0), float(look))
    return _core.diagnose_arrays(np.asarray(x), np.asarray(y), int(threads or 0), float(look))


def methods():
    """Every method by name: a list of dicts with `name`, `summary` and `settings`.

    >>> import relucover
    >>> "prune" in [method["name"] for method in relucover.methods()]
    True
    """
    return _core.methods()


def extract(oracle=None, *, inputs=None, command=None, protocol="lines", timeout=60.0, max_restarts=5, budget=1_000_000,
            first=0, fresh=10_000, batch=1024, scale=None, like=None, link="auto", look=True, spool=None, units="auto", layers=None,
            method="auto", seed=0, threads=None, time_limit=None, starts=12, settings=None, verbose=False):
    """Recover a model that can be asked. For models that you may query.

    Parameters
    ----------
    oracle : a model
        A scikit-learn estimator (regressors by `predict`, classifiers by `predict_proba`, also in a Pipeline), a PyTorch module
        (asked in evaluation mode, in its own precision, where it is), a path of an .onnx file, a FeedForward, a Network, or any
        callable: it gets an array (rows, inputs) of float64 numbers that are float32 numbers too, and returns one row, or one
        number, for each.
    command : str
        Instead of an oracle: a program that reads queries on standard input and answers on standard output, in
        `protocol` "lines" or "npy".
    inputs : int
        Number of inputs (known for most models).
    like : array, DataFrame or path of a file
        Rows of yours: queries are drawn from a law with their means, covariance and ranges, and a certified answer must predict the
        model at these rows too. The status is about inputs like these.
    link : str
        What the outputs went through: "identity", "sigmoid", "softmax", "log-softmax"; "auto": found out.
    look : bool
        Look what the model is like first (kinked or smooth, deeper than one hidden layer, class labels), and stop where no budget
        would help.
    budget : int
        The most queries that may be asked. The sample is doubled from `first` until the answer is certified.
    fresh : int
        Queries that a certified answer must predict before it counts (as far as the budget allows): a unit that is
        active on one query in a thousand is then missed with probability e^-10.
    scale : float
        Queries are drawn from N(0, scale² I). None: found by asking, 1 where that will do; a Pipeline's scaler gives it.
    spool : path
        Where every answer is kept as it comes; a later call with the same seed goes on from there.

    Returns
    -------
    Extraction
        With `result`, `network`, `domain`, `looks_like`, `queries`, `repeated`, `restarts`, `attempts`.

    Examples
    --------
    >>> import numpy as np, relucover
    >>> secret = relucover.Network(W=[[1.0, 2.0], [0.5, -1.0]], b=[0.3, -0.2], A=[[1.0, -2.0]])
    >>> found = relucover.extract(lambda x: secret.predict(x), inputs=2)
    >>> found.status, found.domain, found.queries < 15000
    ('exact', 'N(0, I)', True)
    """
    options = _run_options(units, layers, method, link, seed, threads, time_limit, starts, settings, verbose)
    if (oracle is None) == (command is None):
        raise ValueError("give an oracle or a command, one of them")
    law = {"scale": 0.0 if scale is None else float(scale), "center": None, "spread": None, "like": None, "like_name": "", "look": bool(look)}
    if like is not None:
        law["like"], law["like_name"] = rows_like(like)
    asked = None if command is not None else Asked.model(oracle)
    if asked is not None and law["like"] is None and scale is None:
        law["center"], law["spread"] = asked.scaler()
    inputs = inputs or (asked and asked.inputs) or (law["like"].shape[1] if law["like"] is not None else None)
    if inputs is None:
        raise ValueError("inputs must be given: the oracle doesn't say how many it has")
    limits = (int(inputs), int(budget), int(first), int(fresh), int(batch), law, os.fspath(spool) if spool else "")
    if command is not None:
        return _core.extract_command(command, protocol, float(timeout), int(max_restarts), *limits, *options)
    return asked.run(_core.extract_any, *limits, *options)
