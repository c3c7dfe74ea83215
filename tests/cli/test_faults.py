"""Every system call that concerns a file fails in turn: words and a documented exit code, outputs whole or absent, and the next run works."""
import errno
import os
import subprocess

import numpy
import pytest
from conftest import PROGRAM, planted

LIBRARY = os.environ.get("FAILING_CALLS", "")
pytestmark = pytest.mark.skipif(not os.path.exists(LIBRARY) or "asan" in LIBRARY, reason="FAILING_CALLS names the library to be preloaded")

FAULTS = [("open", errno.EACCES), ("open", errno.EMFILE), ("open", errno.ENOENT), ("read", errno.EIO), ("read", 0), ("pread", errno.EIO), ("pread", 0),
          ("write", errno.ENOSPC), ("write", 0), ("pwrite", errno.ENOSPC), ("pwrite", 0), ("fsync", errno.EIO), ("fdatasync", errno.EIO),
          ("rename", errno.EACCES), ("mmap", errno.ENOMEM), ("fstat", errno.EIO), ("ftruncate", errno.EIO), ("close", errno.EIO)]
MOST = 5  # of each call in a command: more of them are alike


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    x, y = planted(samples=300, inputs=3, units=2)
    numpy.savez(folder / "data.npz", x=x, y=y)
    numpy.savez_compressed(folder / "packed.npz", x=x, y=y)
    numpy.savetxt(folder / "data.csv", numpy.c_[x, y], delimiter=",", header="a,b,c,y", comments="")
    run = lambda *words: subprocess.run([PROGRAM, *words], cwd=folder, check=True, capture_output=True)
    run("learn", "data.npz", "--units", "2", "--threads", "1", "-o", "net.json")
    run("learn", "data.npz", "--units", "2", "--threads", "1", "-o", "net.onnx")
    run("sample", "--inputs", "3", "--units", "2", "--samples", "300", "-o", "data.h5")
    run("moments", "data.npz", "-o", "one.moments")
    return folder


COMMANDS = {
    "learn-npz": (["learn", "data.npz", "--units", "2", "--threads", "1", "--starts", "2", "-o", "out.json"], ["out.json"]),
    "learn-packed": (["evaluate", "net.json", "packed.npz"], []),
    "learn-csv": (["learn", "data.csv", "--units", "2", "--threads", "1", "--starts", "2", "-o", "out.npz", "--checkpoint", "out.state", "--checkpoint-every", "0"], ["out.npz", "out.state"]),
    "learn-h5": (["learn", "data.h5", "--units", "2", "--threads", "1", "--starts", "2", "-o", "out.onnx"], ["out.onnx"]),
    "sample-npy": (["sample", "--inputs", "3", "--units", "2", "--samples", "50", "--threads", "1", "-o", "out_x.npy"], ["out_x.npy", "out_y.npy"]),
    "sample-csv": (["sample", "--inputs", "3", "--units", "2", "--samples", "50", "--threads", "1", "-o", "out.csv"], ["out.csv"]),
    "moments": (["moments", "data.npz", "--threads", "1", "-o", "out.moments"], ["out.moments"]),
    "merge": (["merge", "one.moments", "-o", "out.moments"], ["out.moments"]),
    "compare": (["compare", "net.json", "net.onnx"], []),
    "extract": (["extract", "--oracle", "net.onnx", "--threads", "1", "--first", "200", "--fresh", "100", "--spool", "out.spool", "-o", "out.json"], ["out.spool", "out.json"]),
}


def run(folder, words, fault=None):
    environment = os.environ | {"TMPDIR": str(folder)}
    if fault:
        call, at, error = fault
        environment |= {"LD_PRELOAD": LIBRARY, "FAIL_CALL": call, "FAIL_AT": str(at), "FAIL_WITH": str(error), "FAIL_UNDER": str(folder),
                        "FAIL_MARK": str(folder / "mark")}
    return subprocess.run([PROGRAM, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def clear(folder, outputs):
    for name in [*outputs, "mark"]:
        (folder / name).unlink(missing_ok=True)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_call_fails_in_turn(folder, name):
    words, outputs = COMMANDS[name]
    clear(folder, outputs)
    inputs = set(os.listdir(folder))
    assert run(folder, words).returncode in (0, 1)
    whole = {output: (folder / output).read_bytes() for output in outputs}
    happened = 0
    there_are = {}  # of each call: as many whatever it fails with
    for call, error in FAULTS:
        for at in range(1, there_are.get(call, MOST) + 1):
            clear(folder, outputs)
            done = run(folder, words, (call, at, error))
            about = f"{name}: {call} number {at} fails with {errno.errorcode.get(error, 'a short count')}\nexit {done.returncode}\n{done.stderr}"
            if not (folder / "mark").exists():
                there_are[call] = at - 1
                break
            happened += 1
            assert done.returncode in (0, 1, 2, 3), about
            assert "unexpected" not in done.stderr, about
            assert done.returncode in (0, 1) or done.stderr.strip(), about
            clear(folder, [])
            for output in outputs:
                # A file of answers or state holds what had come; the others are whole or not there.
                if (folder / output).exists() and not output.endswith((".spool", ".state")):
                    assert (folder / output).read_bytes() == whole[output], about
            left = set(os.listdir(folder)) - inputs - set(outputs)
            assert not left, about + str(left)
            if error == 0:
                assert done.returncode in (0, 1), about  # a short or interrupted call is only repeated
    assert happened > 0
    clear(folder, outputs)
    assert run(folder, words).returncode in (0, 1)
    assert {output: (folder / output).read_bytes() for output in outputs} == whole
    print(f"{name}: {happened} failing calls survived")
