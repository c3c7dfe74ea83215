#!/usr/bin/python3
"""Deep planted networks through the command line: how often all weights are exact, how often a claim is false, how long it takes.

Each seed is `relucover sample --layers`, `learn --layers` and `compare` as a user would run them. "Well seen": every unit has at least
2% of the samples on each side of its kink; other seeds are passed over in cases that ask for well-seen ones. A unit that is off at every
sample leaves no trace: a claim is held against the truth without such units. With noise the worst unit is
told in predicted standard errors (of its w·h + b), of which five are allowed. Case 8 has thousands of
parameters and takes its time: --time-limit 1500 --seeds 1 "8 80".
    bench/accuracy/deep.py [--binary build/relucover] [--seeds 20] [--first 0] [--threads 2] [--time-limit 300] [CASE ...]
"""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

# name: (inputs, layers, samples, more of sample, learn arguments, well seen only, what counts, share demanded, seconds in the median or None)
CASES = {
    "1 10-8-5, 20000": (10, "8,5", 20000, "", "--layers 8,5", True, "exact", 0.95, 3),
    "1b 10-8-5, 4000": (10, "8,5", 4000, "", "--layers 8,5", True, "exact", 0.95, None),
    "2 10-8-5, as they come": (10, "8,5", 20000, "", "--layers 8,5", False, "function", 0.90, None),
    "3 10-10-10": (10, "10,10", 40000, "", "--layers 10,10", True, "exact", 0.90, 12),
    "3b 20-10-10": (20, "10,10", 40000, "", "--layers 10,10", True, "exact", 0.90, None),
    "4 10-20-20": (10, "20,20", 60000, "", "--layers 20,20", True, "exact", 0.80, 90),
    "5 10-8-8-8": (10, "8,8,8", 60000, "", "--layers 8,8,8", True, "function", 0.60, None),
    "8 80-40-20": (80, "40,20", 160000, "", "--layers 40,20", True, "exact", 0.80, 1500),
    "8b 20-16-16": (20, "16,16", 60000, "", "--layers 16,16", True, "exact", 0.80, None),
    "8c 30-20-10": (30, "20,10", 60000, "", "--layers 20,10", True, "exact", 0.80, None),
    "9 uniform": (10, "8,5", 20000, "--distribution uniform", "--layers 8,5", False, "function", 0.80, None),
    "9b laplace": (10, "8,5", 20000, "--distribution laplace", "--layers 8,5", False, "function", 0.80, None),
    "9c correlated": (10, "8,5", 20000, "--distribution correlated:100", "--layers 8,5", False, "function", 0.80, None),
    "10 10-8-5, widths unknown": (10, "8,5", 20000, "", "--depth 2", True, "exact", 0.90, None),
    "10b 10-8-5, auto": (10, "8,5", 20000, "", "--layers auto", True, "exact", 0.90, None),
    "10c 10-8-5, units auto": (10, "8,5", 20000, "", "--units auto", True, "exact", 0.90, None),
    "10d 10-10-10, auto": (10, "10,10", 40000, "", "--layers auto", True, "exact", 0.90, None),
    "10e 10-8, auto": (10, "8", 20000, "", "--layers auto", True, "exact", 0.90, None),
    "5b 10-5-3, noise": (10, "5,3", 100000, "--noise 0.01", "--layers 5,3", True, "recovered", 0.70, None),
    "5c 10-8-5, noise": (10, "8,5", 100000, "--noise 0.01", "--layers 8,5", True, "recovered", 0.50, None),
    "11 10-8-5, float32": (10, "8,5", 20000, "--precision float32", "--layers 8,5", True, "exact32", 0.80, None),
}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    return done.returncode, done.stdout


def hidden_layers(content):
    return content.get("layers", [{"W": content.get("W"), "b": content.get("b")}])


def least_side(truth, x):
    """The smallest share of samples on one side of a unit's kink."""
    least, h = 1.0, x
    for layer in hidden_layers(json.loads(truth.read_text())):
        u = h @ np.array(layer["W"]).T + np.array(layer["b"])
        on = (u > 0).mean(0)
        least, h = min(least, on.min(), 1 - on.max()), np.maximum(u, 0)
    return least


def write_without_units_that_are_off(truth, x, path):
    """The truth as far as samples can show it."""
    content, h = json.loads(truth.read_text()), x
    layers = hidden_layers(content)
    above = [(layer, "W") for layer in layers[1:]] + [(content, "A")]
    for layer, (outer, name) in zip(layers, above):
        u = h @ np.array(layer["W"]).T + np.array(layer["b"])
        on = (u > 0).any(0)
        layer["W"], layer["b"] = np.array(layer["W"])[on].tolist(), np.array(layer["b"])[on].tolist()
        outer[name] = np.array(outer[name])[:, on].tolist()
        h = np.maximum(u[:, on], 0)
    path.write_text(json.dumps(content))


