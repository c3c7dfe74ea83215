"""Tasks about first layers with thresholds, through the command line."""
import json


def test_halfspaces_are_sampled_and_learned(relucover, relucover_json, tmp_path):
    data, truth, learned = tmp_path / "union.npz", tmp_path / "truth.json", tmp_path / "learned.json"
    relucover("sample-threshold", "--inputs", "6", "--units", "3", "--unit", "step", "--upper", "any", "--samples", "100000",
              "--seed", "1", "-o", data, "--truth", truth)
    answer = relucover_json("learn", data, "--task", "halfspaces", "--units", "3", "-o", learned)
    assert answer["status"] == "recovered"
    assert answer["units"] == 3
    assert answer["holdout_error"] < 0.005
    true, found = json.loads(truth.read_text()), json.loads(learned.read_text())
    for w in true["W"]:
        assert max(sum(a * b for a, b in zip(w, v)) for v in found["W"]) > 0.999


def test_lowest_layer_is_exact_and_handed_on(relucover, relucover_json, tmp_path):
    data, values = tmp_path / "relu.npz", tmp_path / "values.npz"
    relucover("sample-threshold", "--inputs", "6", "--units", "3", "--samples", "50000", "--seed", "2", "-o", data)
    answer = relucover_json("learn", data, "--task", "lowest-layer", "--units", "3", "--hand-on", values)
    assert answer["status"] == "exact"
    assert values.exists()


def test_overlapping_halfspaces_are_refused_with_the_number(relucover, tmp_path):
    data = tmp_path / "low.npz"
    relucover("sample-threshold", "--inputs", "6", "--units", "4", "--unit", "step", "--upper", "any", "--threshold", "1",
              "--samples", "20000", "--seed", "3", "-o", data)
    done = relucover("learn", data, "--task", "halfspaces", "--units", "4", "--json", code=3)
    answer = json.loads(done.stdout)
    assert answer["status"] == "assumption_failed"
    assert "> 0.3" in answer["message"]
