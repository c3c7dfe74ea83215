#!/usr/bin/python3
"""`auto` against `prune` alone on the logits of classifiers of digits, in turns in one run: processor time, status, error, ratio (1.3 at most is wanted).

bench/versus/auto_and_prune.py [16 32 100] [--rounds 3]

MLPClassifier with 16, 32 and 100 units on standardised digits, its logits at Gaussian inputs; the number of units is given for 100 only. The medians of
the rounds are compared; ends with 1 if an answer is not exact or a ratio is above 1.3.
"""
import argparse
import statistics
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build" / "python"))
import relucover

SAMPLES = {16: 20000, 32: 30000, 100: 60000}


def logits(units):
    x, y = load_digits(return_X_y=True)
    model = MLPClassifier((units,), max_iter=200, random_state=0).fit(StandardScaler().fit_transform(x), y)
    truth = relucover.Network(W=model.coefs_[0].T, b=model.intercepts_[0], A=model.coefs_[1].T, offset=model.intercepts_[1])
    queries = np.random.default_rng(units).normal(size=(SAMPLES[units], 64))
    return queries, truth.predict(queries), truth


def main():
    warnings.simplefilter("ignore")
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("units", nargs="*", type=int, default=list(SAMPLES))
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    failed = False
    print(f"{'units':>5} {'method':<7}{'cpu s':>8}{'status':>14}{'found':>7}{'function':>10}{'ratio':>7}")
    for units in given.units:
        x, y, truth = logits(units)
        fresh = np.random.default_rng(1).normal(size=(2000, 64))
        seconds, answers = {"prune": [], "auto": []}, {}
        for _ in range(given.rounds):
            for method in seconds:
                begin = time.process_time()
                answers[method] = relucover.learn(x, y, units=units if units == 100 else "auto", method=method, threads=1)
                seconds[method].append(time.process_time() - begin)
        ratio = statistics.median(seconds["auto"]) / statistics.median(seconds["prune"])
        for method, found in answers.items():
            error = np.abs(found.network.predict(fresh) - truth.predict(fresh)).max() / np.abs(truth.predict(fresh)).max()
            failed |= found.status != "exact"
            print(f"{units:>5} {method:<7}{statistics.median(seconds[method]):>8.2f}{found.status:>14}{found.network.units:>7}{error:>10.1e}"
                  + (f"{ratio:>7.2f}" if method == "auto" else ""), flush=True)
        failed |= ratio > 1.3
    return failed


if __name__ == "__main__":
    sys.exit(main())
