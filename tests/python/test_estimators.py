"""scikit-learn's own checks, and the estimators on planted and real data."""
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import relucover
from relucover import ReluHalfspacesClassifier, ReluNetworkRegressor


# Data of these checks are no network's: a number of units spares the search for one, and for layers.
@parametrize_with_checks([ReluNetworkRegressor(units=2), ReluHalfspacesClassifier()])
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def planted():
    return relucover.sample(inputs=6, units=3, samples=2000, seed=4)


def test_planted_data_are_recovered(planted):
    x, y, truth = planted
    model = ReluNetworkRegressor(units=3).fit(x, y[:, 0])
    assert model.status_ == "exact" and model.n_units_ == 3
    assert relucover.compare(truth, model.network_)["max_weight_error"] < 1e-10
    assert model.score(x, y[:, 0]) == pytest.approx(1.0, abs=1e-12)
    assert model.weights_.tobytes() == relucover.learn(x, y[:, 0], units=3, threads=1).network.W.tobytes()


def test_partial_fit_is_fit_on_everything(planted):
    x, y, _ = planted
    whole = ReluNetworkRegressor(units=3).fit(x, y[:, 0])
    parts = ReluNetworkRegressor(units=3)
    for rows in np.array_split(np.arange(len(x)), 100):
        parts.partial_fit(x[rows], y[rows, 0])
    assert parts.weights_.tobytes() == whole.weights_.tobytes()
    assert parts.predict(x).tobytes() == whole.predict(x).tobytes()


def test_noise_of_known_size(planted):
    x, y, truth = planted
    noisy = y[:, 0] + 0.01 * np.random.default_rng(0).normal(size=len(y))
    model = ReluNetworkRegressor(units=3, noise=0.01).fit(x, noisy)
    assert model.n_units_ == 3 and relucover.compare(truth, model.network_)["max_weight_error"] < 0.05
    for wrong in (-1.0, np.nan, "loud", True):
        with pytest.raises(ValueError, match="noise is"):
            ReluNetworkRegressor(noise=wrong).fit(x[:50], noisy[:50])


def test_vector_outputs():
    x, y, _ = relucover.sample(inputs=6, units=3, outputs=2, samples=2000, seed=4)
    model = ReluNetworkRegressor(units=3).fit(x, y)
    assert model.predict(x).shape == y.shape and model.status_ == "exact"


def test_pipeline_grid_search_clone_and_pickle(planted):
    x, y, _ = planted
    search = GridSearchCV(make_pipeline(StandardScaler(), ReluNetworkRegressor()), {"relunetworkregressor__units": [1, 3]}, cv=2)
    search.fit(x[:600], y[:600, 0])
    assert search.best_params_ == {"relunetworkregressor__units": 3}
    model = clone(ReluNetworkRegressor(units=3, random_state=7)).fit(x, y[:, 0])
    back = pickle.loads(pickle.dumps(model))
    assert back.predict(x).tobytes() == model.predict(x).tobytes()
    with pytest.raises(ValueError, match="newer"):
        ReluNetworkRegressor().__setstate__({**model.__getstate__(), "_relucover_state": 99})


def test_classifier_finds_a_union_of_halfspaces():
    z = np.random.default_rng(1).normal(size=(40000, 3))
    normals = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]])
    far = np.max(z @ normals.T - [1.5, 1.7], axis=1) > 0
    x = 2 * z + [1, -1, 0]
    for labels, rarer in ((np.where(far, "out", "in"), "out"), (np.where(far, "a", "b"), "a")):
        model = ReluHalfspacesClassifier(units=2).fit(x, labels)
        assert model.status_ == "recovered" and model.network_ is None
        assert model.score(x, labels) > 0.999
        assert np.mean(model.predict(x[far]) == rarer) > 0.99
        assert np.allclose((model.halfspaces_[:, :-1] @ normals.T).max(axis=0), 1, atol=1e-3)
    assert ReluHalfspacesClassifier(units=2).fit(x[:3000] ** 3, far[:3000]).status_ == "approximate"


@pytest.mark.parametrize("name", ["diabetes", "wine"])
def test_real_data(name):
    if name == "diabetes":
        x, y = load_diabetes(return_X_y=True)
    else:
        data = load_wine().data
        x, y = data[:, 1:], data[:, 0]
    folds = KFold(5, shuffle=True, random_state=0)
    model = ReluNetworkRegressor(random_state=3)
    ours = np.mean((cross_val_predict(model, x, y, cv=folds) - y) ** 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = np.mean((cross_val_predict(MLPRegressor(16, random_state=0), x, y, cv=folds) - y) ** 2)
    assert ours <= 1.02 * theirs
    first, second = model.fit(x, y), clone(model).fit(x, y)
    assert first.status_ == "approximate"
    assert first.n_units_ <= 16
    assert first.predict(x).tobytes() == second.predict(x).tobytes()


@pytest.mark.parametrize("estimator", [ReluNetworkRegressor(noise="some", units=2), ReluHalfspacesClassifier(units=2)])
def test_weights_count_as_rows_do(estimator):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(160, 3))
    y = (np.abs(x[:, 0]) + 0.3 * rng.normal(size=160) > 0.8).astype(int)
    plain = clone(estimator).fit(x, y)
    ones = clone(estimator).fit(x, y, sample_weight=np.full(160, 7.0))
    np.testing.assert_allclose(ones.network_.predict(x), plain.network_.predict(x), rtol=0, atol=1e-9)
    without = clone(estimator).fit(x[:100], y[:100])
    zeros = clone(estimator).fit(x, y, sample_weight=np.arange(160) < 100)
    np.testing.assert_allclose(zeros.network_.predict(x), without.network_.predict(x), rtol=0, atol=1e-9)
    for wrong in (-np.ones(160), np.zeros(160)):
        with pytest.raises(ValueError, match="sample_weight"):
            clone(estimator).fit(x, y, sample_weight=wrong)


def test_heavy_rows_are_fitted_better():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(400, 2))
    left = x[:, 0] < 0
    y = np.where(left, x[:, 1], -x[:, 1]) + 0.1 * rng.normal(size=400)
    error = lambda weights, rows: np.mean((ReluNetworkRegressor(noise="some", units=1).fit(x, y, sample_weight=weights).predict(x) - y)[rows] ** 2)
    assert error(np.where(left, 50.0, 1.0), left) < 0.5 * error(np.where(left, 1.0, 50.0), left)


def test_probabilities_are_calibrated():
    from sklearn.datasets import load_breast_cancer
    from sklearn.metrics import log_loss
    from sklearn.model_selection import train_test_split

    for load in (load_breast_cancer, load_wine):
        x, y = load(return_X_y=True)
        x, x_test, y, y_test = train_test_split(StandardScaler().fit_transform(x), y, random_state=1)
        model = ReluHalfspacesClassifier().fit(x, y)
        chances = model.predict_proba(x_test)
        assert chances.shape == (len(x_test), len(model.classes_)) and np.allclose(chances.sum(axis=1), 1)
        assert (model.classes_[chances.argmax(axis=1)] == model.predict(x_test)).all()
        assert log_loss(y_test, chances) < 0.25  # knowing nothing is .66 and 1.09


def test_probabilities_of_a_certified_union():
    x = np.random.default_rng(1).normal(size=(40000, 3))
    far = (x[:, 0] > 1.5) | (x[:, 1] + x[:, 2] > 2.4)
    model = ReluHalfspacesClassifier(units=2).fit(x, far)
    chances = model.predict_proba(x)
    assert model.status_ == "recovered" and ((chances[:, 1] > 0.5) == model.predict(x)).all()
    assert 0 < chances.min() < 0.01
