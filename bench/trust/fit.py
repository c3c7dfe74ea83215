"""A fit of units to samples from a start, independent of the library: variable projection, Levenberg-Marquardt.

Outputs (and the affine part) are solved for at each step; weights may differ entry by entry, so that wrong labels, noise
of unlike size and heavy tails (Student's density, reweighted) have their place.
"""
import numpy as np


class Loss:
    """Twice the negative log-likelihood of residuals, up to a constant: normal, or Student's with `degrees`."""

    def __init__(self, scale, degrees, mask):
        self.scale = np.broadcast_to(np.maximum(np.asarray(scale, float), 1e-300), mask.shape)
        self.degrees, self.mask = degrees, mask.astype(float)

    def entries(self, r):
        u = (r / self.scale) ** 2
        if np.isfinite(self.degrees):
            u = (self.degrees + 1) * np.log1p(u / self.degrees)
        return u * self.mask

    def __call__(self, r):
        return float(self.entries(r).sum())

    def weights(self, r):
        w = self.mask / self.scale**2
        if np.isfinite(self.degrees):
            w = w * (self.degrees + 1) / (self.degrees + (r / self.scale) ** 2)
        return w


def basis(F):
    """Orthonormal columns that span F's, and the map from coefficients in them to coefficients of F's columns."""
    size = np.linalg.norm(F, axis=0)
    size = np.where(size > 0, size, 1.0)
    U, s, Vt = np.linalg.svd(F / size, full_matrices=False)
    good = s > 1e-10 * max(s.max(initial=0.0), 1e-300)
    return U[:, good], (Vt[good].T / s[good]) / size[:, None]


def _groups(w):
    """Outputs whose weights are the same, up to a factor of the column."""
    first = w[:, :1]
    if w.shape[1] == 1 or np.array_equal(w, np.broadcast_to(first, w.shape)):
        return [slice(0, w.shape[1])]
    return [slice(o, o + 1) for o in range(w.shape[1])]


def features(z1, theta, affine):
    hidden = np.maximum(z1 @ theta.T, 0)
    return np.c_[hidden, z1] if affine else hidden


def outputs_of(F, y, w):
    """Weighted least squares of the outputs: coefficients and residual."""
    c = np.zeros((F.shape[1], y.shape[1]))
    for g in _groups(w):
        root = np.sqrt(w[:, g][:, :1])
        Q, back = basis(F * root)
        c[:, g] = back @ (Q.T @ (y[:, g] * root))
    return c, y - F @ c


def refine(z1, y, theta, affine, loss, steps=25):
    """theta (k, r + 1) moved to a local optimum; returns theta, outputs (k, l), residual, loss."""
    k, d1 = theta.shape
    r = y.copy()
    w = loss.mask / loss.scale**2

    def solve(th, w):
        c, r = outputs_of(features(z1, th, affine), y, w)
        for _ in range(3 if np.isfinite(loss.degrees) else 0):
            c, r = outputs_of(features(z1, th, affine), y, loss.weights(r))
        return c, r, loss(r)

    if k == 0 and not affine:
        return theta, np.zeros((0, y.shape[1])), y, loss(y)
    c, r, cost = solve(theta, w)
    if k == 0:
        return theta, c[:0], r, cost
    damping = 1e-4
    for _ in range(steps):
        w = loss.weights(r)
        G, g = normal_equations(z1, theta, c[:k], r, w, affine)
        diagonal = np.maximum(np.diag(G), 1e-12 * np.diag(G).max() + 1e-300)
        improved = False
        for _ in range(5):
            step = np.linalg.lstsq(G + damping * np.diag(diagonal), g, rcond=1e-13)[0].reshape(k, d1)
            trial = solve(theta + step, w)
            if trial[2] < cost:
                improved = True
                break
            damping *= 10
        if not improved:
            break
        gain, theta = cost - trial[2], theta + step
        c, r, cost = trial
        damping = max(damping / 10, 1e-10)
        if gain < 1e-3 + 1e-9 * cost:
            break
    return theta, c[:k], r, cost


def projected_slopes(z1, theta, w, affine):
    """Derivatives with respect to theta, rows weighted, what the outputs can do taken away: (n, k (r + 1))."""
    t = z1 @ theta.T
    root = np.sqrt(w)[:, None]
    D = ((t > 0)[:, :, None] * z1[:, None, :]).reshape(len(z1), -1) * root
    Q, _ = basis(features(z1, theta, affine) * root)
    return D - Q @ (Q.T @ D)


def normal_equations(z1, theta, a, r, w, affine):
    k, d1 = theta.shape
    G, g = np.zeros((k * d1, k * d1)), np.zeros(k * d1)
    for group in _groups(w):
        row = w[:, group][:, 0]
        D = projected_slopes(z1, theta, row, affine)
        a_g = a[:, group]
        G += (D.T @ D) * np.kron(a_g @ a_g.T, np.ones((d1, d1)))
        E = D.T @ (r[:, group] * np.sqrt(row)[:, None])
        g += (E.reshape(k, d1, -1) * a_g[:, None, :]).sum(2).ravel()
    return G, g


def kink_covariance(z1, theta, a, e, affine):
    """Of least squares: what errors e (n, l) do to theta, by the sandwich; the scale of theta is free, so singular there."""
    D = projected_slopes(z1, theta, np.ones(len(z1)), affine)
    k, d1 = theta.shape
    G = (D.T @ D) * np.kron(a @ a.T, np.ones((d1, d1)))
    U = D * np.repeat(e @ a.T, d1, axis=1)
    values, vectors = np.linalg.eigh(G)
    good = values > 1e-10 * max(values.max(), 1e-300)
    inverse = (vectors[:, good] / values[good]) @ vectors[:, good].T
    return inverse @ (U.T @ U) @ inverse
