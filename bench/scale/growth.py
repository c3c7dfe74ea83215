#!/usr/bin/python3
"""How the cost of `relucover learn` grows with samples, inputs and units, from disk; against one `evaluate` pass.

Usage: growth.py [--largest 1e7] [--ranks] [--plot growth.png] [--scratch FOLDER]
Times are medians of three runs on one thread, taken in turns with the pass they are compared with.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from planted_data import PROGRAM, measured  # noqa: E402

REPEATS = 3


def plant(folder, inputs, units, samples):
    data, truth = os.path.join(folder, "d.npz"), os.path.join(folder, "t.json")
    subprocess.run([PROGRAM, "sample", "--inputs", str(inputs), "--units", str(units), "--samples", str(samples), "--seed", "1",
                    "-o", data, "--truth", truth], check=True, capture_output=True)
    return data, truth


def exact(run, truth, net):
    if run.code != 0 or json.loads(run.stdout)["status"] != "exact":
        return False
    errors = json.loads(subprocess.run([PROGRAM, "compare", truth, net, "--json"], check=True, capture_output=True, text=True).stdout)
    return max(errors["max_weight_error"], errors["max_bias_error"], errors["max_output_error"]) < 1e-10


def cost(folder, inputs, units, samples, repeats=REPEATS):
    """Seconds of learn on one and on two threads and of a pass, and peak memory; the answer is checked every time."""
    data, truth = plant(folder, inputs, units, samples)
    net = os.path.join(folder, "n.json")
    learns, doubles, passes, peak, all_exact = [], [], [], 0, True
    for _ in range(repeats):
        passes.append(measured([PROGRAM, "evaluate", truth, data, "--threads", "1", "--json"]).seconds)
        for threads, seconds in [(1, learns), (2, doubles)]:
            run = measured([PROGRAM, "learn", data, "--units", str(units), "--threads", str(threads), "-o", net, "--json"])
            all_exact &= exact(run, truth, net)
            seconds.append(run.seconds)
            peak = max(peak, run.peak_own_bytes) if threads == 1 else peak
    os.remove(data)
    return statistics.median(learns), statistics.median(doubles), statistics.median(passes), peak, all_exact


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=float, default=1e7)
    parser.add_argument("--plot", default=None)
    parser.add_argument("--scratch", default=None)
    asked = parser.parse_args()
    failed = False
    rows = []
    with tempfile.TemporaryDirectory(dir=asked.scratch) as folder:
        print("samples   inputs units  learn s  2 threads  evaluate s  learn/evaluate  memory beside the data")
        for samples in [10**k for k in range(5, 9) if 10**k <= asked.largest]:
            learn, double, once, peak, good = cost(folder, 20, 10, samples)
            rows.append((samples, learn, once, peak))
            failed |= not good
            print(f"{samples:<10d}{20:<7d}{10:<6d} {learn:7.2f} {learn / double:8.2f} x {once:10.2f} {learn / once:14.1f} "
                  f"{peak / 2**20:12.0f} MB{'' if good else '   NOT EXACT'}", flush=True)
        first, last = rows[0], rows[-1]
        growth = last[1] / first[1] / (last[0] / first[0])
        memory = (last[3] - first[3]) / 2**20
        checks = [(f"cost grows {growth:.2f} times as fast as the samples (at most 1.2)", growth <= 1.2),
                  (f"{last[1] / last[2]:.1f} evaluate passes at {last[0]:.0e} samples (at most 40)", last[1] <= 40 * last[2]),
                  (f"peak memory beside the data grows by {memory:.0f} MB (at most 50)", memory <= 50)]
        for text, good in checks:
            failed |= not good
            print(f"{text}: {'ok' if good else 'NOT OK'}")
        sweeps = []
        for inputs, units, samples in [(10, 5, 20000), (20, 10, 20000), (40, 10, 20000), (80, 10, 40000), (20, 5, 20000), (20, 20, 40000)]:
            learn, double, once, peak, good = cost(folder, inputs, units, samples, 1)
            sweeps.append((inputs, units, samples, learn))
            print(f"{samples:<10d}{inputs:<7d}{units:<6d} {learn:7.2f} {learn / double:8.2f} x {once:10.2f} {learn / once:14.1f}"
                  f"{'' if good else '   NOT EXACT'}", flush=True)
    if asked.plot:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plot
        figure, axes = plot.subplots(figsize=(6, 4))
        axes.loglog([row[0] for row in rows], [row[1] for row in rows], "o-", label="learn, one thread")
        axes.loglog([row[0] for row in rows], [row[2] for row in rows], "s--", label="one evaluate pass")
        axes.set(xlabel="samples (20 inputs, 10 units)", ylabel="seconds", title="What recovery costs")
        axes.legend()
        figure.savefig(asked.plot, bbox_inches="tight", dpi=120)
        print(f"wrote {asked.plot}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
