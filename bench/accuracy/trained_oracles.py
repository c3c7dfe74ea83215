#!/usr/bin/python3
"""Networks of 10-8-1 units trained on real data by PyTorch and scikit-learn, asked with Gaussian queries.

    PYTHONPATH=build/python /usr/bin/python3 bench/accuracy/trained_oracles.py [SEEDS]

One line for each network: how many of its units bend on the queries, are off or linear there, what was found, and the
worst relative error of a unit that bends. Bars: 1e-9 for answers in float64, 1e-5 for float32. Without PyTorch
(packages-bench.txt) its networks are left out, and a line says so.
"""
import sys
import time
import warnings

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.neural_network import MLPRegressor

import relucover

try:
    import torch
except ImportError:
    torch = None


def standardised(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


def by_pytorch(precision, seed, decay):
    """Full-batch Adam; weight decay lets some units die."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    dtype = getattr(torch, precision)
    model = torch.nn.Sequential(torch.nn.Linear(10, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).to(dtype)
    x, y = load_diabetes(return_X_y=True)
    x, y = torch.tensor(standardised(x), dtype=dtype), torch.tensor(standardised(y), dtype=dtype)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2, weight_decay=decay)
    for _ in range(300):
        optimiser.zero_grad()
        torch.mean((model(x)[:, 0] - y) ** 2).backward()
        optimiser.step()

    def oracle(queries):
        with torch.no_grad():
            return model(torch.tensor(queries, dtype=dtype)).numpy()

    return oracle, relucover.network_of(model)


def by_scikit_learn(labels, seed, iterations):
    x, y = load_diabetes(return_X_y=True)
    y = standardised(y) if labels == "standardised" else y
    model = MLPRegressor(hidden_layer_sizes=(8,), random_state=seed, max_iter=iterations).fit(standardised(x), y)
    return model.predict, relucover.network_of(model)


def networks(seeds):
    for seed in range(seeds):
        for precision in ("float64", "float32") if torch else ():
            for decay in (0.0, 1e-2):
                yield f"PyTorch {precision} decay {decay:g} seed {seed}", precision, by_pytorch(precision, seed, decay)
        for labels in ("standardised", "as they are"):
            for iterations in (200, 2000):
                name = f"scikit-learn, labels {labels}, {iterations} iterations, seed {seed}"
                yield name, "float64", by_scikit_learn(labels, seed, iterations)


def worst_error(seen, found):
    errors = relucover.compare(seen, found)
    if errors["units_matched"] < seen.units or found.units != seen.units:
        return np.inf
    return max(errors["max_weight_error"], errors["max_bias_error"], errors["max_output_error"] / np.abs(seen.canonical().A).max())


def main(seeds):
    warnings.simplefilter("ignore")
    if torch is None:
        print("PyTorch is not installed: its networks are left out")
    print(f"{'network':58} {'bend':>5}{'off':>5}{'linear':>7} {'status':>12}{'queries':>9}{'cpu s':>7}{'worst error':>13}{'bar':>8}")
    failed = 0
    for name, precision, (oracle, network) in networks(seeds):
        asked = []
        begin = time.process_time()
        found = relucover.extract(lambda x: asked.append(x.copy()) or oracle(x), inputs=10, threads=1, budget=100_000)
        seconds = time.process_time() - begin
        queries = np.concatenate(asked)
        kinds = relucover.unit_activity(network, queries)
        worst = worst_error(relucover.as_seen(network, queries), found.network)
        bar = 1e-9 if precision == "float64" else 1e-5
        failed += not (worst <= bar and found.result.certified)
        print(f"{name:58} {kinds.count('bends'):5}{kinds.count('off'):5}{kinds.count('linear'):7} {found.status:>12}{found.queries:9}"
              f"{seconds:7.1f}{worst:13.1e}{bar:8.0e}", flush=True)
    print(f"{failed} above their bar" if failed else "all within their bars")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3))
