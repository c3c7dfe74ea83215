"""Acceptance: the certificate costs no more than the fit on noisy data, and no more than a fifth of it on exact data.

Stages whose name speaks of verifying count as certificate, all others as fit; every stage is printed. Medians of 5 runs.
"""
from collections import defaultdict

import numpy as np

CERTIFICATE = ("verify", "certif", "leftover", "left over", "halves", "detection", "one more", "gate")
SHAPES = [(10, 10, 10_000), (5, 3, 1_000), (20, 10, 20_000)]  # inputs, units, samples
DEMANDED = {"noisy": 1.0, "exact": 0.2}
RUNS = 5


def run_once(d, k, n, noise, seed):
    import relucover

    x, y, _ = relucover.sample(inputs=d, units=k, samples=n, seed=seed)
    y = y + noise * y.std() * np.random.default_rng(seed).standard_normal(y.shape)
    result = relucover.learn(x, y, units=k, threads=1, seed=seed)
    stages = defaultdict(float)
    for stage in result.stages:
        stages[stage["stage"]] += stage["seconds"]
    return result.status, stages


def main(asked):
    good = True
    print(f"{'data':6s} {'inputs':>6s} {'units':>5s} {'samples':>7s} {'fit s':>8s} {'cert. s':>8s} {'ratio':>6s}  statuses, stages")
    for kind, noise in (("exact", 0.0), ("noisy", 0.1)):
        for d, k, n in SHAPES:
            fits, certificates, all_stages, statuses = [], [], defaultdict(list), []
            for seed in range(asked.seed_base, asked.seed_base + RUNS):
                status, stages = run_once(d, k, n, noise, seed)
                certificate = sum(s for name, s in stages.items() if any(word in name for word in CERTIFICATE))
                fits.append(sum(stages.values()) - certificate)
                certificates.append(certificate)
                statuses.append(status)
                for name, s in stages.items():
                    all_stages[name].append(s)
            fit, certificate = float(np.median(fits)), float(np.median(certificates))
            ratio = certificate / max(fit, 1e-9)
            good &= ratio <= DEMANDED[kind]
            told = ", ".join(f"{name} {np.median(s):.3f}" for name, s in all_stages.items())
            said = ", ".join(f"{statuses.count(s)} {s}" for s in sorted(set(statuses)))
            print(f"{kind:6s} {d:6d} {k:5d} {n:7d} {fit:8.3f} {certificate:8.3f} {ratio:6.2f}  {said}; {told}")
    print("demanded: noisy <= 1.00, exact <= 0.20")
    return 0 if good else 1
