"""A network that scikit-learn trained is asked for values, and its weights are recovered from the answers."""
import warnings

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.neural_network import MLPRegressor

import relucover

x, y = load_diabetes(return_X_y=True)
x, y = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    model = MLPRegressor(hidden_layer_sizes=(8,), max_iter=300, random_state=1).fit(x, y)

found = relucover.extract(model.predict, inputs=10)
errors = relucover.compare(relucover.network_of(model), found.network)
print(found)
print(f"{errors['units_matched']} units of 8, largest weight error {errors['max_weight_error']:.1e}")
assert errors["function_rms"] < 1e-9
