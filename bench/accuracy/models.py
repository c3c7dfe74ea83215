#!/usr/bin/python3
"""Models as people have them, handed over whole: `relucover.extract(model)` with nothing else, or with `like=X` where inputs are raw.

scikit-learn's networks on its own data sets, in Pipelines and as classifiers, PyTorch modules with all that exporters fold; five random
states each. An answer counts when it is certified and serves what the model does at the user's rows and at fresh inputs drawn alike.
    bench/accuracy/models.py [--states 5] [--only TEXT] [--kinds] [--threads 1]
--kinds: models that are no network with one hidden layer, and what they are called.
"""
import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build" / "python"))
import relucover

warnings.simplefilter("ignore")


def data(name, raw=False):
    from sklearn import datasets
    from sklearn.preprocessing import StandardScaler

    if name == "diabetes" and raw:
        x, y = datasets.load_diabetes(return_X_y=True, scaled=False)
    else:
        x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return (x if raw else StandardScaler().fit_transform(x)), y


def regressor(units, state):
    from sklearn.neural_network import MLPRegressor

    x, y = data("diabetes")
    return MLPRegressor((units,), max_iter=300, random_state=state).fit(x, (y - y.mean()) / y.std()), {}, x


def pipeline(name, state, like):
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = data(name, raw=True)
    model = make_pipeline(StandardScaler(), MLPRegressor((8,), max_iter=300, random_state=state)).fit(x, (y - y.mean()) / y.std())
    return model, ({"like": x} if like else {}), x


def classifier(name, state, like):
    from sklearn.neural_network import MLPClassifier

    x, y = data(name)
    return MLPClassifier((16,), max_iter=200, random_state=state).fit(x, y), ({"like": x} if like else {}), x


def module(kind, state):
    import torch

    torch.manual_seed(state)
    nn = torch.nn
    x, _ = data("wine")
    middle = {"relu": nn.ReLU(), "batchnorm": nn.Sequential(nn.BatchNorm1d(8), nn.ReLU()), "dropout": nn.Sequential(nn.ReLU(), nn.Dropout(0.5)),
              "leaky": nn.LeakyReLU(0.1), "prelu": nn.PReLU(8)}.get(kind, nn.ReLU())
    last = {"sigmoid": [nn.Sigmoid()], "softmax": [nn.Softmax(dim=1)], "log-softmax": [nn.LogSoftmax(dim=1)]}.get(kind, [])
    model = nn.Sequential(nn.Linear(13, 8), middle, nn.Linear(8, 3 if "softmax" in kind else 1), *last)
    if kind == "batchnorm":  # statistics of some training
        model.train()
        for _ in range(20):
            model(torch.as_tensor(x + np.random.default_rng(state).normal(size=x.shape)).float())
    return model.eval(), {}, x


CASES = {
    "MLPRegressor 8": lambda s: regressor(8, s),
    "MLPRegressor 32": lambda s: regressor(32, s),
    "MLPRegressor 64": lambda s: regressor(64, s),
    "Pipeline, raw diabetes, like": lambda s: pipeline("diabetes", s, True),
    "Pipeline, raw diabetes": lambda s: pipeline("diabetes", s, False),
    "Pipeline, raw wine, like": lambda s: pipeline("wine", s, True),
    "Pipeline, raw wine": lambda s: pipeline("wine", s, False),
    "MLPClassifier 16, wine": lambda s: classifier("wine", s, False),
    "MLPClassifier 16, breast_cancer": lambda s: classifier("breast_cancer", s, False),
    "MLPClassifier 16, digits": lambda s: classifier("digits", s, False),
    **{f"torch float32, {kind}": (lambda s, kind=kind: module(kind, s))
       for kind in ("relu", "batchnorm", "dropout", "leaky", "prelu", "sigmoid", "softmax", "log-softmax")},
}


def asked(model, x):
    return relucover.models.Asked.model(model)(x).reshape(len(x), -1)


def fresh_like(found, rows, state):
    """Inputs of the domain that the answer names."""
    rng = np.random.default_rng(1000 + state)
    if "rows of" in found.domain:
        mixed = rows[rng.integers(len(rows), size=2000)]
        return mixed.astype(np.float32).astype(float)
    return None


def agrees(model, network, x):
    """Served values alike to the rounding of the model's precision (before the link: where probabilities carry digits)."""
    truth, answer = asked(model, x), network.predict(x).reshape(len(x), -1)
    single = np.array_equal(truth.astype(np.float32).astype(float), truth)
    return np.abs(truth - answer).max() <= (3e-5 if single else 1e-9) * max(1.0, np.abs(truth).max())


