#!/usr/bin/python3
"""The number of units found by itself on wide networks: `--units auto` beside the number given, in turns, one thread, processor time.

    bench/accuracy/wide_units.py [--only TEXT] [--states 1] [--limit 600]

MLPRegressor with 64 and with 100 units, trained on standardised diabetes, at 100,000 and 200,000 Gaussian inputs; networks with 50 and 100 units on 10
inputs as `relucover sample` draws them. Wanted: exact, in at most three times the time with the number given. Ends with 1 if one is not.
"""
import argparse
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

BUILD = Path(__file__).resolve().parents[2] / "build"
sys.path.insert(0, str(BUILD / "python"))
import relucover


def trained(units, samples, state):
    from sklearn.datasets import load_diabetes
    from sklearn.neural_network import MLPRegressor
    from sklearn.preprocessing import StandardScaler

    x, y = load_diabetes(return_X_y=True)
    model = MLPRegressor((units,), random_state=state).fit(StandardScaler().fit_transform(x), (y - y.mean()) / y.std())
    queries = np.random.default_rng(state).normal(size=(samples, 10))
    return queries, model.predict(queries)


def planted(units, samples, state):
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/data.npz"
        subprocess.run([BUILD / "relucover", "sample", "--inputs", "10", "--units", str(units), "--samples", str(samples), "--seed", str(state), "-o", file],
                       check=True, capture_output=True)
        data = np.load(file)
        return data["x"], data["y"]


CASES = {
    "planted 10-50": (planted, 50, 100_000),
    "trained 10-64": (trained, 64, 100_000),
    "planted 10-100": (planted, 100, 200_000),
    "trained 10-100": (trained, 100, 200_000),
}


def main():
    warnings.simplefilter("ignore")
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--states", type=int, default=1)
    arguments.add_argument("--limit", type=float, default=600)
    given = arguments.parse_args()
    failed = False
    print(f"{'network':<16}{'state':>6}{'units':>7}{'status':>18}{'found':>7}{'residual':>10}{'cpu s':>8}{'ratio':>7}")
    for name, (make, units, samples) in CASES.items():
        if given.only not in name:
            continue
        for state in range(given.states):
            x, y = make(units, samples, state)
            seconds = {}
            for asked in (units, "auto"):
                begin = time.process_time()
                found = relucover.learn(x, y, units=asked, threads=1, time_limit=given.limit)
                seconds[asked] = time.process_time() - begin
                ratio = seconds[asked] / seconds[units]
                failed |= found.status != "exact" or (asked == "auto" and ratio > 3)
                print(f"{name:<16}{state:>6}{asked:>7}{found.status:>18}{found.network.units:>7}{found.residual_relative:>10.1e}{seconds[asked]:>8.1f}"
                      + (f"{ratio:>7.2f}" if asked == "auto" else ""), flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
