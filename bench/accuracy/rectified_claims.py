#!/usr/bin/python3
"""Claims about rectified activations with noise: how often a right model is `recovered`, how often a wrong one is (never, it should be).

bench/accuracy/rectified_claims.py [--seeds 20] [--program build/relucover]
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy

METHODS = {"square": ("rectified-square", lambda t: numpy.maximum(t, 0) ** 2), "cube": ("rectified-cube", lambda t: numpy.maximum(t, 0) ** 3),
           "exponential": ("rectified-exponential", lambda t: numpy.expm1(numpy.maximum(t, 0)))}
KINDS = ["right", "fewer outputs than units", "heavy tails", "noise that grows", "a weak unit more", "biases", "another power", "an affine part", "a sine"]
WRONG = {"a weak unit more", "biases", "another power", "an affine part", "a sine"}


def planted(kind, f, seed):
    random = numpy.random.default_rng(seed)
    inputs, units, samples = random.integers(4, 9), random.integers(2, 5), int(random.choice([3000, 10000, 30000]))
    outputs = max(2, units - 1) if kind == "fewer outputs than units" else units + random.integers(0, 3)
    W = random.standard_normal((units, inputs))
    W /= numpy.linalg.norm(W, axis=1, keepdims=True)
    A = random.choice([-1, 1], (outputs, units)) * random.uniform(0.5, 1.5, (outputs, units))
    x = random.standard_normal((samples, inputs))
    drive, g = x @ W.T, f
    if kind == "biases":
        drive = drive + random.uniform(0.1, 0.4) * random.standard_normal(units)
    if kind == "another power":
        power = random.uniform(0.85, 0.95)
        g = lambda t: f(t) ** power
    y = g(drive) @ A.T
    size = numpy.sqrt(numpy.mean(y ** 2))
    if kind == "a weak unit more":
        u = random.standard_normal(inputs)
        y = y + random.uniform(0.1, 0.5) * numpy.outer(f(x @ u / numpy.linalg.norm(u)), A[:, 0])
    if kind == "an affine part":
        y = y + 0.2 * size * (x @ random.standard_normal((inputs, outputs)) / numpy.sqrt(inputs) + random.standard_normal(outputs))
    if kind == "a sine":
        y = y + 0.1 * size * numpy.sin(3 * x @ random.standard_normal((inputs, outputs)) / numpy.sqrt(inputs))
    noise = random.choice([0.01, 0.05, 0.2]) * size * (random.standard_t(3, y.shape) / numpy.sqrt(3) if kind == "heavy tails" else random.standard_normal(y.shape))
    if kind == "noise that grows":
        noise = noise * numpy.linalg.norm(x, axis=1, keepdims=True) / numpy.sqrt(inputs)
    return W, A, x, y + noise


def wrong_by(W, found):
    """Largest distance of a true row to its partner, each used once."""
    rows = [row / numpy.linalg.norm(row) for row in found]
    worst = 0.0
    for w in W:
        if not rows:
            return 2.0
        distances = [numpy.linalg.norm(w - row) for row in rows]
        best = int(numpy.argmin(distances))
        worst = max(worst, distances[best])
        rows.pop(best)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--program", default=os.environ.get("RELUCOVER", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "relucover")))
    given = parser.parse_args()
    false = 0
    print(f"{'labels':<26} {'activation':<12} recovered  worst weight error of these  false claims")
    for kind in KINDS:
        for name, (method, f) in METHODS.items():
            claims, worst, wrong = 0, 0.0, 0
            for seed in range(given.seeds):
                W, A, x, y = planted(kind, f, 1000 * KINDS.index(kind) + seed)
                with tempfile.TemporaryDirectory() as folder:
                    numpy.savez(f"{folder}/d.npz", x=x, y=y)
                    run = subprocess.run([given.program, "learn", "d.npz", "--method", method, "--threads", "1", "-o", "a.json", "--json"], cwd=folder,
                                         capture_output=True, text=True)
                    answer = json.loads(run.stdout)
                    if answer["status"] not in ("exact", "recovered"):
                        continue
                    claims += 1
                    error = wrong_by(W, numpy.array(json.loads(pathlib.Path(folder, "a.json").read_text())["W"]))
                    worst = max(worst, error)
                    bad = kind in WRONG or error > 0.3 or answer["units"] != len(W)
                    wrong += bad
                    if bad:
                        print(f"  seed {1000 * KINDS.index(kind) + seed}: {answer['message']}", flush=True)
            false += wrong
            print(f"{kind:<26} {name:<12} {claims:>3} of {given.seeds:<3}  {worst:<29.1e}{wrong}", flush=True)
    return 1 if false else 0


if __name__ == "__main__":
    raise SystemExit(main())
