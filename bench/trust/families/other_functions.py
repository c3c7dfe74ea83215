"""Labels that no network of one hidden layer made, or none with few units."""
import numpy as np
from scipy.special import ndtr

from .. import noises
from ..case import Case
from ..truths import Function, Units, planted, softplus
from . import family
from .common import add_noise, any_place, planted_case, samples_for, sizes, unknowns


def _some_noise(rng, case, most=0.1):
    """Half of the cases have noise."""
    if rng.random() < 0.5:
        f = case.labels
        s = np.exp(rng.uniform(np.log(1e-6), np.log(most))) * noises.spread_of(f)
        add_noise(case, noises.normal(rng, f.shape, s))
    return case


def _case_of(rng, of, d, l, n, draw, words, k):
    x = draw(rng, n, d)
    truth = Function(of, l, words)
    return Case(x, truth(x), truth, lambda g, m: draw(g, m, d), words, units=int(rng.integers(1, k + 2)) if rng.random() < 0.5 else "auto")


@family("clamp", 4)
def clamp(rng):
    """relu(t + a) - relu(t): two parallel kinks, flat on both sides."""
    d = int(rng.integers(1, 5))
    k = int(rng.integers(1, 3))
    n = int(np.exp(rng.uniform(np.log(100), np.log(3000))))
    draw = any_place(rng, d)
    x = draw(rng, n, d)
    net = planted(rng, d, k, x=x, least_share=0.05)
    widths = np.abs(net.W).sum(1) * 10 ** rng.uniform(-2, 0.5, k)
    truth = net.with_units(net.W, net.b - widths, -net.A)
    case = Case(x, truth(x), truth, lambda g, m: draw(g, m, d), f"{k} clamps", units=rng.choice([k, 2 * k]) if rng.random() < 0.5 else "auto")
    case.units = case.units if isinstance(case.units, str) else int(case.units)
    return _some_noise(rng, case)


@family("step", 4)
def step(rng):
    k, d, l = sizes(rng, most_units=2, most_inputs=4, most_outputs=2)
    n = int(np.exp(rng.uniform(np.log(150), np.log(4000))))
    draw = any_place(rng, d)
    x = draw(rng, n, d)
    net = planted(rng, d, k, l, x=x, least_share=0.02)
    height = 10 ** rng.uniform(-3, 0.5)
    beside = rng.random() < 0.5  # a network and a step, or the step alone

    def of(v):
        return (net(v) if beside else 0) + height * ((v @ net.W[:1].T + net.b[0]) > 0) * np.ones(l)

    case = _case_of(rng, of, d, l, n, draw, f"a step of {height:.1g}" + (" beside units" if beside else ""), k)
    return _some_noise(rng, case)


@family("sine", 3)
def sine(rng):
    d = int(rng.integers(1, 4))
    n = int(np.exp(rng.uniform(np.log(100), np.log(3000))))
    w, phase, frequency = rng.standard_normal(d), rng.uniform(0, 6), rng.uniform(0.5, 4)
    case = _case_of(rng, lambda v: np.sin(frequency * (v @ w) + phase)[:, None], d, 1, n, any_place(rng, d), "a sine", 4)
    return _some_noise(rng, case, 0.5)


@family("softplus", 6)
def soft_bends(rng):
    """softplus(s t) / s with s from 3 to 3000."""
    k, d, l = sizes(rng, most_units=3, most_inputs=5, most_outputs=2)
    n = max(samples_for(rng, k, d, l, 15, 80), 200)
    draw = any_place(rng, d)
    x = draw(rng, n, d)
    net = planted(rng, d, k, l, x=x, least_share=0.1, least_angle=0.4)
    sharp = np.exp(rng.uniform(np.log(3), np.log(3000)))
    of = lambda v: softplus(v @ net.W.T + net.b, sharp) @ net.A.T
    case = _case_of(rng, of, d, l, n, draw, f"softplus of sharpness {sharp:.0f}", k)
    case.units = k if rng.random() < 0.5 else "auto"
    case.x = x
    case.y = case.truth(x)
    return case if rng.random() < 0.6 else _some_noise(rng, case, 0.01)


