"""Deep networks from the command line."""
import json

import numpy
import pytest
from conftest import HAS_PACKAGE


def test_sample_learn_compare_evaluate(relucover, relucover_json, tmp_path):
    relucover("sample", "--inputs", 10, "--layers", "8,5", "--samples", 20000, "--seed", 3, "-o", "d.npz", "--truth", "t.json")
    truth = json.loads((tmp_path / "t.json").read_text())
    assert truth["version"] == 2 and [len(layer["b"]) for layer in truth["layers"]] == [8, 5]
    answer = relucover_json("learn", "d.npz", "--layers", "8,5", "--seed", 1, "-o", "n.json")
    assert answer["status"] == "exact" and answer["layers"] == [8, 5] and answer["units"] == 13 and answer["method"] == "deep"
    errors = relucover_json("compare", "t.json", "n.json")
    assert errors["units_matched"] == 13 and errors["max_weight_error"] < 1e-10 and errors["equivalent"]
    assert [layer["units_matched"] for layer in errors["layers"]] == [8, 5]
    assert relucover_json("evaluate", "n.json", "d.npz")["relative"] < 1e-12


def test_files_of_deep_networks_are_the_same_function(relucover, relucover_json, tmp_path):
    relucover("sample", "--inputs", 3, "--layers", "4,3,2", "--samples", 500, "-o", "d.npz", "--truth", "t.npz")
    assert relucover_json("evaluate", "t.npz", "d.npz")["relative"] < 1e-14
    for name in ("t.json", "t.onnx"):
        relucover("sample", "--inputs", 3, "--layers", "4,3,2", "--samples", 500, "-o", "d.npz", "--truth", name)
        assert relucover_json("evaluate", name, "d.npz")["relative"] < 1e-14
        assert relucover_json("compare", "t.npz", name)["max_weight_error"] == 0


@pytest.mark.parametrize("arguments, words", [
    (("--layers", "8,0"), "--layers"),
    (("--layers", "8,x"), "expected auto or widths"),
    (("--layers", "8,"), "expected auto or widths"),
    (("--layers", ""), "expected auto or widths"),
    (("--layers", "8,5", "--units", "3"), "units is for one hidden layer"),
    (("--layers", "8,5", "--method", "prune"), "one hidden layer"),
    (("--layers", "8,5", "--depth", "2"), "--depth"),
    (("--method", "deep", "--units", "3"), "method deep has layers"),
])
def test_bad_layers_are_named(relucover, data, arguments, words):
    assert words in relucover("learn", "data.npz", *arguments, code=2).stderr


def test_sample_needs_units_or_layers(relucover):
    assert "--layers" in relucover("sample", "--inputs", 3, "--samples", 10, "-o", "d.npz", code=2).stderr


def test_noise_is_not_claimed(relucover, relucover_json, tmp_path):
    relucover("sample", "--inputs", 3, "--layers", "3,2", "--samples", 2000, "--noise", 0.1, "-o", "d.npz")
    answer = relucover_json("learn", "d.npz", "--layers", "3,2", "--starts", 1, "--time-limit", 20, code=(1, 3))
    assert answer["status"] in ("approximate", "budget_exhausted")


def test_through_noise(relucover, relucover_json, tmp_path):
    """3000 samples, noise of a hundredth: certified, with the further unit that would have shown, and errors as predicted."""
    relucover("sample", "--inputs", 3, "--layers", "3,2", "--samples", 3000, "--seed", 1, "--noise", 0.01, "-o", "d.npz", "--truth", "t.json")
    answer = relucover_json("learn", "d.npz", "--layers", "3,2", "-o", "n.json")
    assert answer["status"] == "recovered" and 0 < answer["detection_limit"] < 0.5 and 0.009 < answer["noise_estimate"] < 0.011
    assert answer["figures"]["chance_one_more_unit"] > 1e-4 and len(answer["series"]["unit_errors"]) == 5
    errors = relucover_json("compare", "t.json", "n.json")
    assert errors["units_matched"] == 5
    assert max(errors["max_weight_error"], errors["max_bias_error"]) < 5 * answer["figures"]["largest_relative_unit_error"]


def test_one_hidden_layer_by_another_name(relucover, relucover_json, data):
    assert relucover_json("learn", "data.npz", "--layers", "2")["layers"] == [2]


def test_what_is_for_one_layer_says_so(relucover, tmp_path):
    relucover("sample", "--inputs", 3, "--layers", "3,2", "--samples", 20, "-o", "d.npz", "--truth", "t.json")
    assert "one hidden layer" in relucover("signs", "t.json", code=2).stderr


def planted(relucover, layers, samples, seed, inputs=4):
    relucover("sample", "--inputs", inputs, "--layers", layers, "--samples", samples, "--seed", seed, "-o", "d.npz", "--truth", "t.json")


