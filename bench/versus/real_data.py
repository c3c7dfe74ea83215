#!/usr/bin/python3
"""ReluNetworkRegressor beside scikit-learn's MLPRegressor(16) on real data: held-out mean squared error over 5 folds.

    PYTHONPATH=build/python /usr/bin/python3 bench/versus/real_data.py [NAME...]
"""
import sys
import time
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_linnerud, load_wine
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from relucover import ReluNetworkRegressor


def column_from_the_others(data, column=0):
    return np.delete(data, column, axis=1), data[:, column]


SETS = {
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "wine: alcohol": lambda: column_from_the_others(load_wine().data),
    "wine: colour": lambda: column_from_the_others(load_wine().data, 9),
    "iris: petal length": lambda: column_from_the_others(load_iris().data, 2),
    "cancer: concavity": lambda: column_from_the_others(load_breast_cancer().data, 6),
    "linnerud": lambda: load_linnerud(return_X_y=True),
    "digits: value": lambda: (load_digits().data, load_digits().target.astype(float)),
}
MODELS = {
    "relucover": ReluNetworkRegressor(),
    "MLP(16)": MLPRegressor(16, random_state=0),
    "scaled MLP(16)": make_pipeline(StandardScaler(), MLPRegressor(16, random_state=0)),
    "scaled ridge": make_pipeline(StandardScaler(), RidgeCV(np.logspace(-4, 4, 25))),
}


def main(names):
    warnings.simplefilter("ignore")
    worst = 0.0
    print(f"{'data':20}" + "".join(f"{name:>16}" for name in MODELS) + f"{'cpu s':>10}  status, units")
    for name in names or SETS:
        x, y = SETS[name]()
        errors, seconds, chosen = {key: [] for key in MODELS}, 0.0, []
        for fold, (train, judge) in enumerate(KFold(5, shuffle=True, random_state=0).split(x)):
            for key, model in MODELS.items():
                begin = time.process_time()
                fitted = clone(model).fit(x[train], y[train])
                if key == "relucover":
                    seconds += time.process_time() - begin
                    chosen.append((fitted.status_, fitted.n_units_))
                    if fold == 0:
                        again = clone(model).fit(x[train], y[train])
                        assert again.predict(x[judge]).tobytes() == fitted.predict(x[judge]).tobytes(), "not deterministic"
                errors[key].append(np.mean((fitted.predict(x[judge]) - y[judge]) ** 2))
        means = {key: float(np.mean(values)) for key, values in errors.items()}
        worst = max(worst, means["relucover"] / means["MLP(16)"])
        statuses = ", ".join(sorted({status for status, _ in chosen}))
        print(f"{name:20}" + "".join(f"{means[key]:16.5g}" for key in MODELS) + f"{seconds:10.1f}  {statuses}, {[u for _, u in chosen]}", flush=True)
    print(f"worst ratio to MLP(16): {worst:.3f} (bar 1.02)")
    return 0 if worst <= 1.02 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
