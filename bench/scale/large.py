#!/usr/bin/python3
"""784 inputs, many units, float32 inputs and float64 labels without noise, from disk: exact weights, memory, time.

Usage: large.py [--units 32] [--inputs 784] [--log2-samples 18] [--seeds 1,2,3] [--time-limit SECONDS] [--threads T] [--ranks R]
RELUCOVER names the program. With ranks the memory is that of the launcher only.
Every row: status, largest error over all weights and biases (as a power of 2), seconds,
peak memory as a share of the data file.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile


sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from planted_data import PROGRAM, measured, write_planted  # noqa: E402


def worst_error(truth, net):
    errors = json.loads(subprocess.run([PROGRAM, "compare", truth, net, "--json"], check=True, capture_output=True, text=True).stdout)
    if errors["units_matched"] != errors["units_truth"]:
        return math.inf
    return max(errors["max_weight_error"], errors["max_bias_error"], errors["max_output_error"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=784)
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--log2-samples", type=float, default=18)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--bar", type=float, default=-40, help="log2 of the error demanded")
    parser.add_argument("--time-limit", type=float, default=7200)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--ranks", type=int, default=0, help="MPI ranks of one thread each, instead of threads")
    parser.add_argument("--scratch", default=None, help="folder for the data")
    asked = parser.parse_args()
    samples = int(2 ** asked.log2_samples)
    within = 0
    seeds = [int(seed) for seed in asked.seeds.split(",")]
    print(f"{asked.inputs}-{asked.units}, {samples} samples, {(asked.inputs + 2) * asked.units + 1} parameters", flush=True)
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir=asked.scratch) as folder:
            x, y, truth = write_planted(folder, asked.inputs, asked.units, samples, seed)
            net = os.path.join(folder, "net.json")
            command = [PROGRAM, "learn", "--x", x, "--y", y, "--units", str(asked.units), "-o", net, "--json",
                       "--time-limit", str(asked.time_limit), "--threads", str(asked.threads)]
            if asked.ranks > 0:
                command = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(asked.ranks), *command[:-1], "1"]
            run = measured(command)
            result = json.loads(run.stdout)
            error = worst_error(truth, net) if os.path.exists(net) else math.inf
            share = run.peak_bytes / (os.path.getsize(x) + os.path.getsize(y))
            ok = result["status"] == "exact" and error <= 2.0 ** asked.bar
            within += ok
            print(f"seed {seed}: {result['status']}, error 2^{math.log2(max(error, 1e-300)):.1f}, {run.seconds:.0f} s, "
                  f"peak memory {share:.2f} of the file: {'ok' if ok else 'not ok'}")
            for stage in result["stages"]:
                print(f"    {stage['stage']:<22} {stage['seconds']:8.1f} s {stage['iterations']:5d} {stage['residual']:.2e}")
            if not ok:
                print("    " + result["message"])
            sys.stdout.flush()
    print(f"{within} of {len(seeds)} within 2^{asked.bar:g}")
    return within < len(seeds)


if __name__ == "__main__":
    sys.exit(main())
