"""The regressor in a pipeline: planted data are recovered, real data are fitted."""
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_score

import relucover
from relucover import ReluNetworkRegressor

x, y, truth = relucover.sample(inputs=6, units=3, samples=2000, seed=4)
planted = ReluNetworkRegressor().fit(x, y[:, 0])
print(planted.status_, planted.n_units_, relucover.compare(truth, planted.network_)["max_weight_error"])
assert planted.status_ == "exact"

x, y = load_diabetes(return_X_y=True)
real = ReluNetworkRegressor(noise="some")
print("R² on held-out folds:", cross_val_score(real, x, y, cv=5).mean())
print(real.fit(x, y).message_)
