"""What people make of columns beside a network: days of the week, ids, ticks of a price, which column is the largest, values filled in.
Found by somebody who had not seen the tests."""
import itertools

import numpy as np

from .. import noises
from ..case import Case
from ..inputs import gaussian
from ..truths import Function, planted
from . import family
from .common import add_noise

_LEVELS, _DAYS = 40, 1400
SEEN = 6  # rows


def _columns(kind):
    """What the first columns are: drawn alike for given and fresh rows."""
    if kind in ("weekend", "month", "parity of a sum"):
        return lambda g, n: g.integers(0, _DAYS if kind != "parity of a sum" else 9, (n, 3 if kind == "parity of a sum" else 1))
    if kind == "ids":
        return lambda g, n: g.integers(0, _LEVELS, (n, 1))
    if kind == "table of three":
        return lambda g, n: g.integers(0, 3, (n, 3))
    if kind == "filled":
        return lambda g, n: np.where(g.random((n, 1)) < 0.06, 0.25, g.standard_normal((n, 1)))
    return None


def _inputs(kind, d):
    first = _columns(kind)

    def draw(g, n, d_=d):
        x = gaussian(g, n, d)
        if first is not None:
            special = first(g, n)
            x[:, : special.shape[1]] = special
        return x

    return draw


def _term(rng, kind, net, x):
    """One number for each row."""
    levels = rng.standard_normal(_LEVELS)
    table = rng.standard_normal((3, 3, 3))
    frequency = np.exp(rng.uniform(np.log(3), np.log(60)))
    on = lambda v: v @ net.W.T + net.b > 0
    fineness = rng.uniform(3, 8) / max(float(np.std(x @ net.W[0])), 1e-12)
    parity = lambda order: sum(a > b for a, b in itertools.combinations(order, 2)) % 2
    return {
        "weekend": lambda v: (v[:, 0] % 7 >= 5) * 1.0, "month": lambda v: levels[(v[:, 0] // 30 % 12).astype(int)],
        "ids": lambda v: levels[v[:, 0].astype(int)], "table of three": lambda v: table[tuple(v[:, :3].astype(int).T)],
        "parity of a sum": lambda v: v[:, :3].sum(1) % 2, "filled": lambda v: (v[:, 0] == 0.25) * 1.0,
        "saw tooth": lambda v: v[:, 0] * frequency % 1, "daily cycle": lambda v: np.sin(2 * np.pi * frequency * v[:, 0] + 1),
        "stairs in a unit": lambda v: (v @ net.W[0] + net.b[0]) * fineness % 1 * on(v)[:, 0], "largest column": lambda v: (v.argmax(1) == 0) * 1.0,
        "second largest": lambda v: levels[np.argsort(v, axis=1)[:, -2]], "order of four": lambda v: np.array([parity(o) for o in np.argsort(v[:, :4], axis=1).tolist()]) * 1.0,
        "all units on": lambda v: on(v).all(1) * 1.0, "two positive": lambda v: ((v[:, :3] > 0).sum(1) == 2) * 1.0}[kind]


KINDS = ["weekend", "month", "ids", "table of three", "parity of a sum", "filled", "saw tooth", "daily cycle", "stairs in a unit", "largest column", "second largest",
         "order of four", "all units on", "two positive"]


def _network_and_term(rng, kinds):
    kind = str(rng.choice(kinds))
    d, k = int(rng.integers(4, 8)), int(rng.integers(2, 4))
    n = int(np.exp(rng.uniform(np.log(1500), np.log(6000))))
    draw = _inputs(kind, d)
    x = draw(rng, n)
    net = planted(rng, d, k, x=x, least_share=0.15, least_angle=0.4)
    return kind, d, k, n, draw, x, net, None if kind == "shell" else _term(rng, kind, net, x)


@family("people", 6)
def people(rng):
    """A network, noise, and a term of a size that whoever thinks of it sees at once."""
    kind, d, k, n, draw, x, net, term = _network_and_term(rng, KINDS)
    noise = rng.uniform(0.05, 0.3) * noises.spread_of(net(x))
    size = noise * rng.uniform(12, 25) / np.sqrt(n) / max(float(np.std(term(x))), 1e-300)
    truth = Function(lambda v: net(v) + size * term(v)[:, None], 1, f"{k} units and {kind}")
    case = Case(x, truth(x), truth, lambda g, m: draw(g, m), truth.words, units=k if rng.random() < 0.5 else "auto")
    case.extra["alike"] = 3000  # groupings, weights and periods that one would have to think of before
    values, counts = np.unique(term(x), return_counts=True)
    if len(values) == 2 and counts.min() < SEEN:
        case.extra["alike"] = np.inf  # what so few rows hold is what any few of them may hold
    add_noise(case, noises.normal(rng, case.y.shape, noise))
    return case


@family("rules", 4)
def rules(rng):
    """Labels that are something else where a rule of the inputs holds, and a network's elsewhere: no accidents."""
    kind, d, k, n, draw, x, net, term = _network_and_term(rng, ["weekend", "ids", "saw tooth", "daily cycle", "largest column", "all units on", "shell", "month"])
    if kind == "shell":
        inside = lambda v: np.abs(np.linalg.norm(v[:, :3], axis=1) % 0.7 - 0.3) < 0.06
    else:
        limit = np.quantile(term(x), 0.85)
        inside = (lambda v: term(v) > 0.5) if set(np.unique(term(x))) <= {0.0, 1.0} else (lambda v: term(v) > limit)
    size = noises.spread_of(net(x)) * rng.uniform(0.3, 3)
    of = lambda v: net(v) + (size * inside(v) * np.sin(37 * v[:, -1]))[:, None]
    truth = Function(of, 1, f"{k} units, and something else where a rule holds ({kind})")
    return Case(x, truth(x), truth, lambda g, m: draw(g, m), truth.words, units=k if rng.random() < 0.5 else "auto")
