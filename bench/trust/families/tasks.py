"""Other doors of the program: halfspaces, lowest layers, models that can be asked, moments."""
import numpy as np

from .. import noises
from ..case import Case
from ..inputs import gaussian
from ..truths import Function, Units, planted, softplus
from . import family
from .common import add_noise, planted_case, sizes


def _directions(rng, k, d):
    W = rng.standard_normal((k, d))
    return W / np.linalg.norm(W, axis=1)[:, None]


@family("halfspaces", 3)
def halfspaces(rng):
    d = int(rng.integers(2, 6))
    k = int(rng.integers(1, d + 1))
    n = int(np.exp(rng.uniform(np.log(2000), np.log(15000))))
    W, t = _directions(rng, k, d), rng.uniform(0.3, 1.8, k)
    kind = str(rng.choice(["union", "union", "intersection", "ball", "parity", "slab", "smooth", "rare", "coin"]))
    inside = lambda x: (x @ W.T - t > 0)
    shapes = {"union": lambda x: inside(x).any(1), "intersection": lambda x: ~inside(x).any(1), "ball": lambda x: (x**2).sum(1) > d,
              "parity": lambda x: inside(x).sum(1) % 2 == 1, "slab": lambda x: np.abs(x @ W[0]) < 0.8,
              "smooth": lambda x: x @ W[0] > 0.5 + 0.3 * (x @ W[-1]) ** 2, "rare": lambda x: inside(x).any(1) | (x @ W[0] < -3),
              "coin": lambda x: inside(x).any(1)}
    x = gaussian(rng, n, d)
    truth = Function(lambda v: shapes[kind](v)[:, None], 1, f"{kind} of halfspaces")
    case = Case(x, truth(x), truth, lambda g, m: gaussian(g, m, d), f"{kind}, {k} halfspaces", task="halfspaces")
    if kind == "coin":
        flips = rng.random((n, 1)) < rng.uniform(0.001, 0.3)
        case.y = np.where(flips, 1 - case.labels, case.labels)
    case.units = k if rng.random() < 0.5 else "auto"
    return case


@family("lowest-layer", 2)
def lowest_layer(rng):
    d = int(rng.integers(3, 7))
    k = int(rng.integers(1, min(d, 4) + 1))
    n = int(np.exp(rng.uniform(np.log(3000), np.log(20000))))
    W, t = _directions(rng, k, d), rng.uniform(0.0, 1.0, k)
    a = rng.uniform(0.5, 1.5, k)
    kind = str(rng.choice(["sum", "products", "powers", "softplus", "sine"]))
    unit = (lambda s: softplus(s, 3)) if kind == "softplus" else (lambda s: np.maximum(s, 0))

    def of(x):
        h = unit(x @ W.T - t)
        y = (h * a).sum(axis=1)  # a product with a vector rounds as its place in memory wants
        if kind == "products" and k > 1:
            y = y + 2 * h[:, 0] * h[:, 1]
        if kind == "powers":
            y = y + h[:, 0] ** 2 + 0.5 * h[:, -1] ** 3
        if kind == "sine":
            y = np.sin(2 * x @ W[0])
        return y[:, None]

    x = gaussian(rng, n, d)
    truth = Function(of, 1, f"lowest layer under {kind}")
    case = Case(x, truth(x), truth, lambda g, m: gaussian(g, m, d), truth.words, task="lowest-layer", units=k if rng.random() < 0.6 else "auto")
    case.extra = {"arguments": ["--unit", "relu", "--degree", str(int(rng.integers(0, 4))), "--power", str(int(rng.integers(1, 4)))],
                  "W": None if kind == "sine" else W}  # what bends softly has directions too
    if rng.random() < 0.4:
        f = case.labels
        add_noise(case, noises.normal(rng, f.shape, 10 ** rng.uniform(-4, -1) * noises.spread_of(f)))
    return case