@family("smooth-terms", 4)
def smooth_terms(rng):
    """A network and something small and smooth beside it."""
    k, d, l = sizes(rng, most_units=3, most_inputs=4, most_outputs=2)
    n = max(samples_for(rng, k, d, l, 15, 80), 150)
    draw = any_place(rng, d)
    x = draw(rng, n, d)
    net = planted(rng, d, k, l, x=x, least_share=0.1, least_angle=0.3)
    size = 10 ** rng.uniform(-7, -0.3)
    w = rng.standard_normal(d)
    kind = str(rng.choice(["square", "sine", "product", "tanh", "cubic", "hump"]))
    shapes = {
        "square": lambda v: (v @ w) ** 2, "sine": lambda v: np.sin(3 * v @ w), "product": lambda v: v[:, 0] * v[:, -1],
        "tanh": lambda v: np.tanh(2 * v @ w), "cubic": lambda v: (v @ w) ** 3, "hump": lambda v: np.exp(-20 * (v @ w - 0.5) ** 2)}
    case = _case_of(rng, lambda v: net(v) + size * shapes[kind](v)[:, None], d, l, n, draw, f"{k} units and {size:.0e} of a {kind}", k)
    case.units = k if rng.random() < 0.5 else "auto"
    case.x, case.y = x, case.truth(x)
    return case if rng.random() < 0.5 else _some_noise(rng, case)


@family("curves", 4)
def curves(rng):
    """Other shapes: products, maxima, leaps, waves, polynomials."""
    d = int(rng.integers(1, 5))
    n = int(np.exp(rng.uniform(np.log(60), np.log(2500))))
    W, b = rng.standard_normal((3, d)), rng.standard_normal(3)
    kind = str(rng.choice(["square", "max", "product", "sawtooth", "tanh", "sigmoid", "norm", "floor", "exp", "gate", "median", "elu"]))
    t = lambda v: v @ W.T + b
    shapes = {
        "square": lambda v: t(v)[:, 0] ** 2, "max": lambda v: t(v).max(1), "product": lambda v: t(v)[:, 0] * t(v)[:, 1],
        "sawtooth": lambda v: t(v)[:, 0] % 1.0, "tanh": lambda v: np.tanh(3 * t(v)[:, 0]), "sigmoid": lambda v: 1 / (1 + np.exp(-5 * t(v)[:, 0])),
        "norm": lambda v: np.linalg.norm(v, axis=1), "floor": lambda v: np.floor(2 * t(v)[:, 0]), "exp": lambda v: np.exp(0.5 * np.clip(t(v)[:, 0], -8, 8)),
        "gate": lambda v: t(v)[:, 0] * (t(v)[:, 1] > 0), "median": lambda v: np.median(t(v), axis=1),
        "elu": lambda v: np.where(t(v)[:, 0] > 0, t(v)[:, 0], np.expm1(np.minimum(t(v)[:, 0], 0)))}
    case = _case_of(rng, lambda v: shapes[kind](v)[:, None], d, 1, n, any_place(rng, d), kind, 5)
    return _some_noise(rng, case, 0.5)


@family("terms", 3)
def terms(rng):
    """A network and one term of a few columns, of a size that noisy samples can just about tell."""
    k, d = int(rng.integers(1, 4)), int(rng.integers(3, 9))
    n = max(samples_for(rng, k, d, 1, 35, 120), 400)
    draw = any_place(rng, d)
    x = draw(rng, n, d)
    net = planted(rng, d, k, x=x, least_share=0.15, least_angle=0.4)
    middle, spread = x.mean(0), x.std(0) + 1e-300
    u = lambda v: (v - middle) / spread
    i, j, m = rng.permutation(d)[:3]
    shapes = {
        "product of two": lambda v: v[:, i] * v[:, j], "product of three": lambda v: v[:, i] * v[:, j] * v[:, m], "square": lambda v: v[:, i] ** 2,
        "gate": lambda v: v[:, i] * (v[:, j] > 0.3), "corner": lambda v: (v[:, i] > 0.2) * (v[:, j] < 0.4) * 1.0, "size times column": lambda v: np.abs(v[:, i]) * v[:, j],
        "cube": lambda v: v[:, i] ** 3, "sine of a product": lambda v: np.sin(v[:, i] * v[:, j]), "hump of one": lambda v: np.exp(-2 * (v[:, i] - 0.4) ** 2),
        "ratio": lambda v: v[:, i] / (1 + v[:, j] ** 2), "two gates": lambda v: np.maximum(v[:, i], 0) * np.maximum(v[:, j], 0)}
    kind = str(rng.choice(list(shapes)))
    noise = np.exp(rng.uniform(np.log(0.003), np.log(0.3))) * noises.spread_of(net(x))
    size = noise * rng.uniform(4, 30) / np.sqrt(n) / max(float(np.std(shapes[kind](u(x)))), 1e-300)
    case = _case_of(rng, lambda v: net(v) + size * shapes[kind](u(v))[:, None], d, 1, n, draw, f"{k} units and a {kind}", k)
    case.units = k if rng.random() < 0.5 else "auto"
    case.x, case.y = x, case.truth(x)
    case.extra["alike"] = len(shapes) * d * (d - 1)  # terms of two columns that one would have to think of before
    add_noise(case, noises.normal(rng, case.y.shape, noise))
    return case


