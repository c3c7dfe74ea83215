"""ONNX files: checked by onnx itself, computed by numpy from the graph, read from models that others made."""
import os
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import relucover


def network(outputs=2, skip=True):
    rng = np.random.default_rng(3)
    return relucover.Network(W=rng.normal(size=(4, 5)), b=rng.normal(size=4), A=rng.normal(size=(outputs, 4)),
                             skip=rng.normal(size=(outputs, 5)) if skip else None, offset=rng.normal(size=outputs))


def run(model, x):
    """Computes the graph with numpy, node by node."""
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    values[model.graph.input[0].name] = x
    for node in model.graph.node:
        a = [values[name] for name in node.input]
        if node.op_type == "Gemm":
            assert [(p.name, p.i) for p in node.attribute] == [("transB", 1)]
            out = a[0] @ a[1].T + (a[2] if len(a) > 2 else 0)
        else:
            out = {"Relu": lambda v: np.maximum(v[0], 0), "Add": lambda v: v[0] + v[1]}[node.op_type](a)
        values[node.output[0]] = out
    return values[model.graph.output[0].name]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("skip", [True, False])
def test_written_files_pass_the_checker_and_compute_the_same(tmp_path, dtype, skip):
    net = network(skip=skip)
    path = tmp_path / "net.onnx"
    net.write(path, dtype=dtype)
    assert path.read_bytes() == net.onnx(dtype)
    model = onnx.load(str(path))
    onnx.checker.check_model(model, full_check=True)
    assert [(o.domain, o.version) for o in model.opset_import] == [("", 13)]
    x = np.random.default_rng(0).normal(size=(50, 5)).astype(dtype)
    tolerance = 1e-13 if dtype == "float64" else 1e-5
    np.testing.assert_allclose(run(model, x), net.predict(x), rtol=0, atol=tolerance)
    back = relucover.Network.read(path)
    assert back.onnx(dtype) == net.onnx(dtype)
    assert back.W.tobytes() == net.W.astype(dtype).astype(float).tobytes()


def test_python_and_the_command_line_write_the_same_bytes_and_read_them_back(tmp_path):
    done = subprocess.run([os.environ["RELUCOVER"], "sample", "--inputs", "5", "--units", "4", "--outputs", "2", "--samples", "10", "--seed", "8",
                           "-o", tmp_path / "d.npz", "--truth", tmp_path / "cli.onnx"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    _, _, truth = relucover.sample(inputs=5, units=4, outputs=2, samples=10, seed=8)
    assert (tmp_path / "cli.onnx").read_bytes() == truth.onnx()
    onnx.checker.check_model(onnx.load(str(tmp_path / "cli.onnx")), full_check=True)
    back = relucover.Network.read(tmp_path / "cli.onnx")
    for part in ("W", "b", "A", "skip", "offset"):
        assert getattr(back, part).tobytes() == getattr(truth, part).tobytes()
    x = np.random.default_rng(0).normal(size=(200, 5))
    assert back.predict(x).tobytes() == truth.predict(x).tobytes()


def hand_made(nodes, initializers, dtype=TensorProto.DOUBLE, inputs=5, outputs=2):
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("in", dtype, [None, inputs])],
                              [helper.make_tensor_value_info("out", dtype, [None, outputs])],
                              [numpy_helper.from_array(value, name) for name, value in initializers.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)])


def test_matmul_and_add_are_read(tmp_path):
    net = network(skip=False)
    model = hand_made([helper.make_node("MatMul", ["in", "W"], ["a"]), helper.make_node("Add", ["a", "b"], ["c"]),
                       helper.make_node("Relu", ["c"], ["h"]), helper.make_node("MatMul", ["h", "A"], ["d"]),
                       helper.make_node("Add", ["o", "d"], ["out"])],
                      {"W": net.W.T.copy(), "b": net.b, "A": net.A.T.copy(), "o": net.offset})
    onnx.save(model, str(tmp_path / "m.onnx"))
    back = relucover.Network.read(tmp_path / "m.onnx")
    assert back.W.tobytes() == net.W.tobytes() and back.offset.tobytes() == net.offset.tobytes()


