"""The functional interface on numpy arrays, files and the command line's terms."""
import doctest
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import relucover


@pytest.fixture(scope="module")
def planted():
    return relucover.sample(inputs=8, units=4, samples=3000, seed=2)


def same_bytes(one, other):
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in ("W", "b", "A", "skip", "offset"))


def test_learn_recovers_exactly(planted):
    x, y, truth = planted
    result = relucover.learn(x, y, units=4, seed=1)
    assert result.status == "exact"
    errors = relucover.compare(truth, result.network)
    assert errors["units_matched"] == 4
    assert max(errors["max_weight_error"], errors["max_bias_error"], errors["max_output_error"]) < 1e-10


def test_threads_and_memory_layout_do_not_change_a_bit(planted):
    x, y, _ = planted
    one = relucover.learn(x, y, units=4, threads=1).network
    assert same_bytes(one, relucover.learn(np.asfortranarray(x), y[:, 0], units=4, threads=2).network)
    wide = np.zeros((len(x), 11))
    wide[:, :8] = x
    assert same_bytes(one, relucover.learn(wide[:, :8], y, units=4, threads=1).network)


def test_float32_is_kept(planted):
    x, _, truth = planted
    x32 = x.astype(np.float32)
    y32 = truth.predict(x32)
    assert y32.dtype == np.float32
    result = relucover.learn(x32, y32, units=4)
    assert relucover.compare(truth, result.network)["max_weight_error"] < 1e-5


def test_misuse_is_a_value_error(planted):
    x, y, _ = planted
    for arguments, keywords in [((x, y[:10]), {}), ((x[0], y), {}), ((x, y), {"units": -1}), ((x, y), {"method": "no such"}),
                                ((x, y), {"units": "some"}), ((x, y), {"time_limit": -1})]:
        with pytest.raises(ValueError):
            relucover.learn(*arguments, **keywords)


def test_what_data_can_cause_is_a_status():
    x = np.random.default_rng(0).normal(size=(50, 3))
    assert relucover.learn(x, np.full(50, np.nan)).status == "assumption_failed"
    assert relucover.learn(x, np.ones(50)).status == "assumption_failed"
    assert relucover.learn(x[:0], np.zeros(0)).status == "assumption_failed"


def test_files_as_on_the_command_line(planted, tmp_path):
    x, y, _ = planted
    np.savez(tmp_path / "data.npz", x=x, y=y)
    assert same_bytes(relucover.learn(tmp_path / "data.npz", units=4).network, relucover.learn(x, y, units=4).network)
    with pytest.raises(relucover.DataError):
        relucover.learn(tmp_path / "missing.npz")


@pytest.mark.parametrize("extension", ["json", "npz", "onnx"])
def test_network_files_keep_every_bit(planted, tmp_path, extension):
    path = tmp_path / f"net.{extension}"
    planted[2].write(path)
    assert same_bytes(planted[2], relucover.Network.read(path))


def test_pickles_are_versioned(planted):
    truth = planted[2]
    assert same_bytes(truth, pickle.loads(pickle.dumps(truth)))
    with pytest.raises(ValueError, match="another version"):
        relucover.Network.__new__(relucover.Network).__setstate__((99,) + truth.__getstate__()[1:])


def test_progress_is_told_and_what_it_raises_comes_out(planted):
    x, y, _ = planted
    seen = []
    relucover.learn(x, y, units=4, verbose=lambda stage, fraction, detail: seen.append(stage))
    assert seen

    def fails(stage, fraction, detail):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        relucover.learn(x, y, units=4, verbose=fails)


def test_interrupt_stops_a_long_search():
    x = np.random.default_rng(0).normal(size=(20000, 30))
    y = np.sin(x).sum(axis=1) * np.cos(x[:, 0] * 3)
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        relucover.learn(x, y, units=100, starts=10000)
    timer.cancel()


def test_diagnose_sees_gaussian_inputs(planted):
    x, y, _ = planted
    found = relucover.diagnose(x, y)
    assert found["gaussian"]["passed"] and found["looks_like"].startswith("kinked: one hidden layer")
    found = relucover.diagnose(x**3, y, look=0)
    assert not found["gaussian"]["passed"] and "looks_like" not in found


def test_same_bytes_as_the_command_line(planted, tmp_path):
    program = os.environ["RELUCOVER"]
    run = subprocess.run([program, "sample", "--inputs", "8", "--units", "4", "--samples", "3000", "--seed", "2", "-o",
                          tmp_path / "data.npz", "--truth", tmp_path / "truth.json"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    data = np.load(tmp_path / "data.npz")
    assert data["x"].tobytes() == planted[0].tobytes() and data["y"].tobytes() == planted[1].tobytes()
    run = subprocess.run([program, "learn", tmp_path / "data.npz", "--units", "4", "--seed", "5", "-o", tmp_path / "net.json"],
                         capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    ours = relucover.learn(planted[0], planted[1], units=4, seed=5).network
    assert same_bytes(ours, relucover.Network.read(tmp_path / "net.json"))


def test_import_does_not_import_scikit_learn():
    code = "import sys, relucover; assert 'sklearn' not in sys.modules and 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("module", ["relucover", "relucover._core", "relucover.functions", "relucover.convert", "relucover.activity",
                                    "relucover.regressor", "relucover.classifier", "relucover.serve"])
def test_docstrings_run(module):
    failed, tried = doctest.testmod(__import__(module, fromlist=["_"]))
    assert failed == 0 and tried > 0
