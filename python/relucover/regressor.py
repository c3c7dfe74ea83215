"""The network as a scikit-learn regressor."""
import json
import math
import numbers

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from . import _core
from .functions import learn
from .held_out import fit_held_out

_STATE_VERSION = 1
_NOISE_ALLOWANCE = 1.1  # a held-out residual is this far above the noise by chance and by what few samples leave open


def seed_of(random_state):
    """A seed: None is 0, so that the answer is the same on every run unless asked otherwise."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    return int(random_state.integers(2**31 - 1))


def threads_of(n_jobs):
    """scikit-learn's n_jobs: None is one thread here as there; -1 is all cores."""
    if n_jobs is None:
        return 1
    return 0 if n_jobs < 0 else int(n_jobs)


def weighted_rows(X, y, sample_weight):
    """Rows, labels and weights without those of weight 0; None where there are no weights."""
    if sample_weight is None:
        return X, y, None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any() or not weights.any():
        raise ValueError("sample_weight must not be negative, and some of it above zero")
    kept = weights > 0
    return (X, y, weights) if kept.all() else (X[kept], y[kept], weights[kept])


class ReluNetworkRegressor(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """One-hidden-layer ReLU network: the one that made the data where there is one, a small one that predicts well where not.

    First the data are taken to be made by a network and that network is looked for; if it is found and certified
    (`status_` is "exact" or "recovered") it is the answer. Otherwise `status_` is "approximate": width (unless given)
    and ridge are chosen by held-out error.

    Parameters
    ----------
    units : "auto" or int
        Hidden units. "auto" finds out; on data that no network made it takes at most `max_units`.
    method : str
        "auto" or a name from :func:`relucover.methods`.
    noise : "auto", "none", "some" or float
        "auto" lets the data say whether labels carry noise; "none" skips the held-out fit (the exact network or what
        came closest to it); "some" skips the search for an exact network, which saves time on data known to be real. A number
        is the known standard deviation of the labels' noise: a network whose held-out residual is no larger explains all
        there is to explain and is taken even if it can't be certified (0 is "none").
    random_state : int, RandomState or None
        None is 0: the same answer on every run.
    time_limit : float or None
        Seconds for the search for the network that made the data.
    n_jobs : int or None
        Threads; the answer does not depend on them.
    verbose : int
        1 prints stages.
    max_units : int
        Most units of a held-out fit.

    Attributes
    ----------
    weights_, biases_, output_weights_, skip_, offset_ : arrays
        ``y = output_weights_ relu(weights_ x + biases_) + skip_ x + offset_``.
    network_ : Network
        The same.
    status_, message_ : str
        What is certain.
    diagnostics_ : dict
        What `relucover learn --json` prints, or how width and ridge were chosen.
    n_units_ : int
        Hidden units.

    Examples
    --------
    >>> import relucover
    >>> x, y, truth = relucover.sample(inputs=5, units=3, samples=2000, seed=1)
    >>> model = relucover.ReluNetworkRegressor(units=3).fit(x, y)
    >>> model.status_, model.n_units_
    ('exact', 3)

    Real data:

    >>> from sklearn.datasets import load_diabetes
    >>> x, y = load_diabetes(return_X_y=True)
    >>> relucover.ReluNetworkRegressor(noise="some").fit(x, y).status_
    'approximate'
    """

    def __init__(self, units="auto", method="auto", noise="auto", random_state=None, time_limit=None, n_jobs=None, verbose=0,
                 max_units=16):
        self.units = units
        self.method = method
        self.noise = noise
        self.random_state = random_state
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.max_units = max_units

    def fit(self, X, y, sample_weight=None):
        """Learn the network from rows X and labels y (one column or several).

        Rows of weight 0 are left out. The network that made the data does not depend on weights, so its search uses none; the held-out fit, and the
        error that it is chosen by, are weighted.
        """
        X, y = self._validate_data(X, y, multi_output=True, y_numeric=True, dtype=[np.float64, np.float32])
        self._chunks = None
        return self._solve(*weighted_rows(X, y, sample_weight))

    def partial_fit(self, X, y):
        """Add samples; the network is learned when it is first needed, from all of them.

        The chunks are kept in memory until then: the answer is that of one `fit` on all of them, to the last bit.
        """
        first = not getattr(self, "_chunks", None)
        X, y = self._validate_data(X, y, multi_output=True, y_numeric=True, dtype=[np.float64, np.float32], reset=first)
        chunks = [] if first else self._chunks
        if chunks and chunks[0][1].shape[1:] != y.shape[1:]:
            raise ValueError("y has another number of columns than in earlier calls of partial_fit")
        self._chunks = chunks + [(X.copy(), y.copy())]
        self._pending = True
        return self

    def _finish_partial(self):
        if getattr(self, "_pending", False):
            self._solve(np.concatenate([X for X, _ in self._chunks]), np.concatenate([y for _, y in self._chunks]))

    def _solve(self, X, y, weights=None):
        known_noise = self._known_noise()
        self._single_output = y.ndim == 1
        self._dtype = X.dtype
        y = y.astype(X.dtype, copy=False)
        seed = seed_of(self.random_state)
        network = None
        if self.noise != "some":
            result = learn(X, y, units=self.units, method=self.method, seed=seed, threads=threads_of(self.n_jobs),
                           time_limit=self.time_limit, verbose=bool(self.verbose))
            explained = known_noise is not None and result.usable and result.holdout_rms <= _NOISE_ALLOWANCE * known_noise
            if result.certified or explained or (self.noise == "none" or known_noise == 0) and result.usable:
                network = result.network
                self.status_, self.message_, self.diagnostics_ = result.status, result.message, json.loads(result.json())
        if network is None:
            network = self._fit_held_out(X, y, weights, seed)
        self._take(network)
        self._pending = False
        return self

    def _known_noise(self):
        """The noise where it is a number, else None; raises for what is neither that nor a word that is known."""
        if isinstance(self.noise, str) and self.noise in ("auto", "none", "some"):
            return None
        if isinstance(self.noise, numbers.Real) and not isinstance(self.noise, bool) and 0 <= self.noise < math.inf:
            return float(self.noise)
        raise ValueError(f'noise is {self.noise!r}, expected "auto", "none", "some" or a standard deviation')

    def _fit_held_out(self, X, y, weights, seed):
        fitted = fit_held_out(X, y, weights=weights, units=self.units, max_units=self.max_units, seed=seed)
        self.status_ = "approximate"
        self.message_ = (f"no network of this kind made the data; {fitted.units} units and ridge {fitted.ridge:g} predict best "
                         f"on held-out data (relative squared error {fitted.error:.3g})")
        self.diagnostics_ = {"status": self.status_, "message": self.message_, "method": "held-out", "units": fitted.units,
                             "ridge": fitted.ridge, "holdout_relative": fitted.error if math.isfinite(fitted.error) else None,
                             "tried": [{"units": u, "ridge": r, "error": e} for (u, r), e in fitted.table.items()]}
        return _core.Network(W=fitted.W.reshape(-1, X.shape[1]), b=fitted.b, A=fitted.A, skip=fitted.skip, offset=fitted.offset)

    def _take(self, network):
        self.network_ = network
        self.weights_, self.biases_ = network.W, network.b
        self.output_weights_, self.skip_, self.offset_ = network.A, network.skip, network.offset
        self.n_units_ = network.units

    def predict(self, X):
        """Values at the rows of X."""
        check_is_fitted(self)
        self._finish_partial()
        X = self._validate_data(X, dtype=[np.float64, np.float32], reset=False)
        values = self.network_.predict(X)
        return values[:, 0] if self._single_output else values

    def __getattr__(self, name):
        # Fitted attributes asked for after partial_fit: solve first.
        fitted = ("weights_", "biases_", "output_weights_", "skip_", "offset_", "network_", "status_", "message_",
                  "diagnostics_", "n_units_")
        if name in fitted and self.__dict__.get("_pending"):
            self._finish_partial()
            return self.__dict__[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __sklearn_is_fitted__(self):
        return "network_" in self.__dict__ or bool(self.__dict__.get("_pending"))

    def __getstate__(self):
        state = super().__getstate__()
        return {**state, "_relucover_state": _STATE_VERSION}

    def __setstate__(self, state):
        state = dict(state)
        version = state.pop("_relucover_state", None)
        if version is not None and version > _STATE_VERSION:
            raise ValueError(f"this estimator was pickled by a newer relucover (state {version}, this one reads {_STATE_VERSION})")
        super().__setstate__(state)
