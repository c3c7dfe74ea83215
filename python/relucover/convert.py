"""Networks that other packages trained."""
import os

import numpy as np

from ._core import Network


def network_of(model):
    """The same function as a Network: from scikit-learn's MLPRegressor, a PyTorch Sequential, or an .onnx, .json, .npz file.

    Hidden layers are ReLU; other models can be asked instead (see :func:`relucover.extract`).

    >>> import numpy as np, relucover
    >>> from sklearn.neural_network import MLPRegressor
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(200, 3))
    >>> mlp = MLPRegressor(hidden_layer_sizes=(4,), max_iter=20, random_state=0)
    >>> import warnings; warnings.simplefilter("ignore")
    >>> mlp = mlp.fit(x, np.abs(x[:, 0]))
    >>> net = relucover.network_of(mlp)
    >>> bool(np.allclose(net.predict(x)[:, 0], mlp.predict(x), rtol=0, atol=1e-12))
    True
    """
    if isinstance(model, (str, os.PathLike)):
        return Network.read(os.fspath(model))
    if hasattr(model, "coefs_") and hasattr(model, "intercepts_"):
        return _from_sklearn(model)
    if hasattr(model, "state_dict") and hasattr(model, "children"):
        return _from_torch(model)
    raise TypeError(f"can't make a network of {type(model).__name__}: expected a file, an MLPRegressor or a PyTorch Sequential")


def _network(weights, biases):
    """Layers from below, the output last."""
    hidden = list(zip(weights[:-1], biases[:-1]))
    if len(hidden) == 1:
        return Network(W=hidden[0][0], b=hidden[0][1], A=weights[-1], offset=biases[-1])
    return Network.deep([(W, np.zeros(len(W)) if b is None else b) for W, b in hidden], A=weights[-1], offset=biases[-1])


def _from_sklearn(model):
    if model.activation != "relu":
        raise ValueError("activation='relu' is needed")
    if getattr(model, "out_activation_", "identity") != "identity":
        raise ValueError("the outputs must be linear: a regressor")
    return _network([np.asarray(W, float).T for W in model.coefs_], [np.asarray(b, float) for b in model.intercepts_])


def _from_torch(model):
    layers = [layer for layer in model.children() if type(layer).__name__ not in ("Identity", "Dropout", "Flatten")]
    kinds = [type(layer).__name__ for layer in layers]
    hidden = len(kinds) // 2
    if hidden < 1 or kinds != ["Linear", "ReLU"] * hidden + ["Linear"]:
        raise ValueError(f"the layers are {kinds}, expected Linear, ReLU, ..., Linear")

    def array(tensor):
        return None if tensor is None else tensor.detach().cpu().double().numpy()

    linear = layers[::2]
    return _network([array(layer.weight) for layer in linear], [array(layer.bias) for layer in linear])
