"""Tasks about first layers with thresholds, through the command line."""
import json

import numpy
import pytest


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


def test_inputs_that_are_not_standard_normal_are_refused_with_the_number(relucover, tmp_path):
    random = numpy.random.default_rng(1)
    for name, x in [("shifted", random.standard_normal((20000, 4)) + [0, 0.5, 0, 0]), ("wide", random.standard_normal((20000, 4)) * [1, 1, 1, 1.2]),
                    ("uniform", random.uniform(-3**0.5, 3**0.5, (20000, 4)))]:
        numpy.savez(tmp_path / f"{name}.npz", x=x, y=numpy.maximum(x[:, 0] - 1, 0))
        done = relucover("learn", f"{name}.npz", "--task", "lowest-layer", "--units", 1, code=3)
        assert "assumption_failed" in done.stdout and "not standard normal" in done.stdout


def test_a_deep_onnx_teacher_is_sampled_and_its_lowest_layer_learned(relucover, tmp_path):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnx.numpy_helper")
    random = numpy.random.default_rng(3)
    first = numpy.linalg.qr(random.standard_normal((6, 6)))[0][:3]
    second = random.uniform(0.5, 1.5, (4, 3))
    layers = [(first, numpy.full(3, -2.0)), (second, random.uniform(-0.2, 0.2, 4)), (random.uniform(0.5, 1.5, (1, 4)), numpy.zeros(1))]
    nodes, constants, last = [], [], "x"
    for i, (weights, constant) in enumerate(layers):
        constants += [onnx.numpy_helper.from_array(weights.T.copy(), f"w{i}"), onnx.numpy_helper.from_array(constant, f"b{i}")]
        nodes.append(onnx.helper.make_node("Gemm", [last, f"w{i}", f"b{i}"], [f"h{i}"]))
        last = f"h{i}"
        if i < 2:
            nodes.append(onnx.helper.make_node("Relu", [last], [f"r{i}"]))
            last = f"r{i}"
    value = lambda name, width: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.DOUBLE, ["n", width])
    graph = onnx.helper.make_graph(nodes, "deep", [value("x", 6)], [value(last, 1)], constants)
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)]), str(tmp_path / "deep.onnx"))
    relucover("sample-threshold", "--model", "deep.onnx", "--samples", 300000, "-o", "deep.npz")
    relucover("learn", "deep.npz", "--task", "lowest-layer", "--units", 3, "--unit", "relu", "-o", "layer.json", code=(0, 1))
    found = numpy.array(json.loads((tmp_path / "layer.json").read_text())["W"])
    found /= numpy.linalg.norm(found, axis=1, keepdims=True)
    angles = [numpy.arccos(numpy.clip((found @ w).max(), -1, 1)) for w in first]
    assert max(angles) < 0.002
