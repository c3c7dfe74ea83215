"""Networks that other packages trained."""
import os

import numpy as np

from ._core import Network


def network_of(model):
    """The same function as a Network: from scikit-learn's MLPRegressor, a PyTorch Sequential, or an .onnx, .json, .npz file.

    One hidden ReLU layer is needed; deeper models can be asked instead (see :func:`relucover.extract`).

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


def _from_sklearn(model):
    if model.activation != "relu" or len(model.coefs_) != 2:
        raise ValueError("one hidden layer with activation='relu' is needed")
    if getattr(model, "out_activation_", "identity") != "identity":
        raise ValueError("the outputs must be linear: a regressor")
    return Network(W=np.asarray(model.coefs_[0], float).T, b=np.asarray(model.intercepts_[0], float),
                   A=np.asarray(model.coefs_[1], float).T, offset=np.asarray(model.intercepts_[1], float))


def _from_torch(model):
    layers = [layer for layer in model.children() if type(layer).__name__ not in ("Identity", "Dropout", "Flatten")]
    kinds = [type(layer).__name__ for layer in layers]
    if kinds != ["Linear", "ReLU", "Linear"]:
        raise ValueError(f"the layers are {kinds}, expected Linear, ReLU, Linear")

    def array(tensor):
        return None if tensor is None else tensor.detach().cpu().double().numpy()

    return Network(W=array(layers[0].weight), b=array(layers[0].bias), A=array(layers[2].weight), offset=array(layers[2].bias))
