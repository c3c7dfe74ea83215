"""Checkpoints and ranks through the command line: whatever happens on the way, the same bytes come out."""
import json
import os
import random
import shutil
import signal
import subprocess
import time

import numpy
import pytest
from conftest import PROGRAM, run_program

# MPI keeps memory to the end, in libraries that are gone by then: a leak to the sanitizer.
WITHOUT_ITS_LEAKS = "ASAN_OPTIONS=" + os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-x", WITHOUT_ITS_LEAKS, "-n"]


@pytest.fixture(scope="module")
def problem(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale")
    data = folder / "d.npz"
    run_program("sample", "--inputs", 30, "--units", 8, "--samples", 12000, "--seed", 4, "-o", data, "--truth", folder / "t.json")
    run_program("learn", data, "--units", 8, "--threads", 1, "-o", folder / "alone.json")
    return folder, data, (folder / "alone.json").read_bytes()


def test_killed_and_resumed_ends_with_the_same_bytes(problem, tmp_path):
    _, data, alone = problem
    state, net = tmp_path / "s.state", tmp_path / "n.json"
    command = [PROGRAM, "learn", str(data), "--units", "8", "--threads", "1", "-o", str(net),
               "--checkpoint", str(state), "--checkpoint-every", "0"]
    draw = random.Random(1)
    kills = 0
    for _ in range(30):
        process = subprocess.Popen(command + (["--resume", str(state)] if state.exists() else []),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=draw.uniform(0.1, 0.8) * (1 + kills / 4))
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
    assert process.returncode == 0
    assert kills > 0
    assert net.read_bytes() == alone


def test_terminated_keeps_its_state_and_says_where(relucover, problem, tmp_path):
    _, data, alone = problem
    state, net = tmp_path / "s.state", tmp_path / "n.json"
    stopped = relucover("learn", data, "--units", 8, "--time-limit", 0.2, "--threads", 1, "-o", net, "--checkpoint", state, code=3)
    assert str(state) in stopped.stdout
    relucover("learn", data, "--units", 8, "--threads", 1, "-o", net, "--resume", state)
    assert net.read_bytes() == alone
    refused = relucover("learn", data, "--units", 7, "--resume", state, code=2)
    assert "units was 8, here units is 7" in refused.stderr


def test_stopped_again_after_a_resume_writes_the_best_network_there_is(relucover, relucover_json, problem, tmp_path):
    _, data, _ = problem
    state, net = tmp_path / "s.state", tmp_path / "n.json"
    for where in ("--checkpoint", "--resume"):
        answer = relucover_json("learn", data, "--units", 40, "--threads", 1, "--time-limit", 1.5, where, state, "-o", net, code=3)
        assert answer["status"] == "budget_exhausted"
    assert 0 < answer["residual_relative"] < 1
    # measured on some of the samples, so that stopping takes no time
    assert relucover_json("evaluate", net, data)["relative"] == pytest.approx(answer["residual_relative"], rel=0.2)


def learn_on_ranks(ranks, *arguments):
    assert shutil.which("mpirun"), "packages.txt has openmpi-bin"
    return subprocess.run(MPIRUN + [str(ranks), PROGRAM, "learn", *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          env=os.environ | {"OMPI_MCA_rmaps_base_oversubscribe": "1"})


@pytest.mark.parametrize("ranks", [2, 3, 40])
def test_ranks_write_the_same_bytes(problem, tmp_path, ranks):
    _, data, alone = problem
    net = tmp_path / "n.json"
    done = learn_on_ranks(ranks, data, "--units", 8, "--threads", 1, "-o", net)
    assert done.returncode == 0, done.stderr
    assert net.read_bytes() == alone
    assert done.stdout.count("status ") == 1, "only one rank speaks"


def test_threads_and_ranks_write_the_same_bytes_of_a_million_samples(tmp_path):
    data = tmp_path / "d.npz"
    run_program("sample", "--inputs", 5, "--units", 3, "--samples", 1000000, "--seed", 4, "-o", data)
    run_program("learn", data, "--units", 3, "--threads", 1, "-o", tmp_path / "alone.json")
    alone = (tmp_path / "alone.json").read_bytes()
    for threads in (2, 3):
        run_program("learn", data, "--units", 3, "--threads", threads, "-o", tmp_path / "n.json")
        assert (tmp_path / "n.json").read_bytes() == alone, f"{threads} threads"
    for ranks, threads in [(2, 2), (5, 1), (64, 1)]:
        done = learn_on_ranks(ranks, data, "--units", 3, "--threads", threads, "-o", tmp_path / "n.json")
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "n.json").read_bytes() == alone, f"{ranks} ranks of {threads} threads"


def test_a_rank_that_dies_takes_the_others_down(relucover, tmp_path):
    data, state = tmp_path / "d.npz", tmp_path / "s.state"
    relucover("sample", "--inputs", 60, "--units", 20, "--samples", 30000, "--seed", 1, "-o", data)
    process = subprocess.Popen(MPIRUN + ["2", PROGRAM, "learn", str(data), "--units", "20", "--threads", "1",
                                         "-o", str(tmp_path / "n.json"), "--checkpoint", str(state), "--checkpoint-every", "0"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    begin = time.monotonic()
    while not state.exists() and time.monotonic() - begin < 120:
        time.sleep(0.1)
    assert state.exists()
    children = subprocess.run(["pgrep", "-P", str(process.pid), "-f", "relucover"], capture_output=True, text=True).stdout.split()
    os.kill(int(children[-1]), signal.SIGKILL)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "rank" in stderr
    if (tmp_path / "n.json").exists():  # the best there was, whole
        assert json.loads((tmp_path / "n.json").read_text())["format"] == "relucover-network"
    relucover("learn", data, "--units", 20, "--threads", 1, "--time-limit", 0.5, "--resume", state, code=3)  # is usable


def test_bad_input_on_all_ranks_is_said_once(tmp_path):
    done = subprocess.run(MPIRUN + ["2", PROGRAM, "learn", str(tmp_path / "nothing.npz"), "--units", "2"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert done.stderr.count("nothing.npz") == 1


def test_moments_of_shards_are_merged_and_learned_from(relucover, tmp_path):
    relucover("sample", "--inputs", 12, "--units", 6, "--samples", 200000, "-o", "data.npz", "--truth", "truth.json")
    with numpy.load(tmp_path / "data.npz") as data:
        x, y = data["x"], data["y"]
    for name, part in [("one", slice(0, 80000)), ("two", slice(80000, None)), ("few", slice(0, 3000))]:
        numpy.savez(tmp_path / f"{name}.npz", x=x[part], y=y[part])
    for name in ["one", "two"]:
        relucover("moments", tmp_path / f"{name}.npz", "-o", tmp_path / f"{name}.moments")
    relucover("merge", tmp_path / "one.moments", tmp_path / "two.moments", "-o", tmp_path / "all.moments")
    rough = json.loads(relucover("learn", tmp_path / "all.moments", "--units", 6, "--json", code=1).stdout)
    assert rough["residual_relative"] is None  # nobody knows without samples
    assert rough["status"] == "approximate" and rough["samples"] == 200000 and rough["units"] == 6
    exact = json.loads(relucover("learn", tmp_path / "few.npz", "--moments", tmp_path / "all.moments", "--units", 6, "-o", tmp_path / "n.json", "--json").stdout)
    assert exact["status"] == "exact"
    errors = json.loads(relucover("compare", tmp_path / "truth.json", tmp_path / "n.json", "--json").stdout)
    assert max(errors[key] for key in ["max_weight_error", "max_bias_error", "max_output_error"]) < 1e-10


def test_moments_that_do_not_go_together_are_refused(relucover, tmp_path):
    relucover("sample", "--inputs", 3, "--units", 2, "--samples", 500, "-o", "data.npz", "--truth", "truth.json")
    relucover("moments", tmp_path / "data.npz", "-o", tmp_path / "four.moments")
    relucover("moments", tmp_path / "data.npz", "--order", 2, "-o", tmp_path / "two.moments")
    done = relucover("merge", tmp_path / "four.moments", tmp_path / "two.moments", "-o", tmp_path / "all.moments", code=2)
    assert "two.moments" in done.stderr and "order" in done.stderr
    assert not (tmp_path / "all.moments").exists()
    done = relucover("learn", tmp_path / "two.moments", "--units", 2, code=2)
    assert "--order" in done.stderr
    content = (tmp_path / "four.moments").read_bytes()
    (tmp_path / "short.moments").write_bytes(content[:len(content) // 2])
    relucover("learn", tmp_path / "short.moments", code=2)
    relucover("learn", tmp_path / "data.npz", "--moments", tmp_path / "data.npz", code=2)
    relucover("moments", tmp_path / "data.npz", "-o", tmp_path / "moments.txt", code=2)
    assert "twice" in relucover("merge", "four.moments", tmp_path / "four.moments", "-o", "all.moments", code=2).stderr
    assert "--moments" in relucover("learn", "four.moments", "data.npz", code=2).stderr
    assert "checkpoint" in relucover("learn", "four.moments", "--checkpoint", "s.state", code=2).stderr
    assert "--moments" in relucover("learn", "--from-network", "truth.json", "--moments", "four.moments", code=2).stderr


def test_a_rank_that_is_stopped_ends_all_within_the_time_out(relucover, tmp_path):
    data, state = tmp_path / "d.npz", tmp_path / "s.state"
    relucover("sample", "--inputs", 60, "--units", 20, "--samples", 30000, "--seed", 1, "-o", data)
    process = subprocess.Popen(MPIRUN + ["2", PROGRAM, "learn", str(data), "--units", "20", "--threads", "1", "--rank-timeout", "10",
                                         "--checkpoint", str(state), "--checkpoint-every", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    begin = time.monotonic()
    while not state.exists() and time.monotonic() - begin < 120:
        time.sleep(0.1)
    children = subprocess.run(["pgrep", "-P", str(process.pid), "-f", "relucover"], capture_output=True, text=True).stdout.split()
    os.kill(int(children[-1]), signal.SIGSTOP)
    _, stderr = process.communicate(timeout=120)
    assert process.returncode != 0
    assert "no sign of life" in stderr


def test_ranks_that_see_other_data_say_so(relucover, tmp_path):
    for rank in (0, 1):
        (tmp_path / str(rank)).mkdir()
        relucover("sample", "--inputs", 5, "--units", 2, "--samples", 1000, "--seed", rank, "-o", tmp_path / str(rank) / "d.npz")
    script = f'cd {tmp_path}/$OMPI_COMM_WORLD_RANK && exec {PROGRAM} learn d.npz --units 2 --threads 1'
    done = subprocess.run(MPIRUN + ["2", "sh", "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "rank 1 sees other data" in done.stderr
