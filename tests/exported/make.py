#!/usr/bin/python3
"""Makes the ONNX files of this folder: models as people train them, written by PyTorch's own exporter, and rows.npz with what PyTorch says of them.

scikit-learn's networks are trained as their users do and carried over to modules (float64, the scaler of a Pipeline as (x - mean) / scale); PyTorch's
modules are float32. Needs python3-torch and python3-sklearn; the files are committed, so tests need neither. Run it in any folder: `make.py FOLDER`.
"""
import sys
import warnings
from pathlib import Path

import numpy as np
import torch
from sklearn import datasets
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import StandardScaler

nn = torch.nn
warnings.simplefilter("ignore")


class Standardised(nn.Module):
    """A Pipeline with its scaler."""

    def __init__(self, scaler, network):
        super().__init__()
        self.register_buffer("mean", torch.as_tensor(scaler.mean_))
        self.register_buffer("scale", torch.as_tensor(scaler.scale_))
        self.network = network

    def forward(self, x):
        return self.network((x - self.mean) / self.scale)


def carried_over(model, last):
    """A scikit-learn network with one hidden layer as a module."""
    layers = []
    for weights, constant in zip(model.coefs_, model.intercepts_):
        layer = nn.Linear(*weights.shape).double()
        layer.weight.data, layer.bias.data = torch.as_tensor(weights.T.copy()), torch.as_tensor(constant)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1], *last)


def regressor():
    x, y = datasets.load_diabetes(return_X_y=True)
    x = StandardScaler().fit_transform(x)
    return carried_over(MLPRegressor((8,), max_iter=300, random_state=0).fit(x, (y - y.mean()) / y.std()), []), x


def pipeline(name):
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True, **({"scaled": False} if name == "diabetes" else {}))
    scaler = StandardScaler().fit(x)
    return Standardised(scaler, carried_over(MLPRegressor((8,), max_iter=300, random_state=0).fit(scaler.transform(x), (y - y.mean()) / y.std()), [])), x


def classifier(name):
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    x = StandardScaler().fit_transform(x)
    return carried_over(MLPClassifier((16,), max_iter=200, random_state=0).fit(x, y), [nn.Sigmoid() if len(set(y)) == 2 else nn.Softmax(dim=1)]), x


def module(middle, outputs, last):
    """A few steps of training in single precision, on wine."""
    torch.manual_seed(0)
    x, y = datasets.load_wine(return_X_y=True)
    x = StandardScaler().fit_transform(x)
    scores = nn.Sequential(nn.Linear(13, 8), *middle, nn.Linear(8, outputs))
    inputs, classes = torch.as_tensor(x).float(), torch.as_tensor(y)
    target = nn.functional.one_hot(classes, 3).float() if outputs == 3 else (classes == 0).float()[:, None]
    optimiser = torch.optim.Adam(scores.parameters(), lr=0.01)
    scores.train()
    for _ in range(60):
        optimiser.zero_grad()
        ((scores(inputs) - target) ** 2).mean().backward()
        optimiser.step()
    return nn.Sequential(*scores, *last), x


MODELS = {
    "regressor_diabetes": regressor,
    "pipeline_raw_diabetes": lambda: pipeline("diabetes"),
    "pipeline_raw_wine": lambda: pipeline("wine"),
    "classifier_wine": lambda: classifier("wine"),
    "classifier_breast_cancer": lambda: classifier("breast_cancer"),
    "classifier_digits": lambda: classifier("digits"),
    "float32_relu": lambda: module([nn.ReLU()], 1, []),
    "float32_batchnorm": lambda: module([nn.BatchNorm1d(8), nn.ReLU()], 1, []),
    "float32_dropout": lambda: module([nn.ReLU(), nn.Dropout(0.5)], 1, []),
    "float32_leaky": lambda: module([nn.LeakyReLU(0.1)], 1, []),
    "float32_prelu": lambda: module([nn.PReLU(8)], 1, []),
    "float32_sigmoid": lambda: module([nn.ReLU()], 1, [nn.Sigmoid()]),
    "float32_softmax": lambda: module([nn.ReLU()], 3, [nn.Softmax(dim=1)]),
    "float32_log_softmax": lambda: module([nn.ReLU()], 3, [nn.LogSoftmax(dim=1)]),
}


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    rows = {}
    for name, make in MODELS.items():
        model, x = make()
        model.eval()
        kind = torch.float32 if name.startswith("float32") else torch.float64
        x = torch.as_tensor(x).to(kind)
        torch.onnx.export(model, x[:1], str(folder / f"{name}.onnx"), input_names=["x"], output_names=["y"], dynamic_axes={"x": {0: "n"}, "y": {0: "n"}},
                          opset_version=13)
        with torch.no_grad():
            rows[f"{name}_x"], rows[f"{name}_y"] = x.double().numpy(), model(x).double().numpy()
    # Raw columns are asked about where their rows are (--like): most of these. Of the others a few are compared with the answer.
    np.savez_compressed(folder / "rows.npz", **{key: value[:120 if "raw" in key else 30] for key, value in rows.items()})


if __name__ == "__main__":
    main()
