"""Units that are hard to see: on few samples, nearly parallel, doubled, small, of unlike scale."""
import numpy as np

from .. import noises
from ..case import Case
from ..truths import Units, planted
from . import family
from .common import add_noise, any_place, asked, samples_for, sizes


def _base(rng, least=20, most=120, outputs=3):
    k, d, l = sizes(rng, most_units=3, most_inputs=5, most_outputs=outputs)
    n = min(max(samples_for(rng, k + 1, d, l, least, most), 150), 3000)
    draw = any_place(rng, d)
    x = draw(rng, n, d)
    return k, d, l, n, draw, x, planted(rng, d, k, l, x=x, least_share=0.1, least_angle=0.4, affine=rng.random() < 0.3)


def _finish(rng, case, most=0.1, share=0.5):
    if rng.random() < share:
        f = case.labels
        s = np.exp(rng.uniform(np.log(1e-7), np.log(most))) * noises.spread_of(f)
        add_noise(case, noises.normal(rng, f.shape, s))
    return case


@family("rare-unit", 7)
def rare_unit(rng):
    """A further unit that bends 1 to 15 samples away."""
    k, d, l, n, draw, x, net = _base(rng)
    m = int(rng.integers(1, 16))
    w = rng.standard_normal(d) / np.sqrt(d)
    t = np.sort(x @ w)
    b = -(t[-m - 1] + t[-m]) / 2
    size = 10 ** rng.uniform(-1, 1.5)
    truth = net.with_units(w[None], [b], size * rng.choice([-1.0, 1.0], (l, 1)) * rng.uniform(0.5, 1.5, (l, 1)))
    case = Case(x, truth(x), truth, lambda g, q: draw(g, q, d), f"{k} units and one on {m} of {n} samples, size {size:.1g}")
    case.units = int(rng.choice([k, k + 1])) if rng.random() < 0.6 else "auto"
    return _finish(rng, case)


@family("parallel", 6)
def parallel(rng):
    """Two units whose kinks are 1e-4 to .3 rad apart."""
    k, d, l, n, draw, x, net = _base(rng)
    angle = 10 ** rng.uniform(-4, -0.5)
    turn = rng.standard_normal(d) * np.linalg.norm(net.W[0]) / np.sqrt(d)
    w = net.W[0] + angle * turn
    b = net.b[0] + angle * rng.standard_normal() * np.linalg.norm(net.W[0])
    kind = rng.choice(["alike", "opposed", "free"])
    a = net.A[:, :1] * {"alike": rng.uniform(0.3, 2), "opposed": -rng.uniform(0.7, 1.3), "free": rng.standard_normal()}[kind]
    truth = net.with_units(w[None], [b], a)
    case = Case(x, truth(x), truth, lambda g, q: draw(g, q, d), f"{k} units and one {angle:.1e} beside the first ({kind})")
    case.units = int(rng.choice([k, k + 1])) if rng.random() < 0.6 else "auto"
    return _finish(rng, case)


@family("doubled", 4)
def doubled(rng):
    """Units on the same kink: duplicates, opposites, pairs that cancel."""
    k, d, l, n, draw, x, net = _base(rng, outputs=2)
    kind = rng.choice(["duplicate", "opposite", "cancel", "linear"])
    s = -1.0 if kind in ("opposite", "linear") else 1.0
    a = net.A[:, :1] * rng.uniform(0.5, 2)
    if kind == "cancel":
        a = -net.A[:, :1]
    elif kind == "linear":
        a = -net.A[:, :1]  # a relu(t) - a relu(-t) = a t
    truth = net.with_units(s * net.W[:1], s * net.b[:1], a)
    case = Case(x, truth(x), truth, lambda g, q: draw(g, q, d), f"{k} units, one doubled ({kind})")
    case.units = int(rng.choice([k, k + 1])) if rng.random() < 0.6 else "auto"
    return _finish(rng, case, share=0.4)


@family("small-unit", 6)
def small_unit(rng):
    """A further unit 1e-8 to .5 the size of the others."""
    k, d, l, n, draw, x, net = _base(rng)
    size = 10 ** rng.uniform(-8, -0.3)
    more = planted(rng, d, 1, l, x=x, least_share=0.1)
    truth = net.with_units(more.W, more.b, size * more.A)
    case = Case(x, truth(x), truth, lambda g, q: draw(g, q, d), f"{k} units and one of size {size:.1e}")
    case.units = int(rng.choice([k, k + 1])) if rng.random() < 0.6 else "auto"
    return _finish(rng, case)


@family("scales", 5)
def scales(rng):
    """Inputs, weights and labels over 16 orders of magnitude."""
    k, d, l, n, draw, x, net = _base(rng)
    kind = rng.choice(["labels", "inputs", "columns", "units", "offset", "outputs"])
    power = lambda shape=None: 10.0 ** rng.uniform(-8, 8, shape)
    W, b, A, skip, offset = net.W, net.b, net.A, net.skip, net.offset
    pull = lambda g, q: draw(g, q, d)
    words = kind
    if kind == "labels":
        s = power()
        A, skip, offset = A * s, skip * s, offset * s
    elif kind in ("inputs", "columns"):
        c = np.full(d, power()) if kind == "inputs" else power(d) ** 0.5
        W, skip = W / c, skip / c
        x = x * c
        pull = lambda g, q: draw(g, q, d) * c
    elif kind == "units":
        s = 10.0 ** rng.uniform(-4, 4, k)
        A = A * s
    elif kind == "offset":
        shift = 10.0 ** rng.uniform(0, 6) * rng.standard_normal(d)
        b, offset = b - W @ shift, offset - skip @ shift
        x = x + shift
        pull = lambda g, q: draw(g, q, d) + shift
    else:
        s = 10.0 ** rng.uniform(-6, 6, (l, 1))
        A, skip, offset = A * s, skip * s, offset * s[:, 0]
    truth = Units(W, b, A, skip, offset)
    case = Case(x, truth(x), truth, pull, f"{k} units, scales of {words}", units=asked(rng, k))
    return _finish(rng, case, 0.03, 0.3)
