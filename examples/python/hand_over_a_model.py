"""Hand over a model as it is, and get its network back: a scikit-learn classifier on raw columns, asked where its data live."""
import warnings

import numpy as np
from sklearn.datasets import load_wine
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import relucover

warnings.simplefilter("ignore")
x, y = load_wine(return_X_y=True)
model = make_pipeline(StandardScaler(), MLPClassifier((8,), max_iter=150, random_state=0)).fit(x, y)

found = relucover.extract(model, like=x)
print(found.result.brief())
print("inputs like", found.domain, "; link:", found.network.link, ";", found.queries, "queries")
print("it looked", found.looks_like)

rows = x.astype(np.float32).astype(float)
worst = np.abs(found.network.predict(rows) - model.predict_proba(rows)).max()
print(f"largest difference of a probability on the user's rows: {worst:.1e}")
assert found.status == "exact" and found.network.link == "softmax" and worst < 1e-9

# What is no such network is named before the budget is spent.
smooth = relucover.extract(lambda q: np.tanh(q).sum(1), inputs=5)
print(smooth.status, "after", smooth.queries, "queries:", smooth.result.message)
assert smooth.status == "assumption_failed" and "smooth" in smooth.result.message