def test_standardisation_in_front_is_folded_in(tmp_path):
    net = network(skip=False)
    mean, scale = np.arange(5.0), np.arange(1.0, 6.0)
    model = hand_made([helper.make_node("Sub", ["in", "m"], ["z"]), helper.make_node("Div", ["z", "s"], ["u"]),
                       helper.make_node("Gemm", ["u", "W", "b"], ["c"], transB=1), helper.make_node("Relu", ["c"], ["h"]),
                       helper.make_node("Gemm", ["h", "A", "o"], ["out"], transB=1)],
                      {"m": mean, "s": scale, "W": net.W, "b": net.b, "A": net.A, "o": net.offset})
    onnx.save(model, str(tmp_path / "m.onnx"))
    x = np.random.default_rng(0).normal(size=(50, 5))
    np.testing.assert_allclose(relucover.Network.read(tmp_path / "m.onnx").predict(x), net.predict((x - mean) / scale), atol=1e-12)


def test_deep_models_are_teachers_not_networks(tmp_path):
    rng = np.random.default_rng(1)
    weights = {"W1": rng.normal(size=(4, 5)), "W2": rng.normal(size=(3, 4)), "W3": rng.normal(size=(2, 3))}
    model = hand_made([helper.make_node("Gemm", ["in", "W1"], ["a"], transB=1), helper.make_node("Relu", ["a"], ["b"]),
                       helper.make_node("Gemm", ["b", "W2"], ["c"], transB=1), helper.make_node("Tanh", ["c"], ["d"]),
                       helper.make_node("Gemm", ["d", "W3"], ["out"], transB=1)], weights)
    onnx.save(model, str(tmp_path / "deep.onnx"))
    teacher = relucover.FeedForward.read(tmp_path / "deep.onnx")
    x = rng.normal(size=(20, 5))
    wanted = np.tanh(np.maximum(x @ weights["W1"].T, 0) @ weights["W2"].T) @ weights["W3"].T
    np.testing.assert_allclose(teacher(x), wanted, atol=1e-13)
    with pytest.raises(relucover.DataError, match="hidden layer|tanh"):
        relucover.Network.read(tmp_path / "deep.onnx")


def test_what_is_not_understood_is_named(tmp_path):
    model = hand_made([helper.make_node("Softplus", ["in"], ["out"], name="last")], {}, outputs=5)
    onnx.save(model, str(tmp_path / "m.onnx"))
    with pytest.raises(relucover.DataError, match="Softplus"):
        relucover.FeedForward.read(tmp_path / "m.onnx")
    (tmp_path / "bad.onnx").write_bytes(b"not a model")
    with pytest.raises(relucover.DataError, match="bad.onnx"):
        relucover.Network.read(tmp_path / "bad.onnx")


def pytorch_model():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    return torch, torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2)), torch.randn(30, 5)


def test_models_of_pytorch():
    _, model, x = pytorch_model()
    net = relucover.network_of(model)
    np.testing.assert_allclose(net.predict(x.numpy().astype(float)), model(x).detach().numpy(), atol=1e-5)


def test_models_exported_by_pytorch(tmp_path):
    torch, model, x = pytorch_model()
    net = relucover.network_of(model)
    try:
        torch.onnx.export(model, x, str(tmp_path / "torch.onnx"))
    except Exception as error:  # Debian's PyTorch may be built without its exporter
        pytest.skip(f"PyTorch can't export here: {error}")
    back = relucover.Network.read(tmp_path / "torch.onnx")
    assert back.W.tobytes() == net.W.tobytes() and back.A.tobytes() == net.A.tobytes()
    assert relucover.FeedForward.read(tmp_path / "torch.onnx").dtype == "float32"


def test_an_answer_says_in_its_file_how_certain_it_is(tmp_path):
    x, y, truth = relucover.sample(inputs=5, units=3, samples=2000, seed=8)
    found = relucover.learn(x, y)
    found.write(tmp_path / "net.onnx")
    asked = relucover.extract(truth.predict, inputs=5)
    asked.write(tmp_path / "asked.onnx", dtype="float32")
    np.savez(tmp_path / "d.npz", x=x, y=y)
    done = subprocess.run([os.environ["RELUCOVER"], "learn", "d.npz", "-o", "cli.onnx"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name, answer in (("net", found), ("asked", asked), ("cli", None)):
        model = onnx.load(str(tmp_path / f"{name}.onnx"))
        onnx.checker.check_model(model, full_check=True)
        about = {entry.key: entry.value for entry in model.metadata_props}
        assert about["relucover.status"] == "exact" and about["relucover.version"] == relucover.__version__
        assert about["relucover.domain"] == (answer.domain if answer else "the 2000 samples of d.npz")
    assert relucover.compare(relucover.Network.read(tmp_path / "net.onnx"), truth)["max_weight_error"] < 1e-10
    with pytest.raises(ValueError, match="float32"):
        found.write(tmp_path / "net.json", dtype="float32")
