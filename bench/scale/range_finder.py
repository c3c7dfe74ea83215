#!/usr/bin/python3
"""Where labels are curved: T_2 formed and decomposed, against a randomised range finder that never forms it.

Usage: range_finder.py [--inputs 784] [--units 32] [--log2-samples 17] [--seed 1]
Both give 1.5 directions for each unit. Shown: seconds (numpy, single precision, all threads of its BLAS), and how much of
the units' weights lies in the directions found (mean and least share of squared length).
"""
import argparse
import time

import numpy


def planted(inputs, units, samples, seed):
    random = numpy.random.default_rng(seed)
    weights = random.standard_normal((units, inputs))
    weights /= numpy.linalg.norm(weights, axis=1, keepdims=True)
    outputs = random.uniform(0.5, 1.5, units) * random.choice([-1, 1], units)
    x = random.standard_normal((samples, inputs), dtype=numpy.float32)
    hidden = numpy.maximum(x @ weights.T.astype(numpy.float32) + 0.5 * random.standard_normal(units).astype(numpy.float32), 0)
    y = hidden @ outputs.astype(numpy.float32)
    return weights, x, y - y.mean()


def formed(x, residual, size):
    curvature = x.T @ (residual[:, None] * x) - residual.sum() * numpy.eye(x.shape[1], dtype=numpy.float32)
    values, vectors = numpy.linalg.eigh(curvature.astype(float))
    return vectors[:, numpy.argsort(-abs(values))[:size]]


def found(x, residual, size, powers, seed):
    """Halko, Martinsson, Tropp: orthonormalised powers of T_2 on random directions; two products with the data for each."""
    total = residual.sum()
    basis = numpy.random.default_rng(seed).standard_normal((x.shape[1], size)).astype(numpy.float32)
    for _ in range(powers):
        basis = x.T @ (residual[:, None] * (x @ basis)) - total * basis
        basis = numpy.linalg.qr(basis)[0]
    return basis.astype(float)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=784)
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--log2-samples", type=int, default=17)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    weights, x, y = planted(asked.inputs, asked.units, 1 << asked.log2_samples, asked.seed)
    slope = numpy.linalg.solve((x.T @ x).astype(float), (x.T @ y).astype(float))
    residual = y - x @ slope.astype(numpy.float32)
    size = asked.units + asked.units // 2
    ways = {"formed": lambda: formed(x, residual, size)}
    for powers in (2, 4, 8):
        ways[f"range finder, {powers} passes"] = lambda powers=powers: found(x, residual, size, powers, asked.seed)
    print(f"{asked.inputs} inputs, {asked.units} units, {len(x)} samples, {size} directions")
    for name, way in ways.items():
        begin = time.monotonic()
        basis = way()
        seconds = time.monotonic() - begin
        shares = numpy.square(weights @ basis).sum(axis=1)
        print(f"{name:<26}{seconds:8.2f} s   share of a unit's weights: mean {shares.mean():.3f}, least {shares.min():.3f}", flush=True)


if __name__ == "__main__":
    main()
