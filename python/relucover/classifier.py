"""Halfspaces as a scikit-learn classifier."""
import math

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _core
from .functions import diagnose, unit_count
from .held_out import fit_held_out
from .regressor import seed_of, threads_of, weighted_rows

_LEAST_SAMPLES = 2000  # fewer never certify a halfspace


def _probabilities(scores):
    """Sigmoid of scores of the second of two classes, softmax of several."""
    if scores.ndim == 1:
        scores = np.column_stack([np.zeros_like(scores), scores])
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    return grown / grown.sum(axis=1, keepdims=True)


def _sharpness(scores, codes, weights):
    """The factor before scores at which held-out classes are likeliest."""
    if len(codes) == 0:
        return 1.0
    scores = scores[:, 0] if scores.shape[1] == 1 else scores

    def surprise(log_factor):
        chances = _probabilities(np.exp(log_factor) * scores)[np.arange(len(codes)), codes]
        return -np.average(np.log(np.maximum(chances, 1e-300)), weights=weights)

    return float(np.exp(minimize_scalar(surprise, bounds=(-4.0, 6.0), method="bounded").x))


class ReluHalfspacesClassifier(ClassifierMixin, BaseEstimator):
    """Classes as regions cut by halfspaces w·x + b > 0.

    With two classes and inputs that pass for Gaussian, one class may be a union of halfspaces: they are looked for by the
    method behind ``relucover learn --task halfspaces``, and are the answer if held-out data certify them (`status_` is
    "recovered" or "exact"). Otherwise `status_` is "approximate": each class gets an indicator (two classes share one), a
    network of a few ReLU units, each of which is a halfspace, is fitted to it with width and ridge chosen by held-out
    error, and the largest output wins.

    Parameters
    ----------
    units : "auto" or int
        Halfspaces.
    max_units : int
        Most of them when `units` is "auto".
    random_state : int, RandomState or None
        None is 0: the same answer on every run.

    Attributes
    ----------
    classes_ : array
        The labels.
    halfspaces_ : array (units, inputs + 1)
        Unit normals and offsets: unit i is active where w·x + b > 0.
    status_, message_ : str
        What is certain.
    network_ : Network or None
        Outputs are the scores of the classes; None where the rarer class is the union of `halfspaces_`.

    Examples
    --------
    >>> import numpy as np, relucover
    >>> x = np.random.default_rng(0).normal(size=(600, 2))
    >>> inside = (np.abs(x[:, 0]) < 0.7).astype(int)
    >>> model = relucover.ReluHalfspacesClassifier(units=4).fit(x, inside)
    >>> model.score(x, inside) > 0.95
    True

    A union of two halfspaces of Gaussian inputs, learned as such:

    >>> x = np.random.default_rng(1).normal(size=(40000, 3))
    >>> far = (x[:, 0] > 1.5) | (x[:, 1] + x[:, 2] > 2.4)
    >>> model = relucover.ReluHalfspacesClassifier(units=2).fit(x, far)
    >>> model.status_, model.score(x, far) > 0.999
    ('recovered', True)
    """

    def __init__(self, units="auto", max_units=16, random_state=None, time_limit=None, n_jobs=None):
        self.units = units
        self.max_units = max_units
        self.random_state = random_state
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Learn from rows X and class labels y. Rows of weight 0 are left out; a union that held-out data certify does not depend on other weights, the
        fit by held-out error does."""
        X, y = self._validate_data(X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        X, y, weights = weighted_rows(X, y, sample_weight)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("there is only one class in y, expected two or more")
        if not self._find_union(X, codes):
            self._fit_held_out(X, codes, weights)
        self.n_units_ = len(self.halfspaces_)
        return self

    def _find_union(self, X, codes):
        """The rarer of two classes as a certified union of halfspaces, where there is one."""
        units, labels = unit_count(self.units), codes.astype(float)
        if len(self.classes_) != 2 or len(X) < max(_LEAST_SAMPLES, 100 * X.shape[1]) or units > X.shape[1]:
            return False
        mean = X.mean(axis=0, dtype=float)
        try:
            factor = np.linalg.cholesky(np.atleast_2d(np.cov(X, rowvar=False, dtype=float)))
        except np.linalg.LinAlgError:  # columns that depend on each other
            return False
        whitened = np.linalg.solve(factor, (X - mean).T).T
        if not diagnose(whitened, labels, threads=1, look=0)["gaussian"]["passed"]:
            return False
        limit = math.inf if self.time_limit is None else float(self.time_limit)
        found = _core.halfspaces(whitened, labels, units, seed_of(self.random_state), threads_of(self.n_jobs), limit, None)
        if not found.certified:
            return False
        self.network_, self._rarer_is_second = None, not found.figures["intersection"]
        normals = np.linalg.solve(factor.T, found.W.T).T
        lengths = np.linalg.norm(normals, axis=1)
        self.halfspaces_ = np.column_stack([normals, -found.t - normals @ mean]) / lengths[:, None]
        self.status_, self.message_ = found.status, found.message
        self._doubt = max(found.holdout_error, 1 / len(X))  # share of held-out labels on the other side
        return True

    def _fit_held_out(self, X, codes, weights):
        targets = np.eye(len(self.classes_))[codes]
        if len(self.classes_) == 2:
            targets = targets[:, 1:]
        fitted = fit_held_out(X, 2 * targets - 1, weights=weights, units=self.units, max_units=self.max_units, seed=seed_of(self.random_state))
        self.network_ = _core.Network(W=fitted.W.reshape(-1, X.shape[1]), b=fitted.b, A=fitted.A, skip=fitted.skip, offset=fitted.offset)
        self.halfspaces_ = np.column_stack([self.network_.W, self.network_.b])
        self.status_ = "approximate"
        self.message_ = f"{fitted.units} units and ridge {fitted.ridge:g} predict best on held-out data"
        self._sharpness = _sharpness(fitted.predicted, codes[fitted.judged], None if weights is None else weights[fitted.judged])

    def decision_function(self, X):
        """Scores: one column for each class, or one number for the second of two classes."""
        check_is_fitted(self)
        X = self._validate_data(X, dtype=[np.float64, np.float32], reset=False)
        if self.network_ is None:  # inside some halfspace or not
            inside = np.max(X @ self.halfspaces_[:, :-1].T + self.halfspaces_[:, -1], axis=1)
            return inside if self._rarer_is_second else -inside
        scores = self.network_.predict(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Probabilities of the classes, a column each: scores through a sigmoid or softmax whose sharpness is that of the best log-likelihood on held-out
        rows; for a certified union, the share of held-out labels that lie on either side."""
        scores = self.decision_function(X)
        if self.network_ is None:
            second = np.where(scores > 0, 1 - self._doubt, self._doubt)
            return np.column_stack([1 - second, second])
        return _probabilities(self._sharpness * scores)

    def predict(self, X):
        """The class of every row."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]
