"""Every method of the list, on data that suit it and on data that do not."""
import numpy as np

from .. import noises
from ..case import Case
from ..inputs import gaussian, uniform
from ..truths import planted
from . import _FAMILIES, family
from .combined import BASES
from .common import add_noise

METHODS = ["prune", "robust", "corrupted-labels", "pure-neuron", "order-two", "hermite"]


@family("forced-method", 8)
def forced_method(rng):
    base = str(rng.choice(BASES + ["wrong-labels", "corrupted", "noise-shapes", "low-signal", "discrete", "repeated", "pure-noise"]))
    case = _FAMILIES[base][0](rng)
    case.solvable = False
    case.method = str(rng.choice(METHODS))
    case.words = f"{base} by {case.method}: {case.words}"
    return case


@family("vector-methods", 5)
def vector_methods(rng):
    """Several outputs, no biases, symmetric inputs: where the vector methods are at home, or nearly."""
    d = int(rng.integers(2, 7))
    k = int(rng.integers(1, d + 1))
    l = int(rng.integers(2, 9))
    n = int(np.exp(rng.uniform(np.log(200), np.log(3000))))
    draw = gaussian if rng.random() < 0.6 else uniform
    x = draw(rng, n, d)
    net = planted(rng, d, k, l, bias=0.0 if rng.random() < 0.7 else 0.5)
    kind = str(rng.choice(["none", "normal", "entries", "deficient", "rectified"]))
    case = Case(x, net(x), net, lambda g, m: draw(g, m, d), f"{k} units, {l} outputs", units=k if rng.random() < 0.4 else "auto")
    f = case.labels
    if kind == "normal":
        add_noise(case, noises.normal(rng, f.shape, 10 ** rng.uniform(-4, 0) * noises.spread_of(f)))
    elif kind == "entries":
        case.wrong = rng.random(f.shape) < rng.uniform(0.01, 0.3)
        case.y = np.where(case.wrong, noises.spread_of(f) * 2 * rng.standard_normal(f.shape), f)
    elif kind == "deficient" and k > 1:
        net.A[:, 1] = net.A[:, 0]
        case.y = net(x)
    elif kind == "rectified":
        from ..truths import Function

        case.truth = Function(lambda v: np.maximum(net(v), 0), l, "a network whose outputs are rectified")
        case.y = case.truth(x)
    case.words += f" ({kind})"
    case.method = str(rng.choice(["auto", "pure-neuron", "order-two", "corrupted-labels", "rectified"]))
    if case.method == "rectified":
        case.method = "auto"
    return case
