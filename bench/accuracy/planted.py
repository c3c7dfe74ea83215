#!/usr/bin/python3
"""Planted networks through the command line: how often the answer is exact, per case and seed.

Each case is `relucover sample`, `learn` and `compare` as a user would run them; a case passes if enough seeds do.
    bench/accuracy/planted.py [--binary build/relucover] [--seeds 20] [--threads 2] [CASE ...]
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# name: (sample arguments, learn arguments, share of seeds demanded, what counts)
CASES = {
    "20-10, 100000": ("--inputs 20 --units 10 --samples 100000", "--units 10", 1.00, "exact"),
    "20-10, 100000, auto": ("--inputs 20 --units 10 --samples 100000", "--units auto", 0.95, "exact"),
    "20-10, 2000": ("--inputs 20 --units 10 --samples 2000", "--units 10", 0.95, "exact"),
    "20-10, 5000, uniform": ("--inputs 20 --units 10 --samples 5000 --distribution uniform", "--units 10", 0.95, "exact"),
    "20-10, 5000, laplace": ("--inputs 20 --units 10 --samples 5000 --distribution laplace", "--units 10", 0.95, "exact"),
    "20-10, 5000, rademacher": ("--inputs 20 --units 10 --samples 5000 --distribution rademacher", "--units 10", 0.95, "exact"),
    "20-10, 5000, exponential": ("--inputs 20 --units 10 --samples 5000 --distribution exponential", "--units 10", 0.95, "exact"),
    "20-10, 5000, correlated": ("--inputs 20 --units 10 --samples 5000 --distribution correlated:10000", "--units 10", 0.95, "exact"),
    "10-5, 2000": ("--inputs 10 --units 5 --samples 2000", "--units 5", 0.95, "exact"),
    "50-10, 20000": ("--inputs 50 --units 10 --samples 20000", "--units 10", 0.95, "exact"),
    "10-10, 100000": ("--inputs 10 --units 10 --samples 100000 --weights gaussian", "--units 10", 0.95, "exact"),
    "10-30, 20000": ("--inputs 10 --units 30 --samples 20000", "--units 30", 0.90, "function"),
    "3-15, 20000": ("--inputs 3 --units 15 --samples 20000", "--units 15", 0.90, "function"),
    "100-16, 50000": ("--inputs 100 --units 16 --samples 50000", "--units 16", 0.95, "exact"),
    "20-10, 100000, hermite": ("--inputs 20 --units 10 --samples 100000", "--units 10 --method hermite", 0.90, "exact"),
    "10-5, 100000, noise 0.1": ("--inputs 10 --units 5 --samples 100000 --noise 0.1", "--units 5", 0.95, "recovered"),
}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    return done.returncode, done.stdout


def passes(kind, answer, errors):
    largest = max(errors["max_weight_error"], errors["max_bias_error"], errors["max_output_error"])
    if kind == "exact":
        return answer["status"] == "exact" and largest <= 1e-10
    if kind == "function":
        return errors["function_rms"] <= 1e-10 and errors["units_matched"] == errors_units(errors) and largest <= 1e-9
    return answer["status"] == "recovered"


def errors_units(errors):
    return errors.get("units_truth", errors["units_matched"])


def one_seed(options, folder, sample, learn, kind, seed):
    data, truth, net = folder / "d.npz", folder / "t.json", folder / "n.json"
    code, _ = run(options.binary, "sample", *sample.split(), "--seed", seed, "-o", data, "--truth", truth)
    assert code == 0, "sample failed"
    begin = time.monotonic()
    _, text = run(options.binary, "learn", data, *learn.split(), "--threads", options.threads, "-o", net, "--json")
    seconds = time.monotonic() - begin
    answer = json.loads(text)
    if answer["status"] not in ("exact", "recovered", "approximate"):
        return False, seconds, answer, None
    _, text = run(options.binary, "compare", truth, net, "--json")
    errors = json.loads(text)
    good = passes(kind, answer, errors)
    claimed = answer["status"] == "exact"
    if claimed and not good and kind == "exact":
        print(f"  FALSE CLAIM at seed {seed}: {errors}")
    net.unlink()
    return good, seconds, answer, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.environ.get("RELUCOVER", "build/relucover"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("cases", nargs="*", help="substrings of case names")
    options = parser.parse_args()
    failed = 0
    print(f"{'case':<28}{'good':>10}{'demanded':>10}{'worst error':>13}{'median s':>10}")
    for name, (sample, learn, share, kind) in CASES.items():
        if options.cases and not any(part in name for part in options.cases):
            continue
        good, times, worst, bad = 0, [], 0.0, []
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(1, options.seeds + 1):
                ok, seconds, answer, errors = one_seed(options, Path(folder), sample, learn, kind, seed)
                good += ok
                times.append(seconds)
                if ok:
                    worst = max(worst, errors["max_weight_error"], errors["max_bias_error"], errors["max_output_error"])
                else:
                    bad.append((seed, answer["status"], answer["message"]))
        demanded = math.ceil(share * options.seeds - 1e-9)
        failed += good < demanded
        mark = "" if good >= demanded else "  SHORT"
        print(f"{name:<28}{good:>5} of {options.seeds:<2}{demanded:>10}{worst:>13.1e}{sorted(times)[len(times) // 2]:>10.2f}{mark}", flush=True)
        if options.verbose or mark:
            for seed, status, message in bad:
                print(f"    seed {seed}: {status}: {message}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
