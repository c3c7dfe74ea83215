"""The answer's weights as plain arrays: all that the judge takes from the library beside the word and the message."""
import json

import numpy as np

from .truths import Function, Layers, Units

ACTIVATIONS = {
    "relu2": lambda t: np.maximum(t, 0) ** 2,
    "relu3": lambda t: np.maximum(t, 0) ** 3,
    "expm1": lambda t: np.expm1(np.maximum(t, 0)),
    "step": lambda t: (t > 0).astype(float),
    "sigmoid": lambda t: 1 / (1 + np.exp(-t)),
}


def network_of(net):
    """A relucover.Network as Units, or as Layers where it is deeper."""
    layers = getattr(net, "layers", None)
    if callable(layers):
        layers = layers()
    if layers is not None and len(layers) > 1:
        return _deep(net, layers)
    activation = getattr(net, "activation", "relu")
    W, b, A = np.array(net.W, float), np.array(net.b, float).reshape(-1), np.array(net.A, float)
    skip, offset = np.array(net.skip, float), np.array(net.offset, float).reshape(-1)
    if activation == "abs":  # |t| = 2 relu(t) - t
        skip, offset, A = skip - A @ W, offset - A @ b, 2 * A
    elif activation == "leaky":  # (1 - s) relu(t) + s t
        skip, offset, A = skip + net.slope * A @ W, offset + net.slope * A @ b, (1 - net.slope) * A
    elif activation != "relu":
        act = ACTIVATIONS[activation]
        return Function(lambda x: act(x @ W.T + b) @ A.T + x @ skip.T + offset, len(offset), activation)
    if getattr(net, "link", "identity") != "identity":
        return Function(lambda x: _served(net.link, np.maximum(x @ W.T + b, 0) @ A.T + x @ skip.T + offset), len(offset), net.link)
    return Units(W.reshape(len(b), skip.reshape(len(offset), -1).shape[1]), b, A.reshape(len(offset), len(b)), skip, offset)


def _served(link, outputs):
    if link == "sigmoid":
        return 1 / (1 + np.exp(-outputs))
    logs = outputs - outputs.max(1, keepdims=True)
    logs = logs - np.log(np.exp(logs).sum(1, keepdims=True))
    return logs if link == "log-softmax" else np.exp(logs)


def _deep(net, layers):
    """Layers are (W, b) or (W, b, around): around leads from what the layer below sees."""
    weights = [(np.array(layer[0], float), np.array(layer[1], float).reshape(-1)) for layer in layers]
    around = [np.array(layer[2], float) if len(layer) > 2 else None for layer in layers]
    last = np.array(net.around, float)
    weights.append((np.array(net.A, float), np.array(net.offset, float).reshape(-1)))
    around.append(last if last.size else None)
    return Layers(weights, np.array(net.skip, float) if np.any(net.skip) else None, around)


def record_of(result):
    """What is kept of a result: word, message, figures, weights."""
    said = json.loads(result.json())
    return {
        "status": result.status,
        "message": result.message,
        "method": result.method,
        "noise": float(said.get("noise_estimate") or 0.0),
        "detection_limit": said.get("detection_limit"),
        "left_out": said.get("left_out"),
        "stages": said.get("stages", []),
        "notes": said.get("notes", []),
        "chances": {key[len("chance_"):]: value for key, value in said.get("figures", {}).items() if key.startswith("chance_")},
        "network": network_of(result.network) if result.status in ("exact", "recovered", "approximate") else None,
    }
