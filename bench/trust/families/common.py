"""What most families share: sizes, planted data, the number of units asked for."""
import numpy as np

from ..case import Case
from ..inputs import any_smooth, correlated, gaussian
from ..truths import closest, planted


def unknowns(k, d, l):
    return k * (d + l) + l * (d + 1)


def sizes(rng, most_units=4, most_inputs=6, most_outputs=3):
    k = int(rng.integers(1, most_units + 1))
    d = int(rng.integers(1, most_inputs + 1))
    l = 1 if rng.random() < 0.6 else int(rng.integers(1, most_outputs + 1))
    return k, d, l


def samples_for(rng, k, d, l, least, most):
    """`least` to `most` samples an unknown."""
    return int(np.ceil(np.exp(rng.uniform(np.log(least), np.log(most))) * unknowns(k, d, l) / l)) if l > 1 else int(
        np.ceil(np.exp(rng.uniform(np.log(least), np.log(most))) * unknowns(k, d, l)))


def asked(rng, k):
    """The right number of units, or none."""
    return k if rng.random() < 0.5 else "auto"


def place(rng, d):
    """A distribution of inputs: smooth, sometimes mixed and shifted."""
    base, name = any_smooth(rng)
    if rng.random() < 0.3:
        mixing = np.eye(d) + 0.4 * rng.standard_normal((d, d))
        return correlated(mixing, 0.5 * rng.standard_normal(d), base), name + ", mixed"
    return base, name


def planted_case(rng, k, d, l, n, draw=None, share=0.1, angle=0.4, affine=None, spread=(0.5, 1.5), **more):
    """Noise-free data of a generic network."""
    words = ""
    if draw is None:
        draw, words = place(rng, d)
    x = draw(rng, n, d)
    affine = rng.random() < 0.3 if affine is None else affine
    net = planted(rng, d, k, l, affine=affine, x=x, least_share=share, least_angle=angle, spread=spread)
    case = Case(x, net(x), net, fresh=lambda g, m: draw(g, m, d), words=f"{k} units, inputs {words}", **more)
    case.units = asked(rng, k)
    case.extra = {"apart": k == 1 or closest(net.W, net.b, x) >= angle}  # may be impossible with few inputs
    return case


def add_noise(case, noise_and_description):
    """Labels with noise, described for the judge."""
    added, noise = noise_and_description
    case.y = case.labels + added
    if noise.sparse:
        case.wrong = added != 0
    else:
        case.noise = noise
    size = np.sqrt((added**2).mean()) / max(case.truth(case.x).std(), 1e-300)
    case.words += f", {noise.words} noise, {size:.1e} of the signal"
    return case


def any_place(rng, d):
    return gaussian if rng.random() < 0.5 else place(rng, d)[0]
