#!/usr/bin/python3
"""Corners of the papers that a single seed does not show, over SEEDS networks each.

landscape     GP's landscapes at thresholds where the Hermite coefficient of order 4 vanishes: worst angle, and what the answer says of it
cauchy        BJW Algorithm 8 with Cauchy noise: both units within .05 rad
overlap       unions of halfspaces by d Phi(-t): refused with the number above .3, recovered below
equal         networks that are equal as functions, by random combinations of what leaves a function as it is; and nearly equal ones

bench/accuracy/paper_rows.py [landscape cauchy overlap equal] [--seeds 10] [--program build/relucover]
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
from statistics import NormalDist

import numpy


class Folder:
    program = None

    def __enter__(self):
        self.held = tempfile.TemporaryDirectory()
        self.name = self.held.name
        return self

    def __exit__(self, *_):
        self.held.cleanup()

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)], cwd=self.name, capture_output=True, text=True)
        if done.returncode == 2:
            raise RuntimeError(done.stderr)
        return done.stdout

    def json(self, *words):
        return json.loads(self.run(*words, "--json"))

    def read(self, file):
        return json.loads(pathlib.Path(self.name, file).read_text())

    def write(self, file, value):
        pathlib.Path(self.name, file).write_text(json.dumps(value))


def unit_rows(W):
    return W / numpy.linalg.norm(W, axis=1, keepdims=True)


def worst_angle(truth, found):
    truth, rows, worst = unit_rows(numpy.array(truth)), list(unit_rows(numpy.array(found))), 0.0
    for w in truth:
        if not rows:
            return numpy.pi
        near = max(range(len(rows)), key=lambda i: rows[i] @ w)
        worst = max(worst, float(numpy.arccos(numpy.clip(rows.pop(near) @ w, -1, 1))))
    return worst


def landscape(seeds):
    print("landscape: unit, threshold (order 4 vanishes), method: worst angles (median, largest), largest ratio to what is said of them")
    for unit, threshold in (("relu", 1.0), ("step", 3 ** 0.5)):
        for method in ("landscape", "simultaneous"):
            worst, ratio, refused = [], [], 0
            for seed in range(seeds):
                with Folder() as folder:
                    folder.run("sample-threshold", "--inputs", 8, "--units", 4, "--unit", unit, "--threshold", threshold, "--samples", 200000, "--seed", seed,
                               "-o", "t.npz", "--truth", "t.json")
                    answer = folder.json("learn", "t.npz", "--task", "lowest-layer", "--unit", unit, "--units", 4, "--threshold", threshold, "--method", method,
                                         "--first-step-only", "--degree", 0, "--threads", 1, "-o", "l.json")
                    if answer["status"] == "assumption_failed":
                        refused += 1
                        continue
                    worst.append(worst_angle(folder.read("t.json")["W"], folder.read("l.json")["W"]))
                    ratio.append(worst[-1] / answer["direction_error"])
            seen = f"{numpy.median(worst):.2f}, {max(worst):.2f}, {max(ratio):.1f}" if worst else "none"
            print(f"  {unit:<5} {threshold:.3f} {method:<13} {seen}; {refused} of {seeds} refused", flush=True)


def cauchy(seeds):
    print("cauchy: scale of the noise, inputs, outputs, samples: both units within .05 rad; worst angle")
    for scale, inputs, outputs, samples in ((0.1, 4, 3, 20000), (0.5, 4, 3, 20000), (0.1, 6, 2, 20000), (0.1, 5, 4, 5000)):
        found, worst, false = 0, 0.0, 0
        for seed in range(seeds):
            random = numpy.random.default_rng(100 + seed)
            W = numpy.linalg.qr(random.standard_normal((inputs, inputs)))[0][:2]
            A = random.choice([-1, 1], (outputs, 2)) * random.uniform(0.5, 1.5, (outputs, 2))
            x = random.standard_normal((samples, inputs))
            with Folder() as folder:
                numpy.savez(f"{folder.name}/c.npz", x=x, y=numpy.maximum(x @ W.T, 0) @ A.T + scale * random.standard_cauchy((samples, outputs)))
                answer = folder.json("learn", "c.npz", "--method", "direction-net", "--units", 2, "--threads", 1, "-o", "a.json")
                angle = worst_angle(W, folder.read("a.json")["W"]) if pathlib.Path(folder.name, "a.json").exists() else numpy.pi
            found += angle < 0.05
            worst = max(worst, angle)
            false += answer["status"] in ("exact", "recovered") and angle >= 0.05
        print(f"  {scale:<4} {inputs:>2} {outputs:>2} {samples:>6}  {found:>2} of {seeds}  {worst:.3f}  false claims {false}", flush=True)


def overlap(seeds):
    print("overlap: d Phi(-t), halfspaces, inputs, weights: refused with the number; recovered; anything else; range of the number said")
    for expected, units, inputs, weights in ((1.2, 12, 12, "mild"), (0.8, 6, 10, "orthonormal"), (0.5, 5, 8, "mild"), (0.4, 4, 8, "gaussian"), (0.36, 4, 6, "mild"),
                                             (0.2, 4, 8, "mild"), (0.1, 4, 8, "orthonormal"), (0.05, 3, 6, "mild")):
        threshold = -NormalDist().inv_cdf(expected / units)
        refused, recovered, said = 0, 0, []
        for seed in range(seeds):
            with Folder() as folder:
                folder.run("sample-threshold", "--inputs", inputs, "--units", units, "--unit", "step", "--upper", "any", "--threshold", threshold, "--weights",
                           weights, "--samples", 100000, "--seed", seed, "-o", "t.npz")
                answer = folder.json("learn", "t.npz", "--task", "halfspaces", "--threads", 1)
            refused += answer["status"] == "assumption_failed" and "d*Phi(-t)" in answer["message"]
            recovered += answer["status"] == "recovered"
            said.append(answer["figures"]["expected_active_units"])
        print(f"  {expected:<5} {units:>2} {inputs:>2} {weights:<12} {refused:>2} {recovered:>2} {seeds - refused - recovered:>2}  {min(said):.2f} to {max(said):.2f}", flush=True)


def the_same(network, random):
    """Another network that is the same function: units turned around, split, scaled, doubled against each other, and affine parts made of units."""
    W, b, A = (numpy.array(network[key]) for key in ("W", "b", "A"))
    skip, offset = numpy.array(network["skip"]), numpy.array(network["offset"])
    for i in range(len(W)):
        if random.random() < 0.5:  # relu(t) = t + relu(-t)
            skip, offset = skip + numpy.outer(A[:, i], W[i]), offset + A[:, i] * b[i]
            W[i], b[i] = -W[i], -b[i]
        scale = random.uniform(0.3, 3)
        W[i], b[i], A[:, i] = W[i] * scale, b[i] * scale, A[:, i] / scale
    i, share = random.integers(len(W)), random.uniform(0.2, 0.8)
    W, b, A = numpy.vstack([W, 2 * W[i]]), numpy.append(b, 2 * b[i]), numpy.hstack([A, (1 - share) * A[:, [i]] / 2])
    A[:, i] *= share
    w, c, a = random.standard_normal(W.shape[1]), random.standard_normal(), random.standard_normal(len(A))
    W, b = numpy.vstack([W, w, -w]), numpy.append(b, [c, -c])  # a (relu(t) - relu(-t)) = a t
    A = numpy.hstack([A, a[:, None], -a[:, None]])
    skip, offset = skip - numpy.outer(a, w), offset - a * c
    order = random.permutation(len(W))
    return {**network, "W": W[order].tolist(), "b": b[order].tolist(), "A": A[:, order].tolist(), "skip": skip.tolist(), "offset": offset.tolist()}


def equal(seeds):
    print("equal: inputs, units, outputs: equal pairs called equivalent; pairs with a weight changed by 1e-6 of its row called so; largest weight error of the equal")
    for inputs, units, outputs in ((2, 2, 1), (5, 4, 1), (8, 12, 1), (4, 9, 3), (20, 10, 2)):
        same = near = 0
        worst = 0.0
        for seed in range(seeds):
            random = numpy.random.default_rng(seed)
            network = {"format": "relucover-network", "version": 1, "activation": "relu", "W": random.standard_normal((units, inputs)).tolist(),
                       "b": (0.7 * random.standard_normal(units)).tolist(), "A": random.standard_normal((outputs, units)).tolist(),
                       "skip": random.standard_normal((outputs, inputs)).tolist(), "offset": random.standard_normal(outputs).tolist()}
            other = the_same(network, random)
            wrong = json.loads(json.dumps(other))
            row = wrong["W"][int(random.integers(len(wrong["W"])))]
            row[0] += 1e-6 * float(numpy.linalg.norm(row))
            with Folder() as folder:
                folder.write("one.json", network), folder.write("other.json", other), folder.write("wrong.json", wrong)
                compared = folder.json("compare", "one.json", "other.json")
                same += compared["equivalent"]
                worst = max(worst, compared["max_weight_error"])
                near += folder.json("compare", "one.json", "wrong.json")["equivalent"]
        print(f"  {inputs:>2} {units:>2} {outputs}  {same:>2} of {seeds}  {near:>2} of {seeds}  {worst:.1e}", flush=True)


def main():
    rows = {"landscape": landscape, "cauchy": cauchy, "overlap": overlap, "equal": equal}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", default=list(rows), metavar="ROW")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--program", default=os.environ.get("RELUCOVER", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "relucover")))
    given = parser.parse_args()
    Folder.program = given.program
    for row in given.rows:
        rows[row](given.seeds)


if __name__ == "__main__":
    main()
