#!/usr/bin/python3
"""Classifiers that serve probabilities of four digits: MLPClassifier(16) on wine, asked with 100,000 queries at most, five random states.

    bench/accuracy/rounded_probabilities.py [--states 5] [--digits 4]

A line for each: status, units, queries, and the largest error of a unit's kink plane in predicted standard errors (5 is the bar). Standard errors are computed
here, from the Jacobian of the answer on 20,000 inputs like those that were asked, for as many samples as were learned from, and the noise that the answer names.
"""
import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build" / "python"))
import relucover


def classifier(state):
    from sklearn.datasets import load_wine
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import StandardScaler

    x, y = load_wine(return_X_y=True)
    return MLPClassifier((16,), max_iter=200, random_state=state).fit(StandardScaler().fit_transform(x), y)


def plane(w, b):
    both = np.append(w, b)
    return both / np.linalg.norm(w) * np.sign(w[np.argmax(np.abs(w))])


def standard_errors(network, carried, samples, noise, seed):
    """Of each unit's plane (unit normal, offset), by coordinates: f = A |Theta x~| + V x~, all free, up to the scale between A and Theta."""
    x = np.random.default_rng(seed).normal(size=(40000, network.inputs))
    x = x[carried(x)][:20000]
    z = np.hstack([x, np.ones((len(x), 1))])
    theta, A = np.hstack([network.W, network.b[:, None]]), 0.5 * (network.A[1:] - network.A[:1])
    k, d, l = len(theta), z.shape[1], len(A)
    u = z @ theta.T
    gram = 0
    # the first class is in every difference: noise of covariance 1 1' + I
    root = np.linalg.inv(np.linalg.cholesky((np.ones((l, l)) + np.eye(l)) / 2))
    outputs = []
    for o in range(l):
        J = np.zeros((len(z), k * d + l * k + l * d))
        J[:, : k * d] = (np.sign(u)[:, :, None] * z[:, None, :] * A[o][None, :, None]).reshape(len(z), -1)
        J[:, k * d + o * k : k * d + (o + 1) * k] = np.abs(u)
        J[:, k * d + l * k + o * d : k * d + l * k + (o + 1) * d] = z
        outputs.append(J)
    for row in root:
        J = sum(c * part for c, part in zip(row, outputs))
        gram = gram + J.T @ J / len(z)
    covariance = noise**2 / samples * np.linalg.pinv(gram, rcond=1e-12, hermitian=True)
    errors = []
    for i in range(k):
        block = covariance[i * d : (i + 1) * d, i * d : (i + 1) * d]
        length = np.linalg.norm(network.W[i])
        inward = np.append(network.W[i] / length, 0)
        moved = (np.eye(d) - np.outer(theta[i] / length, inward)) / length  # of plane(w, b) by theta
        errors.append(np.sqrt(np.diag(moved @ block @ moved.T)))
    return np.array(errors)


def main():
    warnings.simplefilter("ignore")
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--states", type=int, default=5)
    arguments.add_argument("--digits", type=int, default=4)
    given = arguments.parse_args()
    failed = 0
    print(f"{'state':>5}{'status':>13}{'units':>6}{'link':>9}{'queries':>9}{'samples':>9}{'noise':>10}{'worst error':>13}{'in standard errors':>20}")
    for state in range(given.states):
        model = classifier(state)
        served = lambda x: np.round(model.predict_proba(x), given.digits)
        found = relucover.extract(served, inputs=13, budget=100_000, seed=state, threads=1)
        truth = [plane(w, b) for w, b in zip(model.coefs_[0].T, model.intercepts_[0])]
        network, noise = found.network, found.result.noise_estimate
        worst = ratio = np.inf
        if network.units == len(truth):
            carried = lambda x: (served(x).min(axis=1) >= 0.02)
            errors = standard_errors(network, carried, found.result.samples, noise, state)
            planes = [plane(w, b) for w, b in zip(network.W, network.b)]
            partner = [int(np.argmin([np.linalg.norm(p - t) for p in planes])) for t in truth]
            off = np.array([np.abs(planes[j] - t) for j, t in zip(partner, truth)])
            worst, ratio = off.max(), (off / errors[partner]).max()
        failed += not (found.status == "recovered" and ratio <= 5)
        print(f"{state:>5}{found.status:>13}{network.units:>6}{network.link:>9}{found.queries:>9}{found.result.samples:>9}{noise:>10.1e}{worst:>13.1e}{ratio:>20.1f}", flush=True)
    print(f"{given.states - failed} of {given.states} recovered with all units within 5 standard errors")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
