"""Few samples without noise: is `exact` wrong on more inputs drawn alike than the share it states (`unseen_share`, at 99%)?

Units that bend beyond the samples, or twice between two of them, leave no trace: how often that happens is counted too.
"""
import numpy as np

from .. import ask
from ..crew import run_all

FRESH, ROUNDING = 20000, 1e-6


def run(number):
    import relucover

    rng = np.random.default_rng([75, number])
    d, k, l, n = int(rng.integers(1, 4)), int(rng.integers(1, 5)), int(rng.integers(1, 3)), int(rng.integers(6, 50))
    W, b = rng.normal(size=(k, d)), 0.7 * rng.normal(size=k)
    A = rng.choice([-1.0, 1.0], size=(l, k)) * rng.uniform(0.5, 1.5, size=(l, k))

    def truth(x):
        return np.maximum(x @ W.T + b, 0) @ A.T

    x = rng.normal(size=(n, d))
    y = truth(x)
    found = relucover.learn(x, y, threads=1, seed=number, time_limit=ask.TIME_LIMIT)
    told = {"name": f"{number}: {n} samples, {d} inputs, {k} units, {l} outputs", "inputs": d, "status": found.status, "printed": "", "wrong": 0.0, "share": 0.0}
    if found.status == "exact":
        fresh = rng.normal(size=(FRESH, d))
        off = np.abs(found.network.predict(fresh).reshape(FRESH, l) - truth(fresh)).max(1)
        told["wrong"], told["share"] = float((off > ROUNDING * max(y.std(), 1e-300)).mean()), found.figures["unseen_share"]
    return told


def failed(number, kind, words, seconds):
    return {"name": f"{number}: {words}", "inputs": 0, "status": kind, "printed": "", "wrong": 0.0, "share": 0.0}


def main(asked):
    count = asked.cases or 1000
    outcomes = list(run_all(range(asked.seed_base, asked.seed_base + count), run, asked.jobs, failed))
    claims = [o for o in outcomes if o["status"] == "exact"]
    print(f"{'inputs':>6s} {'cases':>6s} {'exact':>6s} {'wrong on .2% or more':>21s} {'on more than stated':>20s}")
    for d in sorted({o["inputs"] for o in outcomes}):
        these = [o for o in claims if o["inputs"] == d]
        print(f"{d:6d} {sum(o['inputs'] == d for o in outcomes):6d} {len(these):6d} {sum(o['wrong'] > 0.002 for o in these):21d} {sum(o['wrong'] > o['share'] for o in these):20d}")
    beyond = [o for o in claims if o["wrong"] > o["share"]]
    for o in beyond:
        print(f"{o['name']}: wrong on {o['wrong']:.1%}, stated {o['share']:.1%}")
    broken = [o["name"] for o in outcomes if o["status"] in ("crash", "hang")]
    print("\n".join(broken) + f"\nmore than stated in {len(beyond)} of {len(claims)} claims (1% allowed), {len(broken)} crashes")
    return 0 if len(beyond) <= 0.01 * len(claims) and not broken else 1
