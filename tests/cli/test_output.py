"""Output that can't be written is said before the long work; what is there is whole; stops are quick and clean."""
import json
import os
import resource
import signal
import subprocess
import time

import numpy
import pytest

from conftest import AS_ANYBODY, PROGRAM, leftovers, planted

LONG = ["--inputs", "100", "--units", "100", "--samples", "40000"]


@pytest.mark.parametrize("output", ["missing/net.json", "data.npz/net.json", "net.txt", "net", "folder.json"])
def test_learn_refuses_the_output_before_the_work(relucover, tmp_path, data, output):
    (tmp_path / "folder.json").mkdir()
    began = time.monotonic()
    done = relucover("learn", "data.npz", "--units", 2, "-o", output, code=2)
    assert time.monotonic() - began < 20
    assert os.path.basename(output) in done.stderr and done.stdout == ""
    assert leftovers(tmp_path, ["data.npz", "folder.json"]) == []


def test_folder_that_is_not_writable(relucover, tmp_path, data):
    (tmp_path / "locked").mkdir(mode=0o500)
    relucover("learn", "data.npz", "--units", 2, "-o", "locked/net.json", code=2, before=AS_ANYBODY)


@pytest.mark.parametrize("arguments", [["-o", "missing/d.npz"], ["-o", "d.txt"], ["-o", "d.npz", "--truth", "missing/t.json"],
                                       ["-o", "d.npz", "--truth", "t.txt"]])
def test_sample_refuses_the_output(relucover, tmp_path, arguments):
    relucover("sample", "--inputs", 3, "--units", 2, "--samples", 10, *arguments, code=2)
    assert os.listdir(tmp_path) == []


def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


@pytest.mark.parametrize("name", ["d.npz", "d.csv", "d.h5"])
def test_disk_full(relucover, tmp_path, name):
    done = relucover("sample", "--inputs", 3, "--units", 2, "--samples", 5000, "-o", name, code=2, preexec_fn=small_files)
    assert name in done.stderr
    assert os.listdir(tmp_path) == []


def test_standard_output_full(relucover):
    with open("/dev/full", "w") as full:
        done = relucover("methods", code=2, stdout=full)
    assert "standard output" in done.stderr


def test_an_existing_file_is_replaced_whole(relucover, tmp_path, data):
    (tmp_path / "net.json").write_text("old")
    relucover("learn", "data.npz", "--units", 2, "-o", "net.json")
    assert "relucover-network" in (tmp_path / "net.json").read_text()
    assert leftovers(tmp_path, ["data.npz", "net.json"]) == []


@pytest.fixture(scope="module")
def long_data(tmp_path_factory):
    path = tmp_path_factory.mktemp("long") / "long.npz"
    x, y = planted(40000, inputs=100, units=100)
    numpy.savez(path, x=x, y=y)
    return path


def check_best_so_far(folder):
    """Stopped work writes the best network it had, whole, or nothing."""
    assert set(os.listdir(folder)) <= {"net.json"}
    for name in os.listdir(folder):
        network = json.loads((folder / name).read_text())
        assert network["format"] == "relucover-network" and len(network["skip"][0]) == 100


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_within_seconds(tmp_path, long_data, number):
    work = subprocess.Popen([PROGRAM, "learn", long_data, "--units", "100", "-o", "net.json", "--json"], cwd=tmp_path, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        time.sleep(2)
        assert work.poll() is None, "the run is not long enough"
        work.send_signal(number)
        began = time.monotonic()
        out, err = work.communicate(timeout=60)
    finally:
        work.kill()
    assert time.monotonic() - began < 10
    assert work.returncode == 3, err
    assert '"budget_exhausted"' in out
    assert "stopped during" in err
    check_best_so_far(tmp_path)


def test_the_time_limit_stops_within_seconds(relucover, tmp_path, long_data):
    began = time.monotonic()
    done = relucover("learn", long_data, "--units", 100, "--time-limit", 1, "-o", "net.json", "--json", code=3)
    assert time.monotonic() - began < 12
    assert '"budget_exhausted"' in done.stdout and "stopped during" in done.stderr
    check_best_so_far(tmp_path)


def test_a_stopped_sample_leaves_nothing(relucover, tmp_path):
    began = time.monotonic()
    done = relucover("sample", *LONG[:4], "--samples", 100000000, "--time-limit", 1, "-o", "d.npz", code=3)
    assert time.monotonic() - began < 12
    assert "time limit" in done.stderr
    assert os.listdir(tmp_path) == []
