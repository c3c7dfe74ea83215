"""Nothing breaks it: few samples, names that clash, streams without end, time limits."""
import json
import os
import signal
import subprocess
import time

import numpy
import pytest
from conftest import AS_ANYBODY, PROGRAM, leftovers, planted, run_program


def few(seed, inputs=3, samples=30, units=4):
    random = numpy.random.default_rng(seed)
    x = random.normal(size=(samples, inputs))
    return x, numpy.maximum(x @ random.normal(size=(inputs, units)), 0) @ random.normal(size=units)


def test_three_samples_of_one_input(relucover, tmp_path):
    (tmp_path / "s.csv").write_text("x,y\n0,0\n1,1\n2,3\n")
    for units in ("auto", 1, 2):
        relucover("learn", "s.csv", "--units", units, "--threads", 1, code=(1, 3))


def test_few_samples_never_end_the_program(relucover, tmp_path):
    for seed in range(30):
        x, y = few(seed, inputs=2 + seed % 5, samples=24 + 8 * (seed % 3))
        numpy.savez(tmp_path / "s.npz", x=x, y=y)
        relucover("learn", "s.npz", "--threads", 1, code=(0, 1, 3))


def test_fewer_samples_than_inputs_with_several_outputs(relucover, tmp_path):
    """Columns that are left out, beside outputs that are weighted, read beyond a row: one run in ten ended by a signal."""
    for seed in range(20):
        random = numpy.random.default_rng(seed)
        numpy.savez(tmp_path / "s.npz", x=random.normal(size=(3, 5)), y=random.normal(size=(3, 3)))
        relucover("learn", "s.npz", "--threads", 1, "--starts", 2, code=(0, 1, 3))


def test_labels_on_few_distinct_points_leave_json_alone(relucover_json, tmp_path):
    random = numpy.random.default_rng(3)
    points, labels = random.normal(size=(5, 4)), random.normal(size=5)
    rows = random.integers(5, size=300)
    numpy.savez(tmp_path / "s.npz", x=points[rows], y=labels[rows])
    relucover_json("learn", "s.npz", "--threads", 1, code=(0, 1, 3))


def test_nothing_is_written_over_what_is_read(relucover, tmp_path, data):
    before = (tmp_path / "data.npz").read_bytes()
    os.symlink("data.npz", tmp_path / "link.npz")
    for output in ("data.npz", "./data.npz", "link.npz"):
        done = relucover("learn", "data.npz", "--units", 2, "-o", output, code=2)
        assert output.split("/")[-1] in done.stderr and "read" in done.stderr
    assert "read" in relucover("learn", "data.npz", "--units", 2, "--checkpoint", "data.npz", code=2).stderr
    relucover("moments", "data.npz", "-o", "a.moments")
    assert "read" in relucover("merge", "a.moments", "-o", "a.moments", code=2).stderr
    assert (tmp_path / "data.npz").read_bytes() == before
    x, y = data
    numpy.save(tmp_path / "in_x.npy", x)
    numpy.save(tmp_path / "in_y.npy", y)
    done = relucover("learn", "in_x.npy", "--task", "lowest-layer", "--hand-on", "in_y.npy", code=2)
    assert "in_y.npy" in done.stderr and "read" in done.stderr


@pytest.mark.parametrize("arguments", [
    ("sample", "--inputs", 2, "--units", 1, "--samples", 9, "-o", "q.npz", "--truth", "q.npz"),
    ("sample", "--inputs", 2, "--units", 1, "--samples", 9, "-o", "q.npz", "--truth", "./q.npz"),
    ("reproduce", "gklw-fig2", "--csv", "q.csv", "--checkpoint", "q.csv"),
])
def test_two_outputs_have_two_names(relucover, tmp_path, arguments):
    assert "two things" in relucover(*arguments, code=2).stderr
    assert leftovers(tmp_path) == []


def test_a_shard_counts_once(relucover, data):
    assert "twice" in relucover("learn", "data.npz", "./data.npz", "--units", 2, code=2).stderr
    assert "twice" in relucover("diagnose", "data.npz", "data.npz", code=2).stderr


def test_links_and_protected_files(relucover, tmp_path):
    make = ("sample", "--inputs", 2, "--units", 1, "--samples", 9, "-o")
    os.symlink("there.npz", tmp_path / "dangling.npz")
    relucover(*make, "dangling.npz")
    assert (tmp_path / "dangling.npz").is_symlink() and (tmp_path / "there.npz").is_file()
    os.symlink("round.npz", tmp_path / "round.npz")
    assert "link" in relucover(*make, "round.npz", code=2).stderr
    (tmp_path / "kept.npz").write_bytes(b"precious")
    (tmp_path / "kept.npz").chmod(0o444)
    for before in ((), AS_ANYBODY):
        assert "protected" in relucover(*make, "kept.npz", code=2, before=before).stderr
    assert (tmp_path / "kept.npz").read_bytes() == b"precious"
    (tmp_path / "private.npz").write_bytes(b"old")
    (tmp_path / "private.npz").chmod(0o600)
    relucover(*make, "private.npz")
    assert (tmp_path / "private.npz").stat().st_mode & 0o777 == 0o600


