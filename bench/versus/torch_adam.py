#!/usr/bin/python3
"""relucover against PyTorch's Adam on one planted problem (20 inputs, 10 units, 100000 samples), the same number of threads each.

Prints the processor time of whole `relucover learn` processes (median of three, less that of starting one) in epochs of Adam, and how many seeds Adam at the
right width recovers (every unit within 0.01) in the given number of epochs.
    bench/versus/torch_adam.py [--binary build/relucover] [--seeds 5] [--epochs 100] [--threads 1] [--batch 1024]
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch


def adam(x, y, widths, epochs, seed, batch):
    """Returns (seconds of an epoch, the network) for hidden layers of these widths."""
    torch.manual_seed(seed)
    sizes = [x.shape[1], *widths]
    layers = [layer for below, units in zip(sizes, widths) for layer in (torch.nn.Linear(below, units), torch.nn.ReLU())]
    net = torch.nn.Sequential(*layers, torch.nn.Linear(sizes[-1], y.shape[1]))
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs)
    begin = time.process_time()
    for _ in range(epochs):
        order = torch.randperm(len(x))
        for first in range(0, len(x), batch):
            rows = order[first : first + batch]
            optimiser.zero_grad(set_to_none=True)
            torch.nn.functional.mse_loss(net(x[rows]), y[rows]).backward()
            optimiser.step()
        scheduler.step()
    return (time.process_time() - begin) / epochs, net


def first_units(net):
    """Unit directions with biases of the first layer."""
    w, b = net[0].weight.detach().double().numpy(), net[0].bias.detach().double().numpy()
    size = np.linalg.norm(w, axis=1, keepdims=True)
    return np.hstack([w / size, b[:, None] / size])


def worst_unit(truth, found):
    distance = np.linalg.norm(truth[:, None] - found[None], axis=2)
    return distance.min(axis=1).max()


def run_timed(command):
    """Seconds of processor time: what others do on the machine matters little."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.environ.get("RELUCOVER", "build/relucover"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=1024)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    ratios, recovered, exact = [], 0, 0
    start = sorted(run_timed([options.binary, "--version"])[1] for _ in range(5))[2]  # the system's loader is no part of the comparison
    print(f"{'seed':>4}{'learn s':>10}{'status':>10}{'error':>10}{'epoch s':>10}{'epochs':>8}{'Adam worst unit':>17}")
    for seed in range(1, options.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            data, truth_file, net = (Path(folder) / name for name in ("d.npz", "t.json", "n.json"))
            subprocess.run([options.binary, "sample", "--inputs", "20", "--units", "10", "--samples", "100000", "--seed", str(seed),
                            "-o", data, "--truth", truth_file], check=True, capture_output=True)
            times = []
            for _ in range(3):
                done, seconds = run_timed([options.binary, "learn", data, "--units", "10", "--threads", str(options.threads), "-o", net, "--json"])
                times.append(seconds - start)
            learn_seconds = sorted(times)[1]
            status = json.loads(done.stdout)["status"]
            errors = json.loads(subprocess.run([options.binary, "compare", truth_file, net, "--json"], capture_output=True, text=True).stdout)
            error = max(errors["max_weight_error"], errors["max_bias_error"])
            arrays = np.load(data)
            truth = json.loads(truth_file.read_text())
        x, y = torch.from_numpy(arrays["x"]).float(), torch.from_numpy(arrays["y"]).float().reshape(-1, 1)
        epoch_seconds, net = adam(x, y, [10], options.epochs, seed, options.batch)
        worst = worst_unit(np.hstack([np.array(truth["W"]), np.array(truth["b"])[:, None]]), first_units(net))
        recovered += worst < 0.01
        exact += status == "exact" and error <= 1e-10
        ratios.append(learn_seconds / epoch_seconds)
        print(f"{seed:>4}{learn_seconds:>10.2f}{status:>10}{error:>10.1e}{epoch_seconds:>10.3f}{ratios[-1]:>8.1f}{worst:>17.2f}", flush=True)
    median = sorted(ratios)[len(ratios) // 2]
    print(f"relucover exact on {exact} of {options.seeds}, in the time of {median:.1f} epochs of Adam (median; worst {max(ratios):.1f})")
    print(f"Adam at the same width recovers {recovered} of {options.seeds} in {options.epochs} epochs")
    sys.exit(0 if exact == options.seeds and median <= 2 and recovered <= 0.2 * options.seeds else 1)


if __name__ == "__main__":
    main()
