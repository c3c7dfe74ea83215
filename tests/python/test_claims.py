"""False claims that somebody found from outside, one of each class: the data tempt, the word must not come."""
import numpy as np
import pytest

import relucover


def relu(t):
    return np.maximum(t, 0)


def test_a_column_that_three_samples_have_is_not_exact_with_a_wrong_label():
    rng = np.random.default_rng(30)
    x = rng.normal(size=(2000, 6))
    x[3:, -1] = 0
    W, b, a = rng.normal(size=(3, 6)), 0.3 * rng.normal(size=3), rng.normal(size=3)
    y = relu(x @ W.T + b) @ a
    y[0] += rng.normal()
    found = relucover.learn(x, y, units="auto", threads=1, time_limit=60)
    assert not found.certified, found.message


def test_a_weight_between_layers_that_one_sample_feels_is_not_exact():
    """The label of the one sample at which unit 1 of layer 1 and unit 0 of layer 2 are on together is as another weight would have it."""
    x = np.random.default_rng(5).normal(size=(4000, 3))
    W, b = np.array([[1, 0.2, 0], [-0.3, 1, 0.1], [0.2, -0.4, 1]]), np.array([0.1, -0.2, 0.05])
    V, c, a = np.array([[1, -1.2, 0.7], [-0.8, 1, 0.9]]), np.array([0.05, -0.6]), np.array([1, -1.5])
    lower = relu(x @ W.T + b)
    upper = (lower @ V.T + c)[:, 0]
    together = np.flatnonzero((lower[:, 1] > 0) & (upper > 0))
    x = np.delete(x, together[together != together[upper[together].argmax()]], axis=0)
    V[0, 1] *= 1.1
    y = relu(relu(x @ W.T + b) @ V.T + c) @ a
    found = relucover.learn(x, y, layers=[3, 2], threads=1, time_limit=60)
    assert found.status == "approximate" and "one sample alone" in found.message
    assert found.residual_relative < 1e-13


def test_noise_of_deep_labels_hides_no_linear_path():
    """The network alone is recovered through its noise; beside a linear function of half the noise's size nothing is claimed."""
    x, y, _ = relucover.sample(3, layers=[3, 2], samples=3000, noise=0.01, seed=1)
    honest = relucover.learn(x, y, layers=[3, 2], threads=1, time_limit=60)
    assert honest.status == "recovered" and 0 < honest.detection_limit < 0.5, honest.message
    found = relucover.learn(x, y + 0.005 * x[:, :1], layers=[3, 2], threads=1, time_limit=60)
    assert not found.certified, found.message


@pytest.mark.parametrize("inputs, labels, words", [
    ([1e-150, 1, 1e150, 1], 1, "too small"), ([1e-300] * 4, 1e-300, "too small"), ([1] * 4, 5e-324, "too small"),
    ([1e300] * 4, 1, "too large"), ([1] * 4, 1e305, "too large"),
])
def test_numbers_whose_squares_leave_the_range_are_to_be_rescaled(inputs, labels, words):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 4))
    y = relu(x @ [1, 2, -1, 0.5] + 0.2) - relu(x @ [0, 1, 1, 0]) + 0.1 * rng.normal(size=500)
    found = relucover.learn(x * inputs, y * labels, threads=1, time_limit=10)
    assert found.status == "assumption_failed" and words in found.message and "rescale" in found.message


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_columns_of_other_scales_are_recovered_with_their_errors(scale):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 4))
    y = relu(x @ [1, 2, -1, 0.5] + 0.2) - relu(x @ [0, 1, 1, 0]) + 0.1 * rng.normal(size=3000)
    found = relucover.learn(x * [1 / scale, 1, scale, 1], y, units=2, threads=1, time_limit=10)
    assert found.status == "recovered" and found.figures["largest_relative_unit_error"] > 1e-3


def test_as_many_units_are_found_as_are_there_in_noise():
    """The first unit explains most of it, and what the last one adds is a tenth of the noise and more."""
    for seed in range(4, 10):
        rng = np.random.default_rng(seed)
        W = rng.normal(size=(3, 4))
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        b, a, x = rng.uniform(-0.7, 0.7, 3), rng.choice([-1, 1], 3) * rng.uniform(0.6, 1.6, 3), rng.normal(size=(3000, 4))
        f = relu(x @ W.T + b) @ a
        y = f + 0.2 * f.std() * rng.normal(size=3000)
        known, asked = (relucover.learn(x, y, units=units, threads=1, time_limit=20) for units in (3, "auto"))
        assert asked.status == known.status == "recovered", (seed, known.message, asked.message)
