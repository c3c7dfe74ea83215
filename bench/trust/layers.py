"""Units of deep networks, compared layer by layer up to order and scale."""
import numpy as np


def normalised(layers):
    """Rows of length 1 with their bias, what sees them scaled against it."""
    scaled, scale = [], np.ones(layers[0][0].shape[1])
    for weights, bias in layers:
        weights = weights * scale
        scale = np.linalg.norm(np.c_[weights, bias], axis=1)
        scale[scale == 0] = 1
        scaled.append((weights / scale[:, None], bias / scale))
    return scaled


def units_found(truth, found, tolerance=1e-8):
    """For each hidden layer of the truth ((W, b) of each), which units are among the answer's."""
    layers, order = [], None
    for (weights, bias), (w, b) in zip(normalised(truth), normalised(found)):
        if order is not None:
            w = np.array([[row[k] if k >= 0 else 0.0 for k in order] for row in w]).reshape(len(w), len(order))
        rows, other = np.c_[weights, bias], np.c_[w, b]
        nearest = [int(np.abs(other - row).max(1).argmin()) if len(other) else -1 for row in rows]
        layers.append([k >= 0 and np.abs(other[k] - row).max() <= tolerance for k, row in zip(nearest, rows)])
        order = [k if there else -1 for k, there in zip(nearest, layers[-1])]
    return layers


def shares_on(layers, x):
    """The share of inputs for which each unit is on, layer by layer."""
    shares = []
    for weights, bias in layers:
        x = np.maximum(x @ weights.T + bias, 0)
        shares.append((x > 0).mean(0))
    return shares