def _shape(rng, kind, d):
    """A function of a few oblique directions, or of the distance from a place, as fast as rows lie densely."""
    one, two = rng.standard_normal((2, d)) / np.sqrt(d)
    at, speed, width = rng.standard_normal(d) * 0.7, rng.uniform(1.5, 4), rng.uniform(0.3, 0.8)
    limits = rng.standard_normal(d) * 0.6
    table = rng.standard_normal(d + 1)
    return {
        "rings": lambda v: np.sin(speed * np.linalg.norm(v - at, axis=1)), "slab": lambda v: (np.abs(v @ one) < width) * np.sign(v @ two),
        "oblique corner": lambda v: (v @ one > 0.3) * (v @ two > 0.1) * 1.0, "oblique waves": lambda v: np.sin(speed * (v @ one)) * np.sin(speed * (v @ two)),
        "how many are large": lambda v: table[(v > limits).sum(1)], "ball": lambda v: (np.linalg.norm(v - at, axis=1) < 1) * 1.0}[kind]


SHAPES = ["rings", "slab", "oblique corner", "oblique waves", "how many are large", "ball"]


@family("shapes", 3)
def shapes(rng):
    """A network, noise, and a term that is no function of one or two columns. Found by somebody who had not seen the tests."""
    kind, d, k = str(rng.choice(SHAPES)), int(rng.integers(2, 5)), int(rng.integers(1, 4))
    n = int(np.exp(rng.uniform(np.log(2000), np.log(8000))))
    x = rng.standard_normal((n, d))
    net, term = planted(rng, d, k, x=x, least_share=0.15, least_angle=0.4), _shape(rng, kind, d)
    noise = rng.uniform(0.02, 0.3) * noises.spread_of(net(x))
    size = noise * rng.uniform(18, 35) / np.sqrt(n) / max(float(np.std(term(x))), 1e-300)
    truth = Function(lambda v: net(v) + size * term(v)[:, None], 1, f"{k} units and {kind}")
    case = Case(x, truth(x), truth, lambda g, m: g.standard_normal((m, d)), truth.words, units=k if rng.random() < 0.5 else "auto")
    case.extra["alike"] = 100000  # places, directions and speeds that one would have to think of before
    return add_noise(case, noises.normal(rng, case.y.shape, noise))


@family("selected", 2)
def selected(rng):
    """Rows whose label is beyond a limit were kept: what is expected there bends."""
    d, k = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    n, draw = int(np.exp(rng.uniform(np.log(800), np.log(4000)))), lambda g, m, d_=d: g.standard_normal((m, d_))
    x = draw(rng, 4 * n, d)
    net = planted(rng, d, k, x=x, least_share=0.15, least_angle=0.4)
    noise = rng.uniform(0.1, 0.5) * noises.spread_of(net(x))
    y = net(x) + noise * rng.standard_normal((len(x), 1))
    limit = float(np.quantile(y, rng.uniform(0.1, 0.5)))
    chosen = np.flatnonzero(y[:, 0] > limit)[:n]
    expected = lambda v: noise * np.exp(-0.5 * ((limit - net(v)) / noise) ** 2) / np.sqrt(2 * np.pi) / np.maximum(ndtr((net(v) - limit) / noise), 1e-12)
    truth = Function(lambda v: net(v) + expected(v), 1, f"{k} units, rows chosen by their labels")
    case = Case(x[chosen], y[chosen], truth, lambda g, m: draw(g, m), truth.words, units=k if rng.random() < 0.5 else "auto")
    case.noise = noises.Noise(noise, words="normal, cut off")
    return case
