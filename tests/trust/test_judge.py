"""The campaign's judge against lies and truths that are made for it: a judge that finds nothing would let everything pass."""
import os
import sys

import numpy as np
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench"))

from trust import families, fit, stored  # noqa: E402
from trust.case import Case  # noqa: E402
from trust.judge import judge  # noqa: E402
from trust.noises import Noise  # noqa: E402
from trust.truths import Function, Units, planted  # noqa: E402


def said(status, network, noise=0.0):
    return {"status": status, "message": "", "network": network, "noise": noise}


def verdict(case, status, network, noise=0.0):
    return judge(case, said(status, network, noise), np.random.default_rng(0))


def draw(rng, n):
    return rng.standard_normal((n, 3))


@pytest.fixture
def net():
    x = draw(np.random.default_rng(1), 2000)
    return planted(np.random.default_rng(2), 3, 3, 2, x=x, least_share=0.2, least_angle=0.6)


def case_of(net, n=2000, noise=0.0, seed=3):
    rng = np.random.default_rng(seed)
    x = draw(rng, n)
    y = net(x) + noise * rng.standard_normal((n, net.outputs))
    return Case(x, y, net, lambda g, m: draw(g, m), noise=Noise(noise) if noise else None, name="made:0")


def without(net, unit):
    keep = [i for i in range(net.units) if i != unit]
    return Units(net.W[keep], net.b[keep], net.A[:, keep], net.skip, net.offset)


def test_the_truth_is_right(net):
    assert verdict(case_of(net), "exact", net).kind == "right"
    assert verdict(case_of(net, noise=0.1), "recovered", net, 0.1).kind == "right"


def test_the_truth_turned_around_is_right(net):
    # relu(t) = relu(-t) + t, other order, other scale
    turned = Units(-2 * net.W[::-1], -2 * net.b[::-1], net.A[:, ::-1] / 2, net.A @ net.W, net.A @ net.b)
    assert verdict(case_of(net), "exact", turned).kind == "right"
    assert verdict(case_of(net, noise=0.1), "recovered", turned, 0.1).kind == "right"


def test_a_missing_unit_is_false(net):
    assert verdict(case_of(net), "exact", without(net, 1)).kind == "false"
    assert verdict(case_of(net, noise=0.1), "recovered", without(net, 1), 0.1).kind == "false"


def test_noise_claimed_where_there_is_none_is_false(net):
    assert verdict(case_of(net), "recovered", net, 0.01).kind == "false"


def test_exact_said_of_noisy_labels_is_false(net):
    assert verdict(case_of(net, noise=1e-3), "exact", net).kind == "false"


def test_a_unit_that_is_off_is_false(net):
    off = Units(net.W.copy(), net.b.copy(), net.A.copy())
    off.b[0] += 0.2
    assert verdict(case_of(net, noise=0.05), "recovered", off, 0.05).kind == "false"


def test_a_further_unit_of_chance_is_false(net):
    case = case_of(net, noise=0.1)
    more = net.with_units([[1.0, 1.0, -1.0]], [0.1], [[1e-4], [1e-4]])
    assert verdict(case, "recovered", more, 0.1).kind == "false"


def test_a_unit_that_no_sample_bends_is_undecidable(net):
    far = net.with_units([[1.0, 0.0, 0.0]], [-2.4], [[1.0], [1.0]])
    rng = np.random.default_rng(3)
    x = draw(rng, 3000)
    x = x[x[:, 0] < 2.4]
    case = Case(x, far(x), far, lambda g, m: draw(g, m), name="made:1")
    assert verdict(case, "exact", net).kind == "undecidable"
    # Ten samples show it.
    case.x = np.vstack([x, draw(rng, 10) * [0, 1, 1] + [3.0, 0, 0]])
    case.y = far(case.x)
    assert verdict(case, "exact", net).kind == "false"


def test_a_unit_too_small_for_the_noise_is_undecidable(net):
    small = net.with_units([[1.0, 1.0, -1.0]], [0.1], [[1e-3], [1e-3]])
    case = case_of(small, noise=0.1)
    assert verdict(case, "recovered", net, 0.1).kind == "undecidable"


def test_interpolation_is_false():
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((4, 3))
    x = rows[rng.integers(4, size=200)]
    plane = np.linalg.solve(np.c_[rows, np.ones(4)], rng.standard_normal(4))
    answer = Units(np.zeros((0, 3)), [], np.zeros((1, 0)), plane[None, :3], plane[3:])
    truth = Function(lambda v: np.sin(50 * v[:, :1]), 1, "a function that nobody can guess")
    y = answer(x)
    case = Case(x, y, Table(y, x, truth), lambda g, m: draw(g, m), name="made:2")
    assert verdict(case, "exact", answer).kind == "false"


