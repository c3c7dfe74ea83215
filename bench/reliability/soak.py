#!/usr/bin/python3
"""Random commands under random faults, for a minute (or SECONDS): after each, exit code documented, outputs whole or absent, statuses true.

usage: soak.py [SECONDS] [SEED]     needs RELUCOVER (the program); FAILING_CALLS (the library to preload) adds failing system calls
"""
import errno
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("RELUCOVER", str(ROOT / "build" / "relucover"))
LIBRARY = os.environ.get("FAILING_CALLS", str(pathlib.Path(PROGRAM).parent / "tests" / "failing_calls.so"))
CALLS = ["open", "read", "pread", "write", "pwrite", "fsync", "rename", "mmap", "fstat", "ftruncate", "close"]
ERRORS = [errno.ENOSPC, errno.EIO, errno.EACCES, errno.ENOMEM, 0]
CODES = {0, 1, 2, 3, 4}


class Truth:
    """A planted network, evaluated by numpy alone."""

    def __init__(self, draw, inputs, units, outputs):
        self.W, self.b = draw.normal(size=(units, inputs)), 0.7 * draw.normal(size=units)
        self.A = draw.choice([-1.0, 1.0], size=(outputs, units)) * draw.uniform(0.5, 1.5, size=(outputs, units))

    def __call__(self, x):
        return numpy.maximum(x @ self.W.T + self.b, 0) @ self.A.T


def evaluate(path, x):
    """A network file, evaluated by numpy alone."""
    net = json.loads(path.read_text())
    array = lambda key, shape: numpy.array(net[key], dtype=float).reshape(shape)
    units, outputs, inputs = len(net["b"]), len(net["offset"]), x.shape[1]
    hidden = numpy.maximum(x @ array("W", (units, inputs)).T + array("b", units), 0)
    return hidden @ array("A", (outputs, units)).T + x @ array("skip", (outputs, inputs)).T + array("offset", outputs)