@pytest.mark.parametrize("asked", [("--layers", "auto"), ("--depth", 2), ("--method", "deep"), ()],
                         ids=["any depth", "widths unknown", "only the method", "nothing asked"])
def test_depth_and_widths_are_found(relucover, relucover_json, tmp_path, asked):
    planted(relucover, "4,3", 4000, 4)
    answer = relucover_json("learn", "d.npz", *asked, "-o", "n.json")
    assert answer["status"] == "exact" and answer["method"] == "deep" and answer["layers"] == [4, 3]
    errors = relucover_json("compare", "t.json", "n.json")
    assert errors["equivalent"] and errors["max_weight_error"] < 1e-10


def test_one_hidden_layer_stays_one(relucover, relucover_json, data):
    answer = relucover_json("learn", "data.npz", "--layers", "auto")
    assert answer["status"] == "exact" and answer["layers"] == [2]


def test_a_unit_taken_by_its_wrong_side_is_turned(relucover, relucover_json, tmp_path):
    """A unit that only 2% of the samples switch off is found by its rare side first; what is linear beside it belongs to it."""
    planted(relucover, "8,5", 20000, 106, inputs=10)
    answer = relucover_json("learn", "d.npz", "--layers", "8,5", "-o", "n.json")
    assert answer["status"] == "exact" and answer["layers"] == [8, 5]


@pytest.mark.skipif(not HAS_PACKAGE, reason="report needs the Python package")
def test_a_report_shows_the_layers(relucover, relucover_json, tmp_path):
    planted(relucover, "4,3", 4000, 4)
    (tmp_path / "r.json").write_text(json.dumps(relucover_json("learn", "d.npz", "--layers", "4,3", "-o", "n.json")))
    relucover("report", "r.json", "--network", "n.json", "-o", "r.html")
    assert ">Layers<" in (tmp_path / "r.html").read_text()


def test_stopped_work_keeps_the_best_network(relucover, tmp_path):
    relucover("sample", "--inputs", 10, "--layers", "20,20", "--samples", 20000, "--seed", 1, "-o", "d.npz")
    stopped = json.loads(relucover("learn", "d.npz", "--layers", "20,20", "--threads", 1, "--time-limit", 3, "-o", "n.json", "--json", code=3).stdout)
    assert stopped["status"] == "budget_exhausted"
    assert 0 < stopped["residual_relative"] < 0.9
    assert len(json.loads((tmp_path / "n.json").read_text())["layers"]) == 2


def test_the_best_network_of_stopped_work_has_all_inputs(relucover, tmp_path):
    """A column that never varies is left out while the others are learned from."""
    relucover("sample", "--inputs", 10, "--layers", "20,20", "--samples", 20000, "--seed", 1, "-o", "d.npz")
    with numpy.load(tmp_path / "d.npz") as data:
        x, y = data["x"], data["y"]
    numpy.savez(tmp_path / "d.npz", x=numpy.insert(x, 4, 7.0, axis=1), y=y)
    relucover("learn", "d.npz", "--layers", "20,20", "--threads", 1, "--time-limit", 3, "-o", "n.json", code=3)
    weights = numpy.array(json.loads((tmp_path / "n.json").read_text())["layers"][0]["W"])
    assert weights.shape[1] == 11 and not weights[:, 4].any() and weights.any()


def test_a_stopped_deep_search_is_not_thrown_away_for_one_layer(relucover, relucover_json, tmp_path):
    """Noisy labels whose depth is unknown: one layer leaves a tenth of their spread, layers the noise."""
    relucover("sample", "--inputs", 6, "--layers", "4,2", "--samples", 40000, "--noise", 0.01, "--seed", 4, "-o", "d.npz")
    answer = relucover_json("learn", "d.npz", "--layers", "auto", "--threads", 1, "--time-limit", 8, "-o", "n.json", code=3)
    assert answer["status"] == "budget_exhausted" and answer["residual_relative"] < 0.05
    assert len(json.loads((tmp_path / "n.json").read_text())["layers"]) > 1


def test_layers_are_looked_for_before_ever_more_units_are(relucover, relucover_json):
    """What several layers made gains from every doubling of the units of one."""
    relucover("sample", "--inputs", 10, "--layers", "8,5", "--samples", 20000, "--seed", 1, "-o", "d.npz")
    answer = relucover_json("learn", "d.npz", "--units", "auto", "--threads", 1)
    assert answer["status"] == "exact" and sorted(answer["layers"]) == [5, 8]
    assert [tried["method"] for tried in answer["plan"]] == ["prune", "deep"]
    assert "more would leave less" in answer["plan"][0]["said"]