class Table:
    """Labels on the rows given, another function elsewhere."""

    outputs = 1

    def __init__(self, y, x, other):
        self.known = {row.tobytes(): value for row, value in zip(x, y)}
        self.other = other

    def __call__(self, x):
        return np.array([self.known.get(row.tobytes(), value) for row, value in zip(x, self.other(x))])

    def size(self, x):
        return np.ones((len(x), 1))


def test_softplus_is_false_unless_no_sample_is_in_the_bend(net):
    def soft(v, s):
        return np.logaddexp(0, s * (v @ net.W.T + net.b)) / s @ net.A.T

    rng = np.random.default_rng(6)
    x = draw(rng, 1000)
    case = Case(x, soft(x, 30), Function(lambda v: soft(v, 30), 2), lambda g, m: draw(g, m), name="made:3")
    assert verdict(case, "recovered", net, 1e-3).kind == "false"
    outside = (np.abs(x @ net.W.T + net.b) > 0.15).all(1)
    case = Case(x[outside], soft(x[outside], 300), Function(lambda v: soft(v, 300), 2), lambda g, m: draw(g, m), name="made:4")
    assert verdict(case, "exact", net).kind == "undecidable"


def test_least_squares_from_the_truth_is_an_optimum(net):
    case = case_of(net, noise=0.2)
    from trust.coordinates import Coordinates, canonical

    place = Coordinates(case.x)
    theta, _ = canonical(net, place)
    loss = fit.Loss(0.2, np.inf, np.ones(case.labels.shape, bool))
    _, _, residual, best = fit.refine(place.z1, case.labels, theta, True, loss)
    at_truth = loss(case.labels - net(case.x))
    parameters = 3 * (3 + 2) + 2 * 4
    assert 0 < at_truth - best < parameters + 6 * np.sqrt(2 * parameters)


def test_right_answers_of_least_squares_are_right(net):
    """The judge's own false alarms: a fit from the truth is never called false (60 draws, demanded: all)."""
    from trust.coordinates import Coordinates, canonical

    for seed in range(60):
        case = case_of(net, n=800, noise=0.3, seed=100 + seed)
        place = Coordinates(case.x)
        theta, _ = canonical(net, place)
        loss = fit.Loss(0.3, np.inf, np.ones(case.labels.shape, bool))
        theta, a, residual, _ = fit.refine(place.z1, case.labels, theta, True, loss)
        c, _ = fit.outputs_of(fit.features(place.z1, theta, True), case.labels, np.ones(case.labels.shape))
        # Back from whitened coordinates: z = (x - middle) / size @ vectors / root.
        turn = (place.vectors / place.root) / place.size[:, None]
        W = theta[:, :-1] @ turn.T
        b = theta[:, -1] - W @ place.middle
        skip = c[3:-1].T @ turn.T
        answer = Units(W, b, c[:3].T, skip, c[-1] - skip @ place.middle)
        assert np.allclose(case.labels - answer(case.x), residual, atol=1e-9)
        assert verdict(case, "recovered", answer, 0.3).kind in ("right", "undecidable"), seed


@pytest.mark.parametrize("name", families.names())
def test_every_family_makes_the_same_case_again(name):
    one, two = families.make(name, 12), families.make(name, 12)
    assert np.array_equal(one.x, two.x) and np.array_equal(one.y, two.y)
    assert one.describe() == two.describe()
    assert one.labels.shape == one.truth(one.x).shape
    if one.noise is None and one.wrong is None and one.task != "halfspaces":  # labels are the truth, rounded
        size = np.abs(one.truth(one.x)).max() + 1e-300
        assert np.abs(one.labels - one.truth(one.x)).max() <= (1e-6 if one.float32 else 1e-12) * size


def test_stored_cases_are_judged_alike(tmp_path, net):
    for case in (case_of(net), case_of(net, noise=0.1), families.make("softplus", 3), families.make("wrong-labels", 5)):
        stored.save(case, tmp_path / "case.npz")
        again = stored.load(tmp_path / "case.npz")
        assert np.array_equal(case.x, again.x) and np.array_equal(case.labels, again.labels)
        lie = Units(np.ones((1, case.x.shape[1])), [0.3], np.ones((case.labels.shape[1], 1)))
        assert verdict(case, "recovered", lie, 0.1).kind == verdict(again, "recovered", lie, 0.1).kind == "false"
