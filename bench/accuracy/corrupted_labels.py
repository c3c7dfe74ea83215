#!/usr/bin/python3
"""What share of wrong label entries `corrupted-labels` bears: exact recoveries out of SEEDS, by outputs for each unit and share.

bench/accuracy/corrupted_labels.py [--seeds 20] [--program build/relucover]
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

CASES = [(4, 12, 7, 1500), (4, 31, 7, 1501), (5, 15, 10, 2000), (3, 9, 6, 1500)]  # units, outputs, inputs, samples
SHARES = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4]


def run(program, folder, *arguments):
    return subprocess.run([program, *map(str, arguments)], cwd=folder, capture_output=True, text=True)


def exact(program, units, outputs, inputs, samples, share, seed):
    with tempfile.TemporaryDirectory() as folder:
        run(program, folder, "sample", "--inputs", inputs, "--units", units, "--outputs", outputs, "--bias", 0, "--samples", samples, "--corrupt", share,
            "--seed", seed, "-o", "c.npz", "--truth", "t.json")
        answer = json.loads(run(program, folder, "learn", "c.npz", "--method", "corrupted-labels", "--threads", 1, "-o", "a.json", "--json").stdout)
        if answer["status"] != "exact":
            return 0, answer["seconds"]
        compared = json.loads(run(program, folder, "compare", "t.json", "a.json", "--json").stdout)
        assert compared["max_weight_error"] < 1e-8, f"a false claim: {compared}"
        return 1, answer["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--program", default=os.environ.get("RELUCOVER", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "relucover")))
    given = parser.parse_args()
    print("units outputs inputs samples  " + "  ".join(f"{100 * share:>4.0f}%" for share in SHARES) + "   seconds")
    for units, outputs, inputs, samples in CASES:
        counts, seconds = [], []
        for share in SHARES:
            found = [exact(given.program, units, outputs, inputs, samples, share, seed) for seed in range(given.seeds)]
            counts.append(sum(one for one, _ in found))
            seconds += [took for _, took in found]
        print(f"{units:>5} {outputs:>7} {inputs:>6} {samples:>7}  " + "  ".join(f"{count:>2}/{given.seeds:<2}" for count in counts) +
              f"   {sum(seconds) / len(seconds):.2f}", flush=True)


if __name__ == "__main__":
    main()
