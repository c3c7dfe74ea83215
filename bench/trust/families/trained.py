"""Networks trained on real tables (diabetes, wine), asked about the table's own rows and about noisy copies of them."""
import warnings
from functools import lru_cache

import numpy as np

from .. import noises
from ..case import Case
from ..truths import Units
from . import family
from .common import add_noise


@lru_cache(None)
def _table(name):
    from sklearn import datasets

    data = datasets.load_diabetes() if name == "diabetes" else datasets.load_wine()
    x = (data.data - data.data.mean(0)) / data.data.std(0)
    target = np.asarray(data.target, float)
    return x, (target - target.mean()) / target.std()


@family("trained", 4)
def trained(rng):
    from sklearn.neural_network import MLPRegressor

    name = str(rng.choice(["diabetes", "wine"]))
    x, target = _table(name)
    columns = np.sort(rng.permutation(x.shape[1])[: int(rng.integers(2, 9))])
    x = x[:, columns]
    k = int(rng.integers(1, 7))
    mlp = MLPRegressor((k,), solver="lbfgs", alpha=10.0 ** rng.uniform(-5, 0), max_iter=int(rng.integers(5, 120)), random_state=int(rng.integers(1 << 30)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mlp.fit(x, target)
    truth = Units(mlp.coefs_[0].T, mlp.intercepts_[0], mlp.coefs_[1].T, None, mlp.intercepts_[1])
    spread = float(rng.choice([0.0, 0.1, 1.0]))  # 0: the table's own rows
    copies = int(rng.integers(2, 6)) if spread else 1

    def draw(g, m):
        return x[g.integers(len(x), size=m)] + spread * g.standard_normal((m, x.shape[1]))

    rows = draw(rng, copies * len(x)) if spread else x
    case = Case(rows, truth(rows), truth, draw, f"{k} units trained on {name}, {'copies' if spread else 'its own rows'}", units=k if rng.random() < 0.5 else "auto")
    case.discrete = spread == 0
    if rng.random() < 0.3:
        f = case.labels
        s = np.exp(rng.uniform(np.log(1e-6), np.log(0.2))) * noises.spread_of(f)
        add_noise(case, noises.normal(rng, f.shape, s))
    elif rng.random() < 0.4:
        case.y, case.float32 = case.y.astype(np.float32), True
    return case
