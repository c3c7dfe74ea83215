"""Data that look like more than they are: copies with the same noise, jittered copies, mixtures, hats that few samples feel."""
import numpy as np

from .. import noises
from ..case import Case
from ..truths import Function, Units, planted
from . import family
from .common import add_noise, any_place, asked, planted_case, samples_for, sizes, unknowns


@family("copies", 5)
def copies(rng):
    """Rows several times, with the same label, noise and all, or moved by next to nothing."""
    k, d, l = sizes(rng, most_units=3, most_inputs=4, most_outputs=2)
    distinct = max(int(rng.uniform(0.6, 12) * unknowns(k, d, l) / l), 4)
    draw = any_place(rng, d)
    rows = draw(rng, distinct, d)
    times = int(rng.integers(2, 30))
    net = planted(rng, d, k, l)
    labels = net(rows)
    kind = str(rng.choice(["noise", "pure noise", "random", "plain"]))
    truth, noise = net, None
    if kind == "noise":
        s = 10 ** rng.uniform(-4, -0.3) * noises.spread_of(labels)
        labels, noise = labels + s * rng.standard_normal(labels.shape), noises.Noise(s, words="normal, the same on copies", inflation=float(times))
    elif kind == "pure noise":
        labels = rng.standard_normal(labels.shape)
        truth = Units(np.zeros((0, d)), [], np.zeros((l, 0)), None, np.zeros(l))
        noise = noises.Noise(1.0, words="all noise, the same on copies", inflation=float(times))
    elif kind == "random":
        labels = rng.standard_normal(labels.shape)
    order = rng.permutation(distinct * times)
    x, y = np.repeat(rows, times, axis=0)[order], np.repeat(labels, times, axis=0)[order]
    jitter = 0.0 if rng.random() < 0.5 else 10 ** rng.uniform(-15, -6)
    x = x + jitter * rng.standard_normal(x.shape)
    if kind == "random":
        # What is between the places is not known to anybody.
        def of(v):
            v = np.asarray(v, float)
            near = ((v[:, None, :] - rows[None]) ** 2).sum(2)
            return np.where((near.min(1) < 1e-8)[:, None], labels[near.argmin(1)], np.sin(40 * v[:, :1]) * np.ones(l))

        truth = Function(of, l, "random labels of places")
    elif kind == "plain" and jitter:  # labels of the places, not of the rows
        y = net(x)
    case = Case(x, y, truth, lambda g, m: draw(g, m, d), f"{kind}: {distinct} places, {times} copies each, moved by {jitter:.0e}", noise=noise, units=asked(rng, k))
    case.discrete = True
    return case


@family("mixture", 4)
def mixture(rng):
    """Two networks: which one speaks is chance, or depends on x."""
    k, d, l = sizes(rng, most_units=2, most_inputs=4, most_outputs=2)
    case = planted_case(rng, k, d, l, max(samples_for(rng, k, d, l, 20, 80), 200), share=0.1)
    other = planted(rng, d, 1, l, x=case.x, least_share=0.2)
    u = rng.standard_normal(d)
    share = rng.uniform(0.02, 0.45)
    t = case.x @ u
    if rng.random() < 0.5:  # chance: rows of the other are wrong labels
        rows = rng.random(len(t)) < share
        case.wrong = np.repeat(rows[:, None], l, axis=1)
        case.y = np.where(case.wrong, other(case.x), case.labels)
        case.words += f", {share:.0%} of the rows by another network"
    else:
        cut = np.quantile(t, 1 - share)
        net = case.truth
        case.truth = Function(lambda v: np.where((v @ u > cut)[:, None], other(v), net(v)), l, "two networks, one on each side of a cut")
        case.y = case.truth(case.x)
        case.words += f", another network on {share:.0%} of the inputs"
    if rng.random() < 0.4:
        f = case.labels
        s = 10 ** rng.uniform(-5, -1) * noises.spread_of(f)
        case.y, case.noise = f + s * rng.standard_normal(f.shape), noises.Noise(s, words="normal")
    return case


@family("hats", 5)
def hats(rng):
    """A hat, a ridge or a short step that 3 to 40 samples feel, beside units, with noise or without."""
    k, d, l = sizes(rng, most_units=2, most_inputs=4, most_outputs=2)
    case = planted_case(rng, k, d, l, max(samples_for(rng, k + 2, d, l, 20, 80), 200), share=0.1)
    x = case.x
    w = rng.standard_normal(d)
    t = np.sort(x @ w)
    m = min(int(rng.integers(3, 41)), len(t) // 3)
    first = int(rng.integers(5, len(t) - m - 5))
    low, high = t[first], t[first + m]
    mid = (low + high) / 2
    height = 10 ** rng.uniform(-2, 0.5) * noises.spread_of(case.labels)
    slope = height / max(high - mid, 1e-12)
    a = slope * rng.choice([-1.0, 1.0], (l, 1)) * np.array([[1.0, -2.0, 1.0]])
    case.truth = case.truth.with_units(np.repeat(w[None], 3, axis=0), [-low, -mid, -high], a)
    case.y = case.truth(x)
    case.words += f", a hat of height {height / noises.spread_of(case.labels):.1e} over {m} samples"
    case.units = int(rng.choice([k, k + 3])) if rng.random() < 0.5 else "auto"
    if rng.random() < 0.6:
        f = case.labels
        add_noise(case, noises.any_noise(rng, x, f, 10 ** rng.uniform(-5, -1)))
    return case
