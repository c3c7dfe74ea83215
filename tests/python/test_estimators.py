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


@parametrize_with_checks([ReluNetworkRegressor(), ReluHalfspacesClassifier()])
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
