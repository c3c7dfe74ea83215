"""Models that round inside what they are asked about, and boundaries that are no planes: labels without noise, off by little."""
import numpy as np

from ..case import Case
from ..inputs import gaussian
from ..truths import Function, planted
from . import family
from .common import sizes


@family("rounded-inside", 3)
def rounded_inside(rng):
    """A network of inputs, or hidden values, that were rounded first; fine teeth and waves on top of one."""
    k, d, _ = sizes(rng, most_units=4, most_inputs=6, most_outputs=1)
    x = gaussian(rng, 500, d)
    net = planted(rng, d, k, 1, x=x, least_share=0.1, least_angle=0.2)
    step, along = 10 ** rng.uniform(-7, -1.5), rng.standard_normal(d)
    to_step = lambda v: np.round(v / step) * step

    def one_column(v):
        v = np.array(v)
        v[:, 0] = to_step(v[:, 0])
        return net(v)

    shapes = {
        "inputs": lambda v: net(to_step(v)), "one column": one_column, "table": lambda v: net(np.floor(v / step) * step),
        "hidden values": lambda v: to_step(np.maximum(v @ net.W.T + net.b, 0)) @ net.A.T + v @ net.skip.T + net.offset,
        "fine teeth": lambda v: net(v) + step * (1e3 * (v @ along) % 1)[:, None], "fine waves": lambda v: net(v) + step * np.sin(1e5 * (v @ along))[:, None],
    }
    kind = str(rng.choice(list(shapes)))
    truth = Function(shapes[kind], 1, f"{kind} rounded inside to {step:.1e}")
    case = Case(x, truth(x), truth, lambda g, m: gaussian(g, m, d), f"asked: {k} units, {truth.words}", task="extract", units=k if rng.random() < 0.4 else "auto")
    case.extra = {"budget": 40000, "fresh": 1000}
    return case


@family("boundaries", 2)
def boundaries(rng):
    """Unions of halfspaces of which one has a boundary that bends, or is two that are nearly parallel."""
    d, k, n = int(rng.integers(4, 9)), int(rng.integers(2, 5)), 60000
    W = np.linalg.qr(rng.standard_normal((d, d)))[0][:k] + 0.15 * rng.standard_normal((k, d))
    W /= np.linalg.norm(W, axis=1)[:, None]
    t, along = rng.uniform(1.6, 2.3, k), rng.standard_normal(d)
    along /= np.linalg.norm(along)
    beside = W[0] + 0.15 * rng.standard_normal(d)
    beside /= np.linalg.norm(beside)
    bend = 10 ** rng.uniform(-2.3, -0.3)
    kind = str(rng.choice(["plain", "parallel", "curved", "curved"]))

    def inside(v):
        sides = v @ W.T - t
        if kind == "curved":
            sides[:, 0] += bend * ((v @ along) ** 2 - 1)
        return ((sides > 0).any(1) | (v @ beside > t[0] if kind == "parallel" else False))[:, None]

    x = gaussian(rng, n, d)
    truth = Function(lambda v: inside(v).astype(float), 1, f"{kind} union of halfspaces")
    case = Case(x, truth(x), truth, lambda g, m: gaussian(g, m, d), f"{kind}, {k} halfspaces", task="halfspaces", units=k if rng.random() < 0.5 else "auto")
    case.extra = {"no_union": kind != "plain"}
    return case
