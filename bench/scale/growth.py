#!/usr/bin/python3
"""How the cost of `relucover learn` grows with samples, inputs and units, from disk; against one `evaluate` pass.

Usage: growth.py [--samples 1e5,1e6,1e7] [--inputs 20] [--units 10] [--repeats 5] [--plot growth.png] [--scratch FOLDER]
(1e8 samples of 4 inputs are 4 GB on disk: --samples 1e5,1e6,1e7,1e8 --inputs 4 --units 3 --repeats 1)
Times are medians of five runs (--repeats) on one thread, taken in turns with what they are compared with: two threads, two MPI ranks
of one thread, and a pass. MPI takes a third of a second to start two processes that do nothing; the start (two ranks on a
thousand samples) is measured too, and ratios are shown with it and without.
"""
import argparse
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from planted_data import PROGRAM, measured  # noqa: E402

REPEATS = 5


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


TWO_RANKS = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "2"]


@dataclasses.dataclass
class Cost:
    """Median seconds of learn on one thread, two threads and two ranks, and of a pass; peak memory; all answers exact."""
    learn: float
    threads: float
    ranks: float
    once: float
    peak: int
    exact: bool

    def row(self, samples, inputs, units):
        return (f"{samples:<10d}{inputs:<7d}{units:<6d} {self.learn:7.2f} {self.learn / self.threads:8.2f} x {self.learn / self.ranks:6.2f} x "
                f"{self.once:10.2f} {self.learn / self.once:14.1f} {self.peak / 2**20:12.0f} MB{'' if self.exact else '   NOT EXACT'}")


def cost(folder, inputs, units, samples, repeats=REPEATS):
    data, truth = plant(folder, inputs, units, samples)
    net = os.path.join(folder, "n.json")
    learn = [PROGRAM, "learn", data, "--units", str(units), "-o", net, "--json", "--threads"]
    commands = {"learn": learn + ["1"], "threads": learn + ["2"], "ranks": TWO_RANKS + learn + ["1"],
                "once": [PROGRAM, "evaluate", truth, data, "--threads", "1", "--json"]}
    seconds = {name: [] for name in commands}
    peak, all_exact = 0, True
    for _ in range(repeats):
        for name, command in commands.items():
            run = measured(command)
            seconds[name].append(run.seconds)
            if name != "once":
                all_exact &= exact(run, truth, net)
            if name == "learn":
                peak = max(peak, run.peak_own_bytes)
    os.remove(data)
    return Cost(*(statistics.median(times) for times in seconds.values()), peak, all_exact)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", default="1e5,1e6,1e7")
    for name, value in [("inputs", 20), ("units", 10), ("repeats", REPEATS)]:
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--plot", default=None)
    parser.add_argument("--scratch", default=None)
    asked = parser.parse_args()
    failed = False
    rows = []
    with tempfile.TemporaryDirectory(dir=asked.scratch) as folder:
        print("samples   inputs units  learn s  2 threads  2 ranks  evaluate s  learn/evaluate  memory beside the data")
        launch = cost(folder, 5, 2, 1000)
        start_of_ranks = launch.ranks - launch.learn
        for samples in [int(float(text)) for text in asked.samples.split(",")]:
            seen = cost(folder, asked.inputs, asked.units, samples, asked.repeats)
            rows.append((samples, seen))
            failed |= not seen.exact
            print(seen.row(samples, asked.inputs, asked.units), flush=True)
        (least, first), (most, last) = rows[0], rows[-1]
        growth = last.learn / first.learn / (most / least)
        memory = (last.peak - first.peak) / 2**20
        checks = [(f"cost grows {growth:.2f} times as fast as the samples (at most 1.2)", growth <= 1.2),
                  (f"{last.learn / last.once:.1f} evaluate passes at {most:.0e} samples (at most 40)", last.learn <= 40 * last.once),
                  (f"peak memory beside the data grows by {memory:.0f} MB (at most 50)", memory <= 50),
                  (f"at {most:.0e} samples two threads are {last.learn / last.threads:.2f} times as fast as one (at least 1.7)",
                   last.learn >= 1.7 * last.threads),
                  (f"two ranks {last.learn / (last.ranks - start_of_ranks):.2f} times (at least 1.7), {last.learn / last.ranks:.2f} with the "
                   f"{start_of_ranks:.2f} s that MPI takes to start", last.learn >= 1.7 * (last.ranks - start_of_ranks))]
        for text, good in checks:
            failed |= not good
            print(f"{text}: {'ok' if good else 'NOT OK'}")
        for inputs, units, samples in [(10, 5, 20000), (20, 10, 20000), (40, 10, 20000), (80, 10, 40000), (20, 5, 20000), (20, 20, 40000)]:
            seen = cost(folder, inputs, units, samples, 1)
            failed |= not seen.exact
            print(seen.row(samples, inputs, units), flush=True)
    if asked.plot:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plot
        figure, axes = plot.subplots(figsize=(6, 4))
        axes.loglog([samples for samples, _ in rows], [seen.learn for _, seen in rows], "o-", label="learn, one thread")
        axes.loglog([samples for samples, _ in rows], [seen.once for _, seen in rows], "s--", label="one evaluate pass")
        axes.set(xlabel=f"samples ({asked.inputs} inputs, {asked.units} units)", ylabel="seconds", title="What recovery costs")
        axes.legend()
        figure.savefig(asked.plot, bbox_inches="tight", dpi=120)
        print(f"wrote {asked.plot}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
