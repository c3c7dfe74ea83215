#!/usr/bin/python3
"""CP by alternating least squares at GKLW figure 2's larger size: is it our code, or the method?

The same tensors go through `--method pure-neuron-als --set refine=0` and through a decomposition written here from the definition (numpy, three factors of
their own, nothing shared with the library): exact moments (the span of the z z' itself), and samples. A unit counts as missed when no vector found has a
cosine above .995 with it. Starts at the truth, and near it, show whether the truth is a fixed point that the updates return to.

bench/accuracy/alternating_start.py [--seeds 4] [--side 32] [--program build/relucover]
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy

STEPS, STARTS, DRAWS, TOLERANCE = 200, 10, 10, 1e-7  # GKLW 4.1: 10 k random elements of the span


def orthonormal(rows, columns, random):
    return numpy.linalg.qr(random.standard_normal((rows, columns)))[0]


def missed(z_true, z):
    cosines = numpy.abs((z_true / numpy.linalg.norm(z_true, axis=1, keepdims=True)) @ (z / numpy.linalg.norm(z, axis=1, keepdims=True)).T)
    return int((cosines.max(axis=1) < 0.995).sum())


def exact_span(z):
    """The detector's null space as the theory has it: an orthonormal basis of the span of z z', slice by slice."""
    k = len(z)
    return orthonormal_slices(numpy.einsum("ri,rj->rij", z, z).reshape(k, -1).T, k)


def orthonormal_slices(columns, k):
    return numpy.linalg.qr(columns)[0].T.reshape(-1, k, k)


def sampled_span(x, y):
    """GKLW Algorithm 2 with equation (11): least right singular vectors of T, T vec*(u u') = E[(2 (u.y)(u.g) - (u.y)^2 + noise) x x']."""
    n, k = y.shape
    second = x.T @ x / n
    linear = numpy.linalg.solve(second, x.T @ y / n).T
    g = x @ linear.T
    rows, columns = numpy.triu_indices(k)
    weight = numpy.where(rows == columns, 1.0, 2.0)
    detector = weight * (y[:, rows] * g[:, columns] + y[:, columns] * g[:, rows] - y[:, rows] * y[:, columns])
    a, b = numpy.triu_indices(x.shape[1])
    T = (x[:, a] * x[:, b]).T @ detector / n
    noise = weight * (y.T @ y / n - 2 * linear @ second @ linear.T)[rows, columns]
    T += numpy.outer(second[a, b], noise)
    packed = numpy.linalg.svd(T)[2][-k:]
    slices = numpy.zeros((k, k, k))
    slices[:, rows, columns] = packed
    slices[:, columns, rows] = packed
    return slices


def alternate(tensor, f, b, c, steps):
    """min |T - sum_r f_r x b_r x c_r|^2, one factor at a time; the relative residual at the end."""
    size, before = numpy.linalg.norm(tensor), numpy.inf
    for _ in range(steps):
        f = numpy.linalg.lstsq((b.T @ b) * (c.T @ c), numpy.einsum("sij,ir,jr->rs", tensor, b, c, optimize=True), rcond=None)[0].T
        b = numpy.linalg.lstsq((f.T @ f) * (c.T @ c), numpy.einsum("sij,sr,jr->ri", tensor, f, c, optimize=True), rcond=None)[0].T
        b /= numpy.linalg.norm(b, axis=0)
        c = numpy.linalg.lstsq((f.T @ f) * (b.T @ b), numpy.einsum("sij,sr,ir->rj", tensor, f, b, optimize=True), rcond=None)[0].T
        left = numpy.linalg.norm(tensor - numpy.einsum("sr,ir,jr->sij", f, b, c, optimize=True)) / size
        c /= numpy.linalg.norm(c, axis=0)
        if abs(before - left) < TOLERANCE:
            break
        before = left
    return b.T, left


def starts(slices, z_true, random):
    """Units missed from the truth, from .1 beside it, from one random start, and from the best of ten by residual."""
    k = len(z_true)
    draws = numpy.linalg.qr(random.standard_normal((DRAWS * k, k)))[1]  # a rotation of the draws changes nothing in what follows
    tensor = numpy.tensordot(draws, slices, 1)
    at_truth = (z_true / numpy.linalg.norm(z_true, axis=1, keepdims=True)).T
    beside = at_truth + 0.1 / numpy.sqrt(k) * random.standard_normal((k, k))
    counts = [missed(z_true, alternate(tensor, None, begin, begin.copy(), STEPS)[0]) for begin in (at_truth, beside)]
    runs = [alternate(tensor, None, random.standard_normal((k, k)), random.standard_normal((k, k)), STEPS) for _ in range(STARTS)]
    counts.append(sum(missed(z_true, z) for z, _ in runs) / len(runs))
    counts.append(missed(z_true, min(runs, key=lambda run: run[1])[0]))
    return counts


def of_program(program, folder, z_true, *arguments):
    run = subprocess.run([program, "learn", *arguments, "--method", "pure-neuron-als", "--set", "refine=0", "--threads", "1", "-o", "a.json", "--json"],
                         cwd=folder, capture_output=True, text=True)
    if not pathlib.Path(folder, "a.json").exists():
        raise RuntimeError(run.stderr + run.stdout)
    answer = json.loads(pathlib.Path(folder, "a.json").read_text())
    pathlib.Path(folder, "a.json").unlink()
    return missed(z_true, numpy.linalg.pinv(numpy.array(answer["A"])))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--side", type=int, default=32)
    parser.add_argument("--samples", type=int, nargs="*", default=[5000, 10000])
    parser.add_argument("--program", default=os.environ.get("RELUCOVER", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "relucover")))
    given = parser.parse_args()
    k = given.side
    print(f"units of {k} missed, mean over {given.seeds} seeds; numpy: from the truth, from .1 beside it, one random start, best of {STARTS}; relucover: best of 10")
    print(f"{'moments':<16} truth  beside  one start  best of ten  relucover")
    for samples in [None, *given.samples]:
        sums = numpy.zeros(5)
        for seed in range(given.seeds):
            random = numpy.random.default_rng(seed)
            W, A = orthonormal(k, k, random), orthonormal(k, k, random)
            z_true = A.T  # rows of the inverse
            with tempfile.TemporaryDirectory() as folder:
                if samples is None:
                    slices = exact_span(z_true)
                    network = {"format": "relucover-network", "version": 1, "activation": "relu", "W": W.tolist(), "b": [0.0] * k, "A": A.tolist(),
                               "skip": [[0.0] * k] * k, "offset": [0.0] * k}
                    pathlib.Path(folder, "t.json").write_text(json.dumps(network))
                    ours = of_program(given.program, folder, z_true, "--from-network", "t.json")
                else:
                    x = random.standard_normal((samples, k))
                    y = numpy.maximum(x @ W.T, 0) @ A.T
                    slices = sampled_span(x, y)
                    numpy.savez(f"{folder}/d.npz", x=x, y=y)
                    ours = of_program(given.program, folder, z_true, "d.npz", "--units", str(k))
            sums += [*starts(slices, z_true, random), ours]
        means = sums / given.seeds
        print(f"{'exact' if samples is None else f'{samples} samples':<16} {means[0]:>5.1f}  {means[1]:>6.1f}  {means[2]:>9.1f}  {means[3]:>11.1f}  {means[4]:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
