"""Exact moments, the smoothed study, signs that no data tell, units that no sample separates."""
import csv
import json

import numpy
import pytest


def plant(relucover, inputs, units, samples=10, **options):
    extra = [part for name, value in options.items() for part in (f"--{name}", value)]
    relucover("sample", "--inputs", inputs, "--units", units, "--samples", samples, "-o", "d.npz", "--truth", "t.json", *extra)


@pytest.mark.parametrize("method, settings", [
    ("hermite", []), ("hermite-printed", ["decomposition=0"]), ("hermite-printed", ["decomposition=1"]),
    ("hermite-printed", ["decomposition=2"]), ("hermite-printed", ["printed_signs=1"])])
def test_learn_from_the_exact_moments_of_a_network(relucover, relucover_json, method, settings):
    plant(relucover, 6, 5)
    flags = [part for setting in settings for part in ("--set", setting)]
    result = relucover_json("learn", "--from-network", "t.json", "--units", 5, "--method", method, *flags, "-o", "n.json")
    assert result["status"] == "exact" and result["units"] == 5
    assert result["figures"]["max_parameter_error"] <= (1e-10 if method == "hermite" else 1e-8)
    errors = relucover_json("compare", "t.json", "n.json")
    assert errors["units_matched"] == 5 and errors["up_to_sign"] is False and errors["max_weight_error"] <= 1e-8


def test_from_network_finds_the_number_of_units_and_more_units_than_inputs(relucover, relucover_json):
    plant(relucover, 4, 7)
    assert relucover_json("learn", "--from-network", "t.json")["units"] == 7


def test_from_network_refuses_what_makes_no_sense(relucover, relucover_json, tmp_path):
    plant(relucover, 3, 2)
    assert "give one of the two" in relucover("learn", "d.npz", "--from-network", "t.json", code=2).stderr
    assert "needs samples" in relucover("learn", "--from-network", "t.json", "--method", "prune", code=2).stderr
    relucover("learn", "--from-network", "missing.json", code=2)
    network = json.loads((tmp_path / "t.json").read_text())
    network["A"] = [network["A"][0], network["A"][0]]
    network["skip"] = [network["skip"][0]] * 2
    network["offset"] = [0, 0]
    (tmp_path / "two.json").write_text(json.dumps(network))
    assert "outputs" in relucover("learn", "--from-network", "two.json", "--method", "hermite", code=2).stderr
    assert "biases" in relucover("learn", "--from-network", "two.json", code=3).stdout  # several outputs: pure neurons, which have none


def test_reproduce_prints_a_table_and_writes_it_as_csv(relucover, tmp_path):
    done = relucover("reproduce", "atv-smoothed", "--trials", 1, "--points", 2, "--csv", "s.csv")
    with open(tmp_path / "s.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(done.stdout.splitlines()) == len(rows) + 1
    assert {"tau", "inputs", "units", "samples", "success", "median_error", "least_singular_value"} == set(rows[0])
    smooth = [row for row in rows if row["tau"] == "1" and row["samples"] == "exact"]
    assert smooth and all(float(row["success"]) == 1 for row in smooth)
    assert "atv-smoothed" in relucover("reproduce", "nonsense", code=2).stderr


def test_signs_that_no_data_tell(relucover, relucover_json):
    plant(relucover, 3, 5, weights="dependent")
    found = relucover_json("signs", "t.json", "-o", "other.json")
    assert found["unique"] is False and found["complete"] is True
    assert found["signs"][0] == [1] * 5 and [-1] * 5 in found["signs"] and found["equivalent"] == len(found["signs"])
    assert "---" in relucover("signs", "t.json").stdout
    errors = relucover_json("compare", "t.json", "other.json")
    assert errors["equivalent"] is True and errors["up_to_sign"] is True and errors["function_rms"] < 1e-12
    assert "equivalent: the same function" in relucover("compare", "t.json", "other.json").stdout
    relucover("sample", "--inputs", 3, "--units", 3, "--weights", "dependent", "--samples", 9, "-o", "e.npz", code=2)
    plant(relucover, 5, 3, seed=2)
    assert relucover_json("signs", "t.json")["unique"] is True
    assert "unique" in relucover("signs", "t.json").stdout


def test_moment_objective_of_truth_is_chance_and_of_another_network_is_not(relucover, relucover_json, tmp_path):
    plant(relucover, 4, 3, samples=20000)
    of_truth = relucover_json("evaluate", "t.json", "d.npz", "--moments", 4)
    assert len(of_truth["moment_risk"]) == 5
    for risk, chance in zip(of_truth["moment_risk"], of_truth["moment_risk_by_chance"]):
        assert risk <= 6 * chance + 1e-15
    network = json.loads((tmp_path / "t.json").read_text())
    network["A"] = [[-a for a in network["A"][0]]]
    (tmp_path / "wrong.json").write_text(json.dumps(network))
    of_wrong = relucover_json("evaluate", "wrong.json", "d.npz", "--moments", 4)
    assert of_wrong["moment_risk"][2] > 20 * of_wrong["moment_risk_by_chance"][2]
    assert sum(of_wrong["moment_risk"]) <= 1.05 * of_wrong["rms"] ** 2  # a part of the squared error
    assert "order 4" in relucover("evaluate", "t.json", "d.npz", "--moments", 4).stdout


def test_units_that_no_sample_separates_are_counted(relucover, relucover_json, tmp_path):
    random = numpy.random.default_rng(1)
    W = random.normal(size=(4, 6))
    W /= numpy.linalg.norm(W, axis=1, keepdims=True)
    b = numpy.array([0.3, -0.4, 6.0, -6.0])
    x = random.normal(size=(20000, 6))
    y = numpy.maximum(x @ W.T + b, 0) @ numpy.array([1.0, -1.2, 0.8, 1.1])
    numpy.savez(tmp_path / "d.npz", x=x, y=y)
    for method in ("hermite", "hermite-regression"):
        result = relucover_json("learn", "d.npz", "--units", 4, "--method", method, code=(0, 1))
        assert result["figures"]["units_separated"] == 2, method
        assert result["figures"]["units_like_linear"] == 1 and result["figures"]["units_like_zero"] == 1
        assert result["residual_relative"] < 5e-3
        assert any("could not be separated" in note for note in result["notes"])


def test_inputs_that_are_not_gaussian_are_named(relucover, relucover_json):
    relucover("sample", "--inputs", 4, "--units", 2, "--samples", 5000, "--distribution", "uniform", "-o", "u.npz")
    result = relucover_json("learn", "u.npz", "--units", 2, "--method", "hermite", code=(0, 1))
    assert any("not Gaussian" in note for note in result["notes"])
    plant(relucover, 4, 2, samples=5000)
    result = relucover_json("learn", "d.npz", "--units", 2, "--method", "hermite")
    assert not any("not Gaussian" in note for note in result["notes"])