class Soak:
    def __init__(self, folder, seed):
        self.folder, self.draw, self.rows = folder, random.Random(seed), numpy.random.default_rng(seed)
        self.runs = self.faults = self.kills = self.certified = 0
        self.violations = []

    def problem(self):
        inputs, units, outputs = self.draw.randint(1, 6), self.draw.randint(1, 4), self.draw.choice([1, 1, 1, 2, 3])
        truth = Truth(self.rows, inputs, units, outputs)
        x = self.rows.normal(size=(self.draw.choice([3, 10, 40, 200, 1000]), inputs))
        labels = self.draw.choice(["exact", "exact", "noisy", "random", "constant"])
        y = truth(x)
        if labels == "noisy":
            y = y + 0.05 * self.rows.normal(size=y.shape)
        elif labels == "random":
            y = self.rows.normal(size=y.shape)
        elif labels == "constant":
            y = numpy.ones_like(y)
        numpy.savez(self.folder / "data.npz", x=x, y=y)
        numpy.savetxt(self.folder / "data.csv", numpy.c_[x, y], delimiter=",", comments="",
                      header=",".join([f"x{i}" for i in range(inputs)] + [f"y{i}" for i in range(outputs)]))
        return truth, labels, inputs, units, outputs

    def command(self, units):
        data = self.draw.choice(["data.npz", "data.csv"])
        chosen = self.draw.choice([[], ["--units", str(units)], ["--units", str(units + 1)]])
        more = self.draw.choice([[], ["--checkpoint", "out.state", "--checkpoint-every", "0"], ["--time-limit", "0.2"], ["--method", "robust"]])
        return self.draw.choice([
            ["learn", data, "--json", "--threads", "1", "--starts", "3", "-o", "out.json", *chosen, *more],
            ["learn", data, "--json", "--threads", "2", "--starts", "2", "-o", "out.json", *chosen],
            ["moments", data, "--order", "2", "-o", "out.moments"],
            ["diagnose", data, "--json"],
            ["sample", "--inputs", "3", "--units", "2", "--samples", "100", "-o", self.draw.choice(["out.npz", "out.h5", "out.csv", "out_x.npy"]), "--truth", "out.json"],
            ["extract", "--oracle", "model.onnx", "--json", "--threads", "1", "--first", "200", "--fresh", "100", "--spool", "out.spool", "-o", "out.json"],
        ])

    def run(self, words):
        environment = os.environ | {"TMPDIR": str(self.folder), "OPENBLAS_NUM_THREADS": "1"}
        kind = self.draw.choice(["nothing", "call", "call", "kill", "term"])
        if kind == "call" and os.path.exists(LIBRARY):
            environment |= {"LD_PRELOAD": LIBRARY, "FAIL_CALL": self.draw.choice(CALLS), "FAIL_AT": str(self.draw.randint(1, 6)),
                            "FAIL_WITH": str(self.draw.choice(ERRORS)), "FAIL_UNDER": str(self.folder)}
            self.faults += 1
        program = subprocess.Popen([PROGRAM, *words], cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if kind in ("kill", "term"):
            time.sleep(self.draw.uniform(0, 0.2))
            program.send_signal(signal.SIGKILL if kind == "kill" else signal.SIGTERM)
        try:
            out, said = program.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            program.kill()
            return kind, None, "", "does not end"
        return kind, program.returncode, out, said

    def one(self):
        for name in os.listdir(self.folder):
            if name.startswith("out"):
                (self.folder / name).unlink()
        truth, labels, inputs, units, outputs = self.problem()
        words = self.command(units)
        before = (self.folder / "data.npz").read_bytes()
        kind, code, out, said = self.run(words)
        self.runs += 1
        wrong = lambda what: self.violations.append(f"{' '.join(words)} ({labels}, {kind}): {what}; exit {code}: {said.strip()[-300:]}")
        killed = kind in ("kill", "term") and code in (-signal.SIGKILL, -signal.SIGTERM)
        self.kills += killed
        if not killed and code not in CODES:
            wrong("exit code")
        if "unexpected" in said or "terminate" in said:
            wrong("words")
        if (self.folder / "data.npz").read_bytes() != before:
            wrong("the data changed")
        if not killed and any(".part-" in name or name.startswith("relucover-") for name in os.listdir(self.folder)):
            wrong("something was left behind")
        for name in os.listdir(self.folder):
            if ".part-" in name:
                (self.folder / name).unlink()
        self.outputs_are_whole(wrong)
        # Whoever is stopped while data are read has no result.
        if "--json" in words and not killed and code in (0, 1, 3) and not (kind == "term" and "cancelled; nothing was written" in said):
            self.status_is_true(words, json.loads(out) if out.strip() else None, truth, labels, wrong)

    def outputs_are_whole(self, wrong):
        for name in ("out.npz", "out.moments"):
            if (self.folder / name).exists():
                try:
                    dict(numpy.load(self.folder / name))
                except Exception as problem:
                    wrong(f"{name} is not whole: {problem}")
        if (self.folder / "out.json").exists():
            try:
                json.loads((self.folder / "out.json").read_text())
            except ValueError as problem:
                wrong(f"out.json is not whole: {problem}")

    def status_is_true(self, words, result, truth, labels, wrong):
        if words[0] != "learn":
            return
        if result is None:
            return wrong("no JSON")
        if result["status"] not in ("exact", "recovered"):
            return
        self.certified += 1
        if labels in ("random", "constant"):
            return wrong(f"claims {result['status']}")
        if not (self.folder / "out.json").exists():
            return
        # Between samples: of what lies beyond them nothing is said.
        x = numpy.load(self.folder / "data.npz")["x"]
        share = self.rows.uniform(size=(400, 1))
        fresh = share * x[self.rows.integers(len(x), size=400)] + (1 - share) * x[self.rows.integers(len(x), size=400)]
        wanted = truth(fresh)
        error = numpy.abs(evaluate(self.folder / "out.json", fresh) - wanted).max(axis=1)
        allowed = (1e-6 if result["status"] == "exact" else 0.5) * max(wanted.std(), 1e-3)
        if (error > allowed).mean() > max(0.05, result["figures"].get("unseen_share", 0)):  # what few samples can't tell is stated
            wrong(f"claims {result['status']}, but {100 * (error > allowed).mean():.0f}% of fresh inputs are answered wrongly")


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([PROGRAM, "sample", "--inputs", "3", "--units", "2", "--samples", "10", "-o", "some.npz", "--truth", "model.onnx"], cwd=folder,
                       check=True, capture_output=True)
        soak = Soak(folder, seed)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            soak.one()
    for violation in soak.violations:
        print(violation)
    print(f"{soak.runs} commands, {soak.faults} with a failing call, {soak.kills} killed, {soak.certified} certified: {len(soak.violations)} violations")
    return 1 if soak.violations else 0


if __name__ == "__main__":
    sys.exit(main())
