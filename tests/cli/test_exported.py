"""Models in ONNX files as PyTorch writes them (tests/exported/make.py made them), asked as files and through a program that computes them."""
import sys
from pathlib import Path

import numpy
import pytest

FILES = Path(__file__).resolve().parents[1] / "exported"
sys.path.insert(0, str(FILES))

MODELS = sorted(file.stem for file in FILES.glob("*.onnx"))
UNITS = {"classifier": 16}
LINKS = {"classifier_breast_cancer": "sigmoid", "classifier_digits": "softmax", "classifier_wine": "softmax", "float32_sigmoid": "sigmoid",
         "float32_softmax": "softmax", "float32_log_softmax": "log-softmax"}


def rows_of(name):
    with numpy.load(FILES / "rows.npz") as rows:
        return rows[f"{name}_x"], rows[f"{name}_y"]


def extracted(relucover, relucover_json, tmp_path, name, *oracle):
    """What line 1 of a model handed over whole asks for: exact, the link named, all units, the user's rows as PyTorch computes them."""
    x, y = rows_of(name)
    numpy.savez(tmp_path / "rows.npz", x=x, y=y)
    like = ["--like", "rows.npz"] if "raw" in name else []
    answer = relucover_json("extract", *oracle, *like, "-o", "net.json")
    assert answer["status"] == "exact", answer["message"]
    assert answer["units"] == UNITS.get(name.split("_")[0], 8)
    assert answer["link"] == LINKS.get(name, "identity")
    error = relucover_json("evaluate", "net.json", "rows.npz")["max_abs"]
    assert error < (3e-5 if "float32" in name else 1e-9) * max(1, numpy.abs(y).max())
    return answer


def test_all_kinds_are_there():
    assert len(MODELS) == 14 and set(LINKS) <= set(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_a_file_that_torch_wrote_is_handed_back(relucover, relucover_json, tmp_path, name):
    answer = extracted(relucover, relucover_json, tmp_path, name, "--oracle", FILES / f"{name}.onnx")
    if name == "float32_leaky":
        network = (tmp_path / "net.json").read_text()
        assert '"leaky' in network  # said as what it is, not as ReLUs with a linear part
        assert answer["attempts"] == 1  # as right as the ReLUs it was made from: fresh queries agree at once
    assert ("rows" in answer["domain"]) == ("raw" in name)


@pytest.mark.parametrize("name", ["regressor_diabetes", "pipeline_raw_wine", "float32_softmax"])
def test_a_program_that_computes_such_a_file_is_handed_back(relucover, relucover_json, tmp_path, name):
    pytest.importorskip("onnx")
    x, _ = rows_of(name)
    extracted(relucover, relucover_json, tmp_path, name, "--oracle-command", f"/usr/bin/python3 {FILES / 'compute.py'} {FILES / name}.onnx", "--protocol", "npy",
              "--inputs", x.shape[1], "--batch", 5000)


@pytest.mark.parametrize("name", MODELS)
def test_the_numpy_side_computes_what_torch_did(name):
    pytest.importorskip("onnx")
    import compute

    x, y = rows_of(name)
    assert numpy.abs(compute.read(str(FILES / f"{name}.onnx"))(x) - y).max() < (2e-6 if "float32" in name else 1e-13) * max(1, numpy.abs(y).max())