def run_case(name, state, threads=1):
    model, options, rows = CASES[name](state)
    start = time.perf_counter()
    found = relucover.extract(model, seed=state, time_limit=120, threads=threads, **options)
    seconds = time.perf_counter() - start
    rng = np.random.default_rng(state)
    # Rows of the user where the domain is theirs, or theirs are standardised; else inputs of the standard domain.
    standard = "like" in options or not name.startswith("Pipeline")
    x = rows.astype(np.float32).astype(float) if standard else None
    checks = [x] if x is not None else []
    if found.domain == "N(0, I)":
        checks.append(rng.normal(size=(2000, rows.shape[1])).astype(np.float32).astype(float))
    alike = found.result.network.inputs > 0 and all(agrees(model, found.network, x) for x in checks)
    return found, alike, seconds


KINDS = {
    "tanh": "smooth", "gelu": "smooth", "elu": "smooth", "softplus": "smooth", "sine": "smooth", "class labels": "values", "one-hot classes": "values",
    "rounded scores": "piecewise constant", "constant": "constant", "decision tree": "piecewise constant", "two hidden layers": "more than one hidden layer",
    "sharp softplus": "smooth", "small steps": "jumps",
    "relu on the output": "more than one hidden layer",
}


def kind_of_model(kind, state):
    rng = np.random.default_rng(state)
    d = 6
    W, b, a = rng.normal(size=(10, d)), rng.normal(size=10), rng.normal(size=10)
    u = lambda x: x @ W.T + b
    from math import sqrt

    erf = np.vectorize(__import__("math").erf)
    V, c = rng.normal(size=(8, 10)) / sqrt(10) * 1.4, 0.3 * rng.normal(size=8)
    net = lambda x: np.maximum(u(x), 0) @ a
    if kind == "decision tree":
        from sklearn.tree import DecisionTreeRegressor

        x = rng.normal(size=(3000, d))
        return DecisionTreeRegressor(random_state=state).fit(x, net(x))
    return {
        "tanh": lambda x: np.tanh(u(x)) @ a,
        "gelu": lambda x: (0.5 * u(x) * (1 + erf(u(x) / sqrt(2)))) @ a,
        "elu": lambda x: np.where(u(x) > 0, u(x), np.expm1(np.minimum(u(x), 0))) @ a,
        "softplus": lambda x: np.logaddexp(0, u(x)) @ a,
        "sine": lambda x: np.sin(u(x)) @ a,
        "sharp softplus": lambda x: np.logaddexp(0, 1000 * u(x)) @ a / 1000,
        "small steps": lambda x: net(x) + 0.2 * np.floor(3 * x[:, 0] + x[:, 1]),
        "class labels": lambda x: np.digitize(net(x), [-2.0, 0.0, 2.0]).astype(float),
        "one-hot classes": lambda x: np.eye(3)[np.digitize(net(x), [-1.0, 1.0])],
        "rounded scores": lambda x: np.round(net(x), 1),
        "constant": lambda x: np.full(len(x), 3.25),
        "two hidden layers": lambda x: np.maximum(np.maximum(u(x), 0) @ V.T + c, 0) @ a[:8],
        "relu on the output": lambda x: np.maximum(net(x), 0),
    }[kind]


def show_kinds(states, threads):
    wrong = 0
    print(f"{'model':<22}{'named':>8}{'queries':>9}{'cpu s':>9}  words")
    for kind, word in KINDS.items():
        for state in range(states):
            start = time.process_time()
            found = relucover.extract(kind_of_model(kind, state), inputs=6, seed=state, time_limit=30, threads=threads)
            used = time.process_time() - start
            named = word in found.result.message and not found.result.certified
            wrong += not named or found.queries > 20000 or used > 10
            print(f"{kind:<22}{'yes' if named else 'NO':>8}{found.queries:>9}{used:>9.2f}  {found.status}: {found.result.message[:110]}", flush=True)
    return wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--states", type=int, default=5)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--kinds", action="store_true")
    arguments.add_argument("--threads", type=int, default=1)
    given = arguments.parse_args()
    if given.kinds:
        wrong = show_kinds(given.states, given.threads)
        print(f"{wrong} not named, or only after more than 20,000 queries or 10 s")
        return wrong > 0
    right = total = false = 0
    print(f"{'model':<34}{'state':>6}{'status':>18}{'link':>12}{'alike':>7}{'queries':>9}{'seconds':>9}")
    for name in CASES:
        if given.only not in name:
            continue
        for state in range(given.states):
            found, alike, seconds = run_case(name, state, given.threads)
            total += 1
            right += found.result.certified and alike
            false += found.result.certified and not alike
            print(f"{name:<34}{state:>6}{found.status:>18}{found.network.link:>12}{'yes' if alike else 'NO':>7}{found.queries:>9}{seconds:>9.2f}"
                  + ("" if found.result.certified else f"  {found.result.message[:120]}"), flush=True)
    print(f"{right} of {total} certified and alike, {false} certified and not")
    return right < 0.95 * total or false > 0


if __name__ == "__main__":
    sys.exit(main())
