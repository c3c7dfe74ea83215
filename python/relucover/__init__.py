"""Recover a neural network from its inputs and outputs.

Not a network that fits: the network that made the data, with a statement of what is certain about it.

>>> import relucover
>>> x, y, truth = relucover.sample(inputs=5, units=3, samples=2000, seed=1)
>>> result = relucover.learn(x, y, units=3, seed=1)
>>> result.status
'exact'
>>> relucover.compare(truth, result.network)["max_weight_error"] < 1e-10
True
"""
from ._core import DataError, Extraction, FeedForward, FirstLayerResult, Network, PowerSums, Result, ThresholdModel, __version__
from .activity import as_seen, unit_activity
from .convert import network_of, to_sklearn, to_torch
from .functions import compare, diagnose, extract, learn, methods, sample
from .papers import (evaluate, from_moments, from_network, learn_halfspaces, learn_lowest_layer, merge, moments, reproduce, sample_threshold,
                     signs)

__all__ = [
    "DataError",
    "Extraction",
    "FeedForward",
    "FirstLayerResult",
    "Network",
    "PowerSums",
    "ReluHalfspacesClassifier",
    "ReluNetworkRegressor",
    "Result",
    "ThresholdModel",
    "as_seen",
    "compare",
    "diagnose",
    "evaluate",
    "extract",
    "from_moments",
    "from_network",
    "learn",
    "learn_halfspaces",
    "learn_lowest_layer",
    "merge",
    "methods",
    "moments",
    "network_of",
    "reproduce",
    "sample",
    "sample_threshold",
    "signs",
    "to_sklearn",
    "to_torch",
    "unit_activity",
    "__version__",
]


def __dir__():
    return sorted(set(globals()) | set(__all__))


def __getattr__(name):
    # scikit-learn takes a second to import: only those who use the estimators wait for it.
    if name == "ReluNetworkRegressor":
        from .regressor import ReluNetworkRegressor

        return ReluNetworkRegressor
    if name == "ReluHalfspacesClassifier":
        from .classifier import ReluHalfspacesClassifier

        return ReluHalfspacesClassifier
    raise AttributeError(f"module 'relucover' has no attribute '{name}'")
