#!/usr/bin/python3
"""All layers of deep planted networks against PyTorch's Adam at the right widths on the same samples, the same number of threads each.

Prints the time of whole `relucover learn --layers` processes, the same in epochs of Adam (processor time), and how many networks Adam finds:
every unit of the first layer within .01, or a relative error of the function below 1e-3.
    bench/versus/deep_adam.py [--binary build/relucover] [--seeds 20] [--first 1] [--epochs 100] [--threads 2] [CASE ...]
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch_adam import adam, first_units, run_timed, worst_unit

# layers: (samples, seconds demanded in the median)
CASES = {"8,5": (20000, 3), "10,10": (40000, 12), "20,20": (60000, 90)}


def one_seed(options, layers, samples, seed):
    with tempfile.TemporaryDirectory() as folder:
        data, truth_file, net_file = (Path(folder) / name for name in ("d.npz", "t.json", "n.json"))
        subprocess.run([options.binary, "sample", "--inputs", "10", "--layers", layers, "--samples", str(samples), "--seed", str(seed), "-o", data,
                        "--truth", truth_file], check=True, capture_output=True)
        begin = time.monotonic()
        done, processor = run_timed([options.binary, "learn", data, "--layers", layers, "--threads", str(options.threads), "-o", net_file, "--json"])
        seconds = time.monotonic() - begin
        status = json.loads(done.stdout)["status"]
        errors = json.loads(subprocess.run([options.binary, "compare", truth_file, net_file, "--json"], capture_output=True, text=True).stdout)
        arrays, truth = np.load(data), json.loads(truth_file.read_text())
    x, y = torch.from_numpy(arrays["x"]).float(), torch.from_numpy(arrays["y"]).float().reshape(samples, -1)
    epoch, net = adam(x, y, [int(width) for width in layers.split(",")], options.epochs, seed, options.batch)
    with torch.no_grad():
        left = float(((net(x) - y) ** 2).mean() / y.var())
    first = truth["layers"][0]
    W, b = np.array(first["W"]), np.array(first["b"])
    size = np.linalg.norm(W, axis=1, keepdims=True)
    worst = worst_unit(np.hstack([W / size, b[:, None] / size]), first_units(net))
    print(f"{layers:>8}{seed:>6}{status:>13}{errors['function_rms']:>10.1e}{seconds:>9.1f}{processor / epoch:>9.1f}{worst:>17.2f}{left ** 0.5:>12.1e}", flush=True)
    return seconds, processor / epoch, status == "exact" or errors["function_rms"] < 1e-9, worst < 0.01 or left**0.5 < 1e-3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.environ.get("RELUCOVER", "build/relucover"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="layers, as 8,5; all if none is given")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    met = True
    print(f"{'layers':>8}{'seed':>6}{'status':>13}{'function':>10}{'seconds':>9}{'epochs':>9}{'Adam worst unit':>17}{'Adam error':>12}")
    for layers in options.cases or CASES:
        samples, demanded = CASES[layers]
        rows = [one_seed(options, layers, samples, options.first + k) for k in range(options.seeds)]
        median, ratio = statistics.median(row[0] for row in rows), statistics.median(row[1] for row in rows)
        print(f"{layers}: function exact in {sum(row[2] for row in rows)} of {len(rows)}, median {median:.1f} s (demanded {demanded}), {ratio:.1f} epochs of Adam; "
              f"Adam at the same widths finds {sum(row[3] for row in rows)} in {options.epochs} epochs", flush=True)
        met = met and median <= demanded
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
