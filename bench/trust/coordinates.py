"""Coordinates in which inputs have unit covariance, and units as hyperplanes in them."""
import numpy as np


class Coordinates:
    """x = middle + z spread; constant and dependent directions dropped."""

    def __init__(self, x):
        x = np.asarray(x, float)
        self.middle = x.mean(0)
        centred = x - self.middle
        size = np.sqrt((centred**2).mean(0))
        self.size = np.where(size > 1e-13 * np.maximum(np.abs(self.middle), 1e-300), size, 0.0)
        scaled = centred / np.where(self.size > 0, self.size, np.inf)
        values, vectors = np.linalg.eigh(scaled.T @ scaled / len(x))
        good = values > 1e-11 * max(values.max(), 1e-300)
        self.root = np.sqrt(values[good])
        self.vectors = vectors[:, good]
        self.z = scaled @ self.vectors / self.root
        self.dimension = int(good.sum())

    @property
    def z1(self):
        return np.c_[self.z, np.ones(len(self.z))]

    def hyperplanes(self, network):
        """theta (k, r + 1): the units' arguments as linear functions of (z, 1)."""
        slopes = (network.W * self.size) @ self.vectors * self.root
        return np.c_[slopes, network.b + network.W @ self.middle]


def canonical(network, place):
    """Kinks that the samples show: theta with unit slope and the jump of slope across it, (k, r + 1) and (k, l).
    Units with the same kink are one; those without one inside the samples are part of the affine rest."""
    theta = place.hyperplanes(network)
    jump = network.A.T.copy()
    slope = np.linalg.norm(theta[:, :-1], axis=1)
    seen = slope > 1e-13 * np.maximum(np.abs(theta[:, -1]), 1e-300)
    theta, jump, slope = theta[seen], jump[seen], slope[seen]
    theta, jump = theta / slope[:, None], jump * slope[:, None]
    inside = place.z1 @ theta.T
    seen = ((inside > 0).sum(0) > 0) & ((inside < 0).sum(0) > 0)
    theta, jump = theta[seen], jump[seen]
    kept_theta, kept_jump = [], []
    for h, j in zip(theta, jump):
        for i, other in enumerate(kept_theta):
            if min(np.linalg.norm(h - other), np.linalg.norm(h + other)) < 1e-9 * (1 + np.linalg.norm(other)):
                kept_jump[i] = kept_jump[i] + j
                break
        else:
            kept_theta.append(h)
            kept_jump.append(j)
    if not kept_theta:
        return np.zeros((0, theta.shape[1])), np.zeros((0, jump.shape[1]))
    theta, jump = np.array(kept_theta), np.array(kept_jump)
    size = np.linalg.norm(jump, axis=1)
    keep = size > 1e-12 * size.max()
    return theta[keep], jump[keep]
