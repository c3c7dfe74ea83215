"""Allocations fail in turn inside of Python: MemoryError or what is documented, never the end of the process, and the next call works."""
import os
import subprocess
import sys

import pytest

LIBRARY = os.environ.get("FAILING_ALLOCATIONS", "")
pytestmark = pytest.mark.skipif(not os.path.exists(LIBRARY), reason="FAILING_ALLOCATIONS names the library to be preloaded")

WORK = """
import ctypes, os, sys
import numpy
import relucover

allocator = ctypes.CDLL(sys.argv[2])
allocator.stop_failing.restype = ctypes.c_long
folder, name, most = sys.argv[1], sys.argv[3], int(sys.argv[4])
x, y, truth = relucover.sample(inputs=3, units=2, samples=200, seed=1)
path = lambda ending: os.path.join(folder, "file." + ending)
numpy.savez(path("npz"), x=x, y=y)
numpy.savetxt(path("csv"), numpy.c_[x, y], delimiter=",", header="a,b,c,y", comments="")
for ending in ("json", "onnx"):
    truth.write(path(ending))
relucover.moments(x, y, order=2).write(path("moments"))

def written(ending):
    truth.write(path("again." + ending))
    return relucover.Network.read(path("again." + ending)).W.tolist()

learned = relucover.learn(x, y, units=2, threads=1, starts=1)
jobs = {
    "learn": lambda: relucover.learn(x, y, units=2, threads=1, starts=1).status,
    "extract": lambda: relucover.extract(truth.predict, inputs=3, units=2, threads=1, starts=1, first=200, fresh=50, budget=400),
    "compare": lambda: relucover.compare(truth, truth)["units_matched"],
    "diagnose": lambda: relucover.diagnose(x, y)["samples"],
    "predict": lambda: truth.predict(x),
    "read npz": lambda: relucover.diagnose(path("npz"), look=0)["samples"],
    "read csv": lambda: relucover.diagnose(path("csv"), look=0)["samples"],
    "json": lambda: written("json"),
    "onnx": lambda: written("onnx"),
    "result": learned.json,
    "moments": lambda: relucover.PowerSums.read(path("moments")).samples,
}
job = jobs[name]

def plain(said):
    if isinstance(said, relucover.Extraction):
        return said.result.status  # not inside of the job: pybind11 2.10 crashes where there is no memory for what one object owns of another
    return said.tolist() if isinstance(said, numpy.ndarray) else said

expected = plain(job())
assert plain(job()) == expected

def stopped():
    while True:  # to ask for the end takes memory too
        try:
            return allocator.stop_failing()
        except MemoryError:
            pass

allocator.fail_allocations(0, 0)
job()
allocations = stopped()
survived = 0
for many in (1, 200):
    for at in range(1, allocations + 1, max(1, allocations // most)):
        said = None
        allocator.fail_allocations(at, many)
        try:
            said = job()
        except (MemoryError, relucover.DataError):
            pass
        stopped()
        assert plain(said) in (None, expected, "budget_exhausted", "assumption_failed", "approximate"), (at, said)
        assert not any(".part-" in left for left in os.listdir(folder)), os.listdir(folder)
        again = plain(job())
        assert again == expected, (at, again)
        survived += 1
assert survived > 0
print(f"{name}: {allocations} allocations, {survived} failures survived")
"""

JOBS = ["learn", "extract", "compare", "diagnose", "predict", "read npz", "read csv", "json", "onnx", "result", "moments"]


@pytest.mark.parametrize("name", JOBS)
def test_every_allocation_fails_in_turn(tmp_path, name):
    done = subprocess.run([sys.executable, "-c", WORK, str(tmp_path), LIBRARY, name, "300"], env=os.environ | {"LD_PRELOAD": LIBRARY}, capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr[-2000:]}"
    assert "failures survived" in done.stdout
    print(done.stdout.strip())