def values(path, x):
    content = json.loads(path.read_text())
    h = x
    for layer in hidden_layers(content):
        h = np.maximum(h @ np.array(layer["W"]).T + np.array(layer["b"]), 0)
    return h @ np.array(content["A"]).T + x @ np.array(content["skip"]).T + np.array(content["offset"])


def share_right(truth, net, inputs):
    """Of 1e5 fresh Gaussian inputs."""
    x = np.random.default_rng(99).normal(size=(100_000, inputs))
    y = values(truth, x)
    return float((np.abs(values(net, x) - y).max(1) <= 1e-8 * y.std()).mean())


def arguments_of(path, x):
    """w·h + b of every unit, layer by layer."""
    h, layers = x, []
    for layer in hidden_layers(json.loads(path.read_text())):
        layers.append(h @ np.array(layer["W"]).T + np.array(layer["b"]))
        h = np.maximum(layers[-1], 0)
    return layers


def worst_deviation(truth, net, inputs, errors):
    """Of all units: how far w·h + b is from the true one, up to scale and over its spread, in predicted standard errors."""
    x, worst, at = np.random.default_rng(98).normal(size=(20_000, inputs)), 0.0, 0
    for true, found in zip(arguments_of(truth, x), arguments_of(net, x)):
        if true.shape != found.shape or len(errors) < at + found.shape[1]:
            return float("inf")
        for j, u in enumerate(found.T):
            along = (true * u[:, None]).sum(0) / (true**2).sum(0)
            off = np.sqrt(((u[:, None] - true * np.maximum(along, 0)) ** 2).mean(0)).min() / u.std()
            worst = max(worst, off / errors[at + j])
        at += found.shape[1]
    return worst


def one_seed(options, folder, case, seed):
    inputs, layers, samples, more, learn, well_seen, kind, _, _ = CASES[case]
    data, truth, net, seen_truth = (folder / name for name in ("d.npz", "t.json", "n.json", "s.json"))
    net.unlink(missing_ok=True)
    code, _ = run(options.binary, "sample", "--inputs", inputs, "--layers", layers, "--samples", samples, *more.split(), "--seed", seed,
                  "-o", data, "--truth", truth)
    assert code == 0, "sample failed"
    x = np.load(data)["x"].astype(float)
    seen = least_side(truth, x)
    write_without_units_that_are_off(truth, x, seen_truth)
    if well_seen and seen < 0.02:
        return None
    begin = time.monotonic()
    _, text = run(options.binary, "learn", data, *learn.split(), "--threads", options.threads, "--time-limit", options.time_limit,
                  "-o", net, "--json")
    seconds = time.monotonic() - begin
    answer = json.loads(text)
    worst, right = float("inf"), 0.0
    if net.exists():
        errors = json.loads(run(options.binary, "compare", seen_truth, net, "--json")[1])
        worst = max(errors["max_weight_error"], errors["max_bias_error"], errors["max_output_error"])
        right = share_right(truth, net, inputs)
    limit = 1e-4 if kind == "exact32" else 1e-10
    claimed = answer["status"] in ("exact", "recovered")
    if kind == "recovered" and claimed:  # in predicted standard errors
        worst, limit = worst_deviation(truth, net, inputs, answer["series"]["unit_errors"]), 5
    passed = right >= 0.999 if kind == "function" else claimed and worst <= limit
    print(f"  seed {seed}: {answer['status']}, worst weight {worst:.1e}, right on {right:.5f} of fresh inputs, least side {seen:.4f}, "
          f"{seconds:.1f} s{'' if not claimed or worst <= limit else '  FALSE CLAIM'}", flush=True)
    return passed, claimed and worst > limit, seconds, answer["message"]


def one_case(options, case):
    print(case, flush=True)
    rows, seed = [], options.first
    with tempfile.TemporaryDirectory() as folder:
        while len(rows) < options.seeds:
            row = one_seed(options, Path(folder), case, seed)
            seed += 1
            if row is not None:
                rows.append(row)
    passed, false_claims = sum(row[0] for row in rows), sum(row[1] for row in rows)
    share, seconds = CASES[case][7], CASES[case][8]
    median = statistics.median(row[2] for row in rows)
    met = passed >= share * len(rows) and false_claims == 0 and (seconds is None or median <= seconds)
    print(f"{case}: {passed} of {len(rows)} (demanded {share:.0%}), {false_claims} false claims, median {median:.1f} s"
          f"{'' if seconds is None else f' (demanded {seconds})'}: {'met' if met else 'NOT MET'}", flush=True)
    return met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="build/relucover")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--time-limit", type=float, default=300)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="parts of names; all if none is given")
    options = parser.parse_args()
    chosen = [case for case in CASES if not options.cases or any(part in case for part in options.cases)]
    return 0 if all([one_case(options, case) for case in chosen]) else 1


if __name__ == "__main__":
    sys.exit(main())
