"""A small ReLU network as a scikit-learn classifier."""
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _core
from .held_out import fit_held_out
from .regressor import seed_of


class ReluHalfspacesClassifier(ClassifierMixin, BaseEstimator):
    """Classes as regions cut by halfspaces w·x + b > 0: one ReLU network with one output for each class.

    Each class gets an indicator (two classes share one); a network of a few ReLU units, each of which is a halfspace, is
    fitted to it with width and ridge chosen by held-out error, and the largest output wins.

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
    network_ : Network
        Outputs are the scores of the classes.

    Examples
    --------
    >>> import numpy as np, relucover
    >>> x = np.random.default_rng(0).normal(size=(600, 2))
    >>> inside = (np.abs(x[:, 0]) < 0.7).astype(int)
    >>> model = relucover.ReluHalfspacesClassifier(units=4).fit(x, inside)
    >>> model.score(x, inside) > 0.95
    True
    """

    def __init__(self, units="auto", max_units=16, random_state=None):
        self.units = units
        self.max_units = max_units
        self.random_state = random_state

    def fit(self, X, y):
        """Learn from rows X and class labels y."""
        X, y = self._validate_data(X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("there is only one class in y, expected two or more")
        targets = np.eye(len(self.classes_))[codes]
        if len(self.classes_) == 2:
            targets = targets[:, 1:]
        fitted = fit_held_out(X, 2 * targets - 1, units=self.units, max_units=self.max_units, seed=seed_of(self.random_state))
        self.network_ = _core.Network(W=fitted.W.reshape(-1, X.shape[1]), b=fitted.b, A=fitted.A, skip=fitted.skip, offset=fitted.offset)
        self.halfspaces_ = np.column_stack([self.network_.W, self.network_.b])
        self.n_units_ = self.network_.units
        return self

    def decision_function(self, X):
        """Scores: one column for each class, or one number for the second of two classes."""
        check_is_fitted(self)
        X = self._validate_data(X, dtype=[np.float64, np.float32], reset=False)
        scores = self.network_.predict(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X):
        """The class of every row."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else np.argmax(scores, axis=1)]