@family("extract", 3)
def extract(rng):
    """A model that can be asked: a network, one with a rare unit, a deeper one, no network."""
    k, d, l = sizes(rng, most_units=3, most_inputs=4, most_outputs=2)
    x = gaussian(rng, 500, d)
    net = planted(rng, d, k, l, x=x, least_share=0.05, least_angle=0.2)
    kind = str(rng.choice(["plain", "plain", "rare", "softplus", "sine", "step", "saw tooth", "hash"]))
    truth = net
    if kind == "rare":
        w = rng.standard_normal(d)
        w /= np.linalg.norm(w)
        truth = net.with_units(w[None], [-rng.uniform(2.0, 3.5)], rng.uniform(0.5, 3, (l, 1)))
    elif kind != "plain":
        sharp = 10 ** rng.uniform(0.5, 3.5)
        shapes = {"softplus": lambda v: softplus(v @ net.W.T + net.b, sharp) @ net.A.T,
                  "sine": lambda v: net(v) + 0.01 * np.sin(3 * v[:, :1]), "step": lambda v: net(v) + 0.1 * (v[:, :1] > 1.5),
                  "saw tooth": lambda v: net(v) + 0.05 * (v[:, :1] * 40 % 1), "hash": lambda v: net(v) + 0.05 * (np.abs(v).sum(1, keepdims=True) * 1e7 % 1)}
        truth = Function(shapes[kind], l, kind)
    # What is drawn by the program is standard normal, as are the fresh inputs.
    case = Case(x, truth(x), truth, lambda g, m: gaussian(g, m, d), f"asked: {k} units, {kind}", task="extract", units=k if rng.random() < 0.4 else "auto")
    case.extra = {"budget": int(rng.choice([2000, 6000])), "fresh": 1000}
    case.float32 = rng.random() < 0.3
    return case


@family("moments", 2)
def moments(rng):
    k, d, l = sizes(rng, most_units=3, most_inputs=5, most_outputs=1)
    case = planted_case(rng, k, d, l, int(np.exp(rng.uniform(np.log(500), np.log(4000)))), draw=gaussian)
    case.task = "moments"
    case.words = f"{k} units through moments"
    if rng.random() < 0.5:
        f = case.labels
        add_noise(case, noises.normal(rng, f.shape, 10 ** rng.uniform(-5, 0) * noises.spread_of(f)))
    elif rng.random() < 0.5:
        w = rng.standard_normal(d)
        case.truth = Function(lambda v: np.sin(2 * v @ w)[:, None], 1, "a sine")
        case.y, case.words = case.truth(case.x), "a sine through moments"
    return case


@family("rectified", 2)
def rectified(rng):
    """Activations that are powers of relu, learned as such or as another."""
    d = int(rng.integers(2, 5))
    k = int(rng.integers(1, d + 1))
    l = k + int(rng.integers(0, 3))
    n = int(np.exp(rng.uniform(np.log(800), np.log(4000))))
    net = planted(rng, d, k, l, bias=0.0)
    made = {"rectified-square": lambda s: np.maximum(s, 0) ** 2, "rectified-cube": lambda s: np.maximum(s, 0) ** 3,
            "rectified-exponential": lambda s: np.expm1(np.maximum(s, 0))}
    kind, by = str(rng.choice(list(made))), str(rng.choice(list(made) + ["auto"]))
    by = kind if rng.random() < 0.5 else by
    x = gaussian(rng, n, d)
    truth = Function(lambda v: made[kind](v @ net.W.T) @ net.A.T, l, f"{kind}, {k} units")
    case = Case(x, truth(x), truth, lambda g, m: gaussian(g, m, d), f"{kind} by {by}, {k} units", method=by, units=k if rng.random() < 0.6 else "auto")
    case.extra = {"same": kind == by}
    if rng.random() < 0.3:
        f = case.labels
        add_noise(case, noises.normal(rng, f.shape, 10 ** rng.uniform(-4, -1) * noises.spread_of(f)))
    return case
