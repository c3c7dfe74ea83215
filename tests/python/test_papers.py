"""First layers with thresholds and the other doors of the command line, from Python."""
import json

import numpy as np
import pytest

import relucover


def test_a_lowest_layer_is_learned_compared_evaluated_and_written(tmp_path):
    x, y, truth = relucover.sample_threshold(inputs=6, units=3, samples=50000, seed=2)
    result = relucover.learn_lowest_layer(x, y, units=3)
    assert result.status == "exact" and result.usable and result.certified
    errors = relucover.compare(truth, result.model)
    assert errors["units_matched"] == 3 and errors["max_weight_error"] < 1e-10 and errors["function_rms"] < 1e-9
    assert relucover.evaluate(result.model, x, y)["relative"] < 1e-9
    result.model.write(tmp_path / "model.json")
    again = relucover.ThresholdModel.read(tmp_path / "model.json")
    assert np.array_equal(again.predict(x[:100]), result.model.predict(x[:100]))
    assert again.first_layer(x[:100]).shape == (100, 3)


def test_threshold_models_have_a_report(tmp_path):
    from relucover import report

    x, y, truth = relucover.sample_threshold(inputs=5, units=2, samples=20000, seed=1)
    result = relucover.learn_lowest_layer(x, y, units=2)
    (tmp_path / "result.json").write_text(result.json())
    result.model.write(tmp_path / "net.json")
    truth.write(tmp_path / "truth.json")
    code = report.main([str(tmp_path / "result.json"), "--network", str(tmp_path / "net.json"), "--truth", str(tmp_path / "truth.json"), "-o",
                        str(tmp_path / "page.html")])
    assert code == 0
    page = (tmp_path / "page.html").read_text()
    assert report.HEADLINES[result.status] in page and "Weights beside the truth" in page


def test_a_function_is_asked():
    x, y, truth = relucover.sample_threshold(inputs=4, units=2, unit="step", upper="any", samples=20000, seed=1)
    asked = []

    def ask(rows):
        asked.append(len(rows))
        return truth.predict(rows)

    result = relucover.learn_lowest_layer(x, y, units=2, unit="step", ask=ask, rounds=5, questions=200, degree=0)
    assert sum(asked) == result.figures["questions"] > 0


def test_halfspaces_and_misuse():
    x, y, truth = relucover.sample_threshold(inputs=5, units=2, unit="step", upper="any", samples=60000, seed=1)
    assert relucover.learn_halfspaces(x, y, units=2).status == "recovered"
    with pytest.raises(ValueError, match="nonsense"):
        relucover.learn_lowest_layer(x, y, units=2, unit="nonsense")
    with pytest.raises(ValueError, match="upper"):
        relucover.sample_threshold(inputs=5, units=2, upper="nonsense", samples=10)


def union_of_halfspaces(seed, kind):
    """Labels without noise; of two boundaries one bends, or is two that are nearly parallel."""
    rng = np.random.default_rng(seed)
    d, k, n = 5, 3, 60000
    x = rng.normal(size=(n, d))
    W = np.linalg.qr(rng.normal(size=(d, d)))[0][:k]
    t, along = rng.uniform(1.7, 2.2, k), np.linalg.qr(rng.normal(size=(d, 2)))[0][:, 0]
    along -= W[0] * (along @ W[0])
    along /= np.linalg.norm(along)
    inside = x @ W.T > t
    if kind == "parallel":
        beside = W[0] + 0.05 * along
        inside[:, 0] |= x @ beside > np.linalg.norm(beside) * t[0]
    if kind == "curved":
        inside[:, 0] = x @ W[0] - t[0] + 0.015 * ((x @ along) ** 2 - 1) > 0
    y = inside.any(1)
    if kind == "noisy inputs":
        y = ((x + 0.02 * rng.normal(size=x.shape)) @ W.T > t).any(1)
    if kind == "flips":
        y = y ^ (rng.random(n) < 0.02)
    return x, y.astype(float)


@pytest.mark.parametrize("kind", ["parallel", "curved"])
def test_boundaries_that_are_no_planes_are_not_certified(kind):
    told = [relucover.learn_halfspaces(*union_of_halfspaces(seed, kind), units=3, threads=1) for seed in range(6)]
    assert not any(found.certified for found in told)
    assert any("no plane separates" in found.message for found in told)


@pytest.mark.parametrize("kind", ["plain", "flips"])
def test_boundaries_that_are_planes_are_certified(kind):
    for seed in range(6):
        found = relucover.learn_halfspaces(*union_of_halfspaces(seed, kind), units=3, threads=1)
        assert found.status == "recovered", found.message


def test_signs_evaluate_and_exact_moments():
    x, y, truth = relucover.sample(inputs=4, units=3, samples=200, seed=5)
    assert relucover.signs(truth)["unique"]
    pair = relucover.Network(W=[[1.0, 0.0], [-1.0, 0.0]], A=[[1.0, 1.0]])  # relu(t) + relu(-t) = |t|: both may be turned
    assert not relucover.signs(pair)["unique"]
    assert relucover.evaluate(truth, x, y)["max_abs"] < 1e-13
    with pytest.raises(ValueError):
        relucover.evaluate(truth, x[:, :3], y)
    exact = relucover.from_network(truth, units=3)
    assert exact.status == "exact" and exact.figures["max_parameter_error"] < 1e-8


def test_moments_are_made_apart_merged_and_learned_from(tmp_path):
    x, y, truth = relucover.sample(inputs=5, units=3, samples=40000, seed=5)
    parts = [relucover.moments(x[i::2], y[i::2]) for i in range(2)]
    parts[1].write(tmp_path / "part.moments")
    total = relucover.merge([parts[0], tmp_path / "part.moments"])
    assert total.samples == 40000
    assert relucover.from_moments(total, units=3).status == "approximate"
    assert relucover.from_moments(total, x[:5000], y[:5000], units=3).status == "exact"
    with pytest.raises(ValueError):
        relucover.merge([])


def test_an_experiment_is_a_table():
    table = relucover.reproduce("gklw-fig3", trials=1, points=1)
    assert len(table["rows"]) == 1 and len(table["rows"][0]) == len(table["header"])
    with pytest.raises(ValueError, match="there are gklw-fig2"):
        relucover.reproduce("nonsense")
    assert json.dumps(table)
