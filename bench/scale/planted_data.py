"""Large planted data on disk, and programs run with their time and peak memory measured."""
import dataclasses
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy

PROGRAM = os.environ.get("RELUCOVER", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "relucover"))


def write_planted(folder, inputs, units, samples, seed, bias=0.5, chunk=1 << 14):
    """x.npy (float32 inputs), y.npy (float64 labels, without noise) and truth.json; nothing larger than a chunk in memory."""
    random = numpy.random.default_rng(seed)
    weights = random.standard_normal((units, inputs))
    weights /= numpy.linalg.norm(weights, axis=1, keepdims=True)
    biases = bias * random.standard_normal(units)
    outputs = random.uniform(0.5, 1.5, units) * random.choice([-1, 1], units)
    names = [os.path.join(folder, name) for name in ["x.npy", "y.npy", "truth.json"]]
    x = numpy.lib.format.open_memmap(names[0], mode="w+", dtype=numpy.float32, shape=(samples, inputs))
    y = numpy.lib.format.open_memmap(names[1], mode="w+", dtype=numpy.float64, shape=(samples,))
    for first in range(0, samples, chunk):
        rows = slice(first, min(first + chunk, samples))
        x[rows] = random.standard_normal((rows.stop - first, inputs), dtype=numpy.float32)
        y[rows] = numpy.maximum(x[rows].astype(float) @ weights.T + biases, 0) @ outputs
    x.flush()
    y.flush()
    network = {"format": "relucover-network", "version": 1, "activation": "relu", "W": weights.tolist(), "b": biases.tolist(),
               "A": [outputs.tolist()], "skip": [[0.0] * inputs], "offset": [0.0]}
    pathlib.Path(names[2]).write_text(json.dumps(network))
    return names


@dataclasses.dataclass
class Run:
    stdout: str
    seconds: float
    peak_bytes: int  # of all memory, pages of mapped files that were read included
    peak_own_bytes: int  # without mapped files
    code: int


def own_bytes(pid):
    """Memory of a process that is not a mapped file."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def measured(command, **options):
    """Runs a program to its end. Its own memory is looked at every 10 ms."""
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, **options)
        own, pid = 0, 0
        while pid == 0:
            own = max(own, own_bytes(process.pid))
            time.sleep(0.01)
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return Run(output.read(), seconds, usage.ru_maxrss * 1024, own, process.returncode)
