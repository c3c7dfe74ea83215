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


def to_torch(network, dtype="float64"):
    """The same function as a live PyTorch module, in evaluation mode; the link is its last layer.

    ``relucover.to_torch(net)(torch.as_tensor(x))`` is ``net.predict(x)``; `dtype` is "float64" or "float32".
    """
    import torch

    kind = getattr(torch, dtype)
    units = {"relu": torch.nn.ReLU, "leaky": lambda: torch.nn.LeakyReLU(network.slope), "sigmoid": torch.nn.Sigmoid}
    if network.activation not in units:
        raise ValueError(f"PyTorch has no module for the activation {network.activation!r}")

    def linear(W, b=None):
        W = np.atleast_2d(W)
        layer = torch.nn.Linear(W.shape[1], W.shape[0], bias=b is not None, dtype=kind)
        with torch.no_grad():
            layer.weight.copy_(torch.as_tensor(W))
            if b is not None:
                layer.bias.copy_(torch.as_tensor(b))
        return layer

    if any(len(layer) > 2 for layer in network.layers) or network.around.size:
        raise ValueError("a linear path around a hidden layer is not made into a module: write the network as .onnx")
    steps = []
    for layer in network.layers:
        steps += [linear(*layer), units[network.activation]()]
    steps.append(linear(network.A, network.offset))
    chain = torch.nn.Sequential(*steps)
    if np.any(network.skip):
        chain = _with_skip(chain, linear(network.skip))
    links = {"sigmoid": lambda: torch.nn.Sigmoid(), "softmax": lambda: torch.nn.Softmax(dim=-1), "log-softmax": lambda: torch.nn.LogSoftmax(dim=-1)}
    if network.link in links:
        chain = torch.nn.Sequential(chain, links[network.link]())
    return chain.eval()


def _with_skip(chain, skip):
    import torch

    class WithSkip(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.chain, self.skip = chain, skip

        def forward(self, x):
            return self.chain(x) + self.skip(x)

    return WithSkip()


def to_sklearn(network):
    """The same function as a fitted MLPRegressor, or an MLPClassifier where there is a link; a linear term becomes pairs of units.

    >>> import numpy as np, relucover
    >>> net = relucover.Network(W=[[1.0, 2.0]], b=[0.5], A=[[3.0]], skip=[[0.0, 1.0]])
    >>> x = np.array([[1.0, -1.0], [2.0, 0.5]])
    >>> bool(np.allclose(relucover.to_sklearn(net).predict(x), net.predict(x)[:, 0]))
    True
    """
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.preprocessing import LabelBinarizer

    if network.activation != "relu" or network.around.size or any(len(layer) > 2 for layer in network.layers):
        raise ValueError("scikit-learn's networks are plain layers of ReLUs; this one is not")
    hidden = [(W, b) for W, b in network.layers]
    A = network.A
    if np.any(network.skip):
        if len(hidden) > 1:
            raise ValueError("a linear term beside several hidden layers can't be written as scikit-learn's network")
        W, b = hidden[0]
        hidden = [(np.vstack([W, network.skip, -network.skip]), np.concatenate([b, np.zeros(2 * network.outputs)]))]
        A = np.hstack([A, np.eye(network.outputs), -np.eye(network.outputs)])
    widths = tuple(len(b) for _, b in hidden)
    model = (MLPRegressor if network.link == "identity" else MLPClassifier)(hidden_layer_sizes=widths, activation="relu")
    model.coefs_ = [W.T.copy() for W, _ in hidden] + [A.T.copy()]
    model.intercepts_ = [b.copy() for _, b in hidden] + [network.offset.copy()]
    model.n_features_in_, model.n_outputs_, model.n_layers_ = network.inputs, network.outputs, len(widths) + 2
    model.out_activation_ = {"identity": "identity", "sigmoid": "logistic", "softmax": "softmax"}.get(network.link)
    if model.out_activation_ is None:
        raise ValueError(f"scikit-learn has no link {network.link!r}")
    if network.link != "identity":
        model._label_binarizer = LabelBinarizer().fit(range(max(2, network.outputs)))
        model.classes_ = model._label_binarizer.classes_
    return model
