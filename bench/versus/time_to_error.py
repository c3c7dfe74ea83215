#!/usr/bin/python3
"""Time to a relative function error of 1e-3 on fresh inputs: relucover against PyTorch (Adam, L-BFGS) and scikit-learn's
MLPRegressor, at the right width and at four times it, one thread each.

    bench/versus/time_to_error.py [--seeds 3] [--cap 30] [--inputs 20] [--units 10] [--samples 20000] [--plot FILE.png]
A run that does not get there within the cap (seconds) counts as failed. Errors are checked a few times a second.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

GOAL = 1e-3


class Watch:
    """Seconds spent in training only, and the error curve."""

    def __init__(self, cap, x, y):
        self.cap, self.x, self.y = cap, x, y
        self.spent, self.curve, self.begin = 0.0, [], time.monotonic()

    def over(self, predict):
        self.spent += time.monotonic() - self.begin
        error = float(np.sqrt(np.mean((predict(self.x) - self.y) ** 2) / np.var(self.y)))
        self.curve.append((self.spent, error))
        self.begin = time.monotonic()
        return error <= GOAL or self.spent > self.cap or not np.isfinite(error)


def torch_net(inputs, units, seed):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(inputs, units), torch.nn.ReLU(), torch.nn.Linear(units, 1))


def predictor(net):
    def predict(x):
        with torch.no_grad():
            return net(torch.from_numpy(x).float()).numpy()[:, 0]
    return predict


def adam(x, y, units, seed, watch):
    net = torch_net(x.shape[1], units, seed)
    x, y = torch.from_numpy(x).float(), torch.from_numpy(y).float()[:, None]
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimiser, 0.99)
    while True:
        order = torch.randperm(len(x))
        for first in range(0, len(x), 1024):
            rows = order[first:first + 1024]
            optimiser.zero_grad(set_to_none=True)
            torch.nn.functional.mse_loss(net(x[rows]), y[rows]).backward()
            optimiser.step()
        scheduler.step()
        if watch.over(predictor(net)):
            return


def lbfgs(x, y, units, seed, watch):
    net = torch_net(x.shape[1], units, seed)
    x, y = torch.from_numpy(x).float(), torch.from_numpy(y).float()[:, None]
    optimiser = torch.optim.LBFGS(net.parameters(), max_iter=20, history_size=50, line_search_fn="strong_wolfe")

    def loss():
        optimiser.zero_grad(set_to_none=True)
        value = torch.nn.functional.mse_loss(net(x), y)
        value.backward()
        return value

    stuck = 0
    while not watch.over(predictor(net)):
        before = watch.curve[-1][1]
        optimiser.step(loss)
        stuck = stuck + 1 if len(watch.curve) > 2 and watch.curve[-2][1] - before < 1e-9 else 0
        if stuck > 5:
            return


def scikit(x, y, units, seed, watch):
    net = MLPRegressor((units,), alpha=0, learning_rate_init=1e-2, batch_size=1024, max_iter=2, warm_start=True, random_state=seed, tol=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        while True:
            net.fit(x, y)
            if watch.over(net.predict):
                return


def evaluate(network, x):
    hidden = np.maximum(x @ np.array(network["W"]).T + np.array(network["b"]), 0)
    return (hidden @ np.array(network["A"]).T + x @ np.array(network["skip"]).T + np.array(network["offset"]))[:, 0]


def relucover(program, data, units, folder, watch):
    net = Path(folder) / "n.json"
    watch.begin = time.monotonic()
    subprocess.run([program, "learn", data, "--units", str(units), "--threads", "1", "-o", net], capture_output=True)
    network = json.loads(net.read_text())
    watch.over(lambda x: evaluate(network, x))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.environ.get("RELUCOVER", "build/relucover"))
    parser.add_argument("--plot", default=None)
    for name, value in [("seeds", 3), ("cap", 30), ("inputs", 20), ("units", 10), ("samples", 20000)]:
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    runs = {}
    for seed in range(1, asked.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            data, truth = Path(folder) / "d.npz", Path(folder) / "t.json"
            subprocess.run([asked.binary, "sample", "--inputs", str(asked.inputs), "--units", str(asked.units), "--samples", str(asked.samples),
                            "--seed", str(seed), "-o", data, "--truth", truth], check=True, capture_output=True)
            with np.load(data) as arrays:
                x, y = arrays["x"], arrays["y"].ravel()
            fresh = np.random.default_rng(seed + 1000).standard_normal((5000, asked.inputs))
            labels = evaluate(json.loads(truth.read_text()), fresh)
            watch = Watch(asked.cap, fresh, labels)
            relucover(asked.binary, data, asked.units, folder, watch)
            runs.setdefault(("relucover learn", asked.units), []).append(watch.curve)
        for width in [asked.units, 4 * asked.units]:
            for name, train in [("PyTorch Adam", adam), ("PyTorch L-BFGS", lbfgs), ("scikit-learn MLPRegressor", scikit)]:
                watch = Watch(asked.cap, fresh, labels)
                train(x, y, width, seed, watch)
                runs.setdefault((name, width), []).append(watch.curve)
        print(f"seed {seed} of {asked.seeds} done", file=sys.stderr, flush=True)
    print(f"{asked.inputs} inputs, {asked.units} units, {asked.samples} samples: relative error {GOAL:g} on fresh inputs, at most {asked.cap} s")
    print(f"{'':<28}{'units':>6}{'reached':>10}{'median s':>10}{'best error, median':>20}")
    for (name, width), curves in runs.items():
        times = [next((t for t, error in curve if error <= GOAL), None) for curve in curves]
        reached = sorted(t for t in times if t is not None)
        best = sorted(min(error for _, error in curve) for curve in curves)
        print(f"{name:<28}{width:>6}{len(reached):>6} of {len(curves)}{reached[len(reached) // 2] if reached else float('nan'):>10.2f}"
              f"{best[len(best) // 2]:>20.1e}")
    if asked.plot:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plot
        figure, axes = plot.subplots(figsize=(7, 4.5))
        for number, ((name, width), curves) in enumerate(runs.items()):
            for i, curve in enumerate(curves):
                axes.loglog([t for t, _ in curve], [max(error, 1e-16) for _, error in curve], "o" if len(curve) == 1 else "-", color=f"C{number}",
                            label=f"{name}, {width} units" if i == 0 else None)
        axes.axhline(GOAL, color="grey", linewidth=0.8, linestyle=":")
        axes.set(xlabel="seconds of training, one thread", ylabel="relative error on fresh inputs", title=f"{asked.inputs} inputs, {asked.units} units")
        axes.legend(fontsize=8)
        figure.savefig(asked.plot, bbox_inches="tight", dpi=120)
        print(f"wrote {asked.plot}")
    learned = runs[("relucover learn", asked.units)]
    return sum(min(error for _, error in curve) <= GOAL for curve in learned) < len(learned)


if __name__ == "__main__":
    sys.exit(main())