def stopped_by(signal_number, arguments, feed, after=0.5):
    """How a program that is fed without end takes a signal: exit code, standard error, seconds to the end."""
    feeder = subprocess.Popen(["sh", "-c", feed], stdout=subprocess.PIPE)
    program = subprocess.Popen([PROGRAM, *map(str, arguments)], stdin=feeder.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    feeder.stdout.close()
    try:
        time.sleep(after)
        program.send_signal(signal_number)
        _, said = program.communicate(timeout=60)
    finally:
        program.kill()
        feeder.kill()
        feeder.wait()
    return program.returncode, said


def test_a_stream_without_end_can_be_stopped(tmp_path):
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        code, said = stopped_by(signal_number, ("learn", "-"), "echo x,y; yes 1,2")
        assert code == 3 and "cancelled" in said


def test_a_stream_without_end_obeys_the_time_limit(tmp_path):
    feeder = subprocess.Popen(["sh", "-c", "echo x,y; yes 1,2"], stdout=subprocess.PIPE)
    done = run_program("learn", "-", "--time-limit", 0.5, stdin=feeder.stdout, code=3)
    feeder.kill()
    feeder.wait()
    assert "time limit" in done.stderr


@pytest.mark.parametrize("feed, words", [("yes 1,2,3", "header"), ("cat /dev/zero", "not text")])
def test_a_stream_that_is_no_data_is_refused_at_once(feed, words):
    feeder = subprocess.Popen(["sh", "-c", feed], stdout=subprocess.PIPE)
    done = run_program("learn", "-", stdin=feeder.stdout, code=2, timeout=30)
    feeder.kill()
    feeder.wait()
    assert words in done.stderr
    assert "not text" in run_program("learn", "/dev/zero", code=2, timeout=30).stderr


def test_a_reader_that_does_not_listen_is_ended(tmp_path):
    """Networks are read without anybody to ask; the signal still ends the program."""
    os.mkfifo(tmp_path / "net.json")
    writer = subprocess.Popen(["sh", "-c", f"exec 3> {tmp_path}/net.json; echo '{{' >&3; sleep 60"])
    program = subprocess.Popen([PROGRAM, "signs", str(tmp_path / "net.json")], stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    program.send_signal(signal.SIGTERM)
    _, said = program.communicate(timeout=60)
    writer.kill()
    writer.wait()
    assert program.returncode == 3 and "told to stop" in said


def test_no_temporary_folder(relucover):
    done = relucover("learn", "-", input="x,y\n1,2\n", code=2, env=os.environ | {"TMPDIR": "/nonexistent"})
    assert "TMPDIR" in done.stderr and "unexpected" not in done.stderr


def test_data_that_is_cut_while_it_is_read(tmp_path):
    x, y = planted(samples=400000, inputs=20, units=8)
    numpy.savez(tmp_path / "data.npz", x=x, y=y)
    program = subprocess.Popen([PROGRAM, "learn", str(tmp_path / "data.npz"), "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while "samples" not in program.stderr.readline():
        pass
    os.truncate(tmp_path / "data.npz", 4096)
    _, said = program.communicate(timeout=120)
    assert program.returncode == 2 and "shorter" in said


def test_an_oracle_without_an_answer_is_quoted_with_its_query(relucover, tmp_path):
    (tmp_path / "oracle.py").write_text(
        "import sys\nfor at, line in enumerate(sys.stdin):\n    print('nan' if at == 50 else sum(map(float, line.split())), flush=True)\n")
    done = relucover("extract", "--oracle-command", "python3 oracle.py", "--inputs", 3, "--batch", 1000, code=2)
    assert "query 50" in done.stderr


def test_reproduce_keeps_finished_rows(relucover, tmp_path):
    whole = relucover("reproduce", "gklw-fig2", "--trials", 1, "--points", 3, "--threads", 1, "--csv", "whole.csv").stdout
    # As long as one row is finished and another is not: a limit by the clock, raised until that is so.
    limit = 0.5
    while True:
        stopped = relucover("reproduce", "gklw-fig2", "--trials", 1, "--points", 3, "--threads", 1, "--time-limit", limit,
                            "--csv", "part.csv", "--checkpoint", "rows.state", code=(0, 3))
        rows = len(stopped.stdout.splitlines()) - 1
        if rows > 0 or stopped.returncode == 0:
            break
        limit *= 1.5
    assert whole.splitlines()[1].split() == stopped.stdout.splitlines()[1].split()
    assert (tmp_path / "part.csv").read_text() == "".join((tmp_path / "whole.csv").read_text().splitlines(True)[:rows + 1])
    if stopped.returncode == 3:
        assert f"{rows} of 3 rows" in stopped.stderr
    relucover("reproduce", "gklw-fig2", "--trials", 1, "--points", 3, "--threads", 1, "--resume", "rows.state", "--csv", "part.csv")
    assert (tmp_path / "part.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert "other work" in relucover("reproduce", "gklw-fig2", "--trials", 2, "--points", 3, "--resume", "rows.state", code=2).stderr


def test_two_programs_with_one_output(tmp_path):
    """One of them wins whole."""
    x, y = planted(samples=1000)
    numpy.savez(tmp_path / "data.npz", x=x, y=y)
    for _ in range(3):
        both = [subprocess.Popen([PROGRAM, "learn", "data.npz", "--units", units, "--threads", "1", "-o", "net.json"], cwd=tmp_path,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for units in ("2", "3")]
        assert all(program.wait(timeout=120) in (0, 1) for program in both)
        assert len(json.loads((tmp_path / "net.json").read_text())["W"]) in (2, 3)
        assert leftovers(tmp_path) == ["data.npz", "net.json"]
