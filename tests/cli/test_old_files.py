"""Files that earlier releases wrote are read for ever; those of a newer one are refused in words."""
import json
import pathlib
import shutil

import numpy
import pytest

OLD = pathlib.Path(__file__).resolve().parents[1] / "old_files"
RELEASES = sorted(path for path in OLD.iterdir() if path.is_dir())
TRUTH = "network.json"


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def release(request, tmp_path):
    shutil.copytree(request.param, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_there_are_some():
    assert any(release.name == "0.1.0" for release in RELEASES)


@pytest.mark.parametrize("network", ["network.json", "network.npz", "network.onnx"])
def test_networks_and_samples(relucover_json, release, network):
    for data in ("data.npz", "data.csv", "data.h5"):
        assert relucover_json("evaluate", network, data)["relative"] < 1e-12
    assert relucover_json("compare", TRUTH, network)["max_weight_error"] < 1e-12


def test_moments_answers_and_first_layers(relucover, release):
    relucover("merge", "all.moments", "-o", "again.moments")
    done = relucover("extract", "--oracle", "network.onnx", "--threads", 1, "--first", 30, "--budget", 30, "--fresh", 0, "--units", 2,
                     "--spool", "answers", code=(0, 1, 3))
    assert "30 from the spool" in done.stdout
    relucover("sample-threshold", "--model", "first_layer.json", "--samples", 5, "-o", "more.npz")


def test_newer_files_say_so(relucover, release):
    for name in ("network.npz", "all.moments"):
        arrays = dict(numpy.load(release / name))
        arrays["version"] = numpy.int64(99)
        with open(release / f"new-{name}", "wb") as file:
            numpy.savez(file, **arrays)
    assert "newer" in relucover("evaluate", "new-network.npz", "data.npz", code=2).stderr
    assert "newer" in relucover("merge", "new-all.moments", "-o", "sum.moments", code=2).stderr
    header, answers = (release / "answers").read_bytes().split(b"\n", 1)
    (release / "new-answers").write_bytes(json.dumps({**json.loads(header), "version": 99}).encode() + b"\n" + answers)
    assert "newer" in relucover("extract", "--oracle", "network.onnx", "--spool", "new-answers", code=2).stderr
    (release / "new.state").write_bytes(b"relucover checkpoint 99\nsomething else")
    assert "newer" in relucover("learn", "data.npz", "--units", 2, "--resume", "new.state", code=2).stderr
    for name, command in (("network.json", ("evaluate", "new-network.json", "data.npz")),
                          ("first_layer.json", ("sample-threshold", "--model", "new-first_layer.json", "--samples", 5, "-o", "more.npz"))):
        (release / f"new-{name}").write_text(json.dumps({**json.loads((release / name).read_text()), "version": 99}))
        assert "version" in relucover(*command, code=2).stderr
