"""Models as people have them: handed over whole, asked where their data live, served through a link. One state of each; all of them in
bench/accuracy/models.py."""
import sys
from pathlib import Path

import numpy as np
import pytest

import relucover

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "accuracy"))
import models as gallery


@pytest.mark.parametrize("name", [name for name in gallery.CASES if "torch" not in name and "64" not in name and "digits" not in name])
def test_a_scikit_learn_model_is_handed_back(name):
    found, alike, _ = gallery.run_case(name, 0)
    assert found.result.certified, found.result.message
    assert alike


@pytest.mark.parametrize("name", [name for name in gallery.CASES if "torch" in name])
def test_a_torch_module_is_handed_back(name):
    pytest.importorskip("torch")
    found, alike, _ = gallery.run_case(name, 0)
    assert found.result.certified, found.result.message
    assert alike


@pytest.mark.parametrize("kind", gallery.KINDS)
def test_what_is_no_network_is_named(kind):
    found = relucover.extract(gallery.kind_of_model(kind, 0), inputs=6, time_limit=60)
    assert gallery.KINDS[kind] in found.result.message
    assert not found.result.certified
    assert found.queries <= 20000
    assert found.looks_like == found.result.message


def test_inputs_of_few_values_are_not_taken_for_steps_or_classes():
    rng = np.random.default_rng(3)
    W, b, V, c, a = rng.normal(size=(4, 3)), rng.normal(size=4), rng.normal(size=(3, 4)), rng.normal(size=3), rng.normal(size=3)
    deep = lambda x: np.maximum(np.maximum(x @ W.T + b, 0) @ V.T + c, 0) @ a
    for rows in (rng.integers(-3, 4, size=(300, 3)).astype(float), np.eye(3)[rng.integers(3, size=300)]):
        found = relucover.extract(deep, inputs=3, like=rows, layers=[4, 3], time_limit=10)
        assert "piecewise constant" not in found.result.message and "class labels" not in found.result.message
        assert "moved" in found.looks_like


def test_several_layers_behind_a_link_are_a_status():
    rng = np.random.default_rng(4)
    W, b, V, c, A = rng.normal(size=(5, 4)), rng.normal(size=5), rng.normal(size=(4, 5)), rng.normal(size=4), rng.normal(size=(3, 4))

    def probabilities(x):
        logits = np.maximum(np.maximum(x @ W.T + b, 0) @ V.T + c, 0) @ A.T
        weights = np.exp(logits - logits.max(1, keepdims=True))
        return weights / weights.sum(1, keepdims=True)

    found = relucover.extract(probabilities, inputs=4, layers="auto")
    assert found.status == "assumption_failed" and "softmax" in found.result.message
    assert found.result.method == "auto"


def test_links_are_named():
    for link in ("sigmoid", "softmax", "log-softmax"):
        truth = relucover.Network(W=np.random.default_rng(1).normal(size=(4, 5)), b=[0.1, 0.4, -0.3, 0.2],
                                  A=np.random.default_rng(2).normal(size=(1 if link == "sigmoid" else 3, 4)), link=link)
        found = relucover.extract(truth.predict, inputs=5)
        assert (found.status, found.network.link) == ("exact", link)
        assert relucover.compare(truth, found.network)["max_weight_error"] < 1e-9
        x = np.random.default_rng(3).normal(size=(100, 5))
        assert np.abs(found.network.predict(x) - truth.predict(x)).max() < 1e-11


def test_probabilities_as_labels():
    truth = relucover.Network(W=np.random.default_rng(1).normal(size=(3, 4)), b=[0.1, 0.4, -0.3], A=np.random.default_rng(2).normal(size=(3, 3)), link="softmax")
    x = np.random.default_rng(3).normal(size=(3000, 4))
    found = relucover.learn(x, truth.predict(x))
    assert (found.status, found.network.link) == ("exact", "softmax")
    assert relucover.learn(x, truth.predict(x), link="softmax").status == "exact"


def test_probabilities_of_four_digits_are_noisy_labels():
    truth = relucover.Network(W=np.random.default_rng(1).normal(size=(3, 4)), b=[0.1, 0.4, -0.3], A=np.random.default_rng(2).normal(size=(3, 3)), link="softmax")
    x = np.random.default_rng(3).normal(size=(20000, 4))
    found = relucover.learn(x, np.round(truth.predict(x), 4))
    assert found.status in ("recovered", "approximate")
    assert found.network.link == "softmax"
    assert relucover.compare(truth, found.network)["max_weight_error"] < 1e-3


def test_like_names_its_domain_and_rows_are_predicted():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 4)) * [1, 300, 0.01, 5] + [0, 750, 3, -20]
    W = rng.normal(size=(5, 4)) / [1, 300, 0.01, 5]
    b = rng.normal(size=5) - W @ [0, 750, 3, -20]
    found = relucover.extract(lambda x: np.maximum(x @ W.T + b, 0) @ np.ones(5), inputs=4, like=rows)
    assert found.status == "exact"
    assert "200 rows" in found.domain
    assert np.abs(found.network.predict(rows)[:, 0] - np.maximum(rows @ W.T + b, 0) @ np.ones(5)).max() < 1e-9
    with pytest.raises(ValueError, match="columns"):
        relucover.extract(lambda x: x[:, 0], inputs=3, like=rows)


def test_a_scale_is_found_by_asking():
    rng = np.random.default_rng(0)
    W, b = rng.normal(size=(5, 4)) / 100, rng.normal(size=5)
    found = relucover.extract(lambda x: np.maximum(x @ W.T + b, 0).sum(1), inputs=4)
    assert found.status == "exact"
    assert found.network.units == 5
    assert found.domain != "N(0, I)"


def test_errors_of_the_model_come_back_as_they_are():
    class Mine(RuntimeError):
        pass

    def fails(x):
        raise Mine("my own words")

    with pytest.raises(Mine, match="my own words"):
        relucover.extract(fails, inputs=3)
    with pytest.raises(ValueError, match="names of classes"):
        relucover.extract(lambda x: np.array(["cat"] * len(x)), inputs=3)
    with pytest.raises(TypeError, match="can't ask"):
        relucover.extract(3.5, inputs=3)


def test_a_tensor_with_grad_is_an_answer():
    torch = pytest.importorskip("torch")
    weights = torch.randn(4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    found = relucover.extract(lambda x: torch.relu(torch.as_tensor(x) @ weights.T).sum(1), inputs=3)
    assert found.status == "exact"


def test_what_is_stopped_gives_what_it_has():
    x, y, _ = relucover.sample(inputs=20, units=30, samples=20000, seed=1)
    stopped = relucover.learn(x, y, units=30, time_limit=0.3)
    assert stopped.status in ("budget_exhausted", "exact")
    assert stopped.network.inputs == 20
    assert stopped.residual_relative > 0
    found = relucover.extract(lambda q: np.abs(q[:, :15]).sum(1) + np.sin(q[:, 0]), inputs=20, look=False, time_limit=1.0)
    assert found.status in ("budget_exhausted", "approximate")


def test_back_to_live_models():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 4))
    for link, outputs in (("identity", 2), ("sigmoid", 1), ("softmax", 3)):
        net = relucover.Network(W=rng.normal(size=(3, 4)), b=rng.normal(size=3), A=rng.normal(size=(outputs, 3)), skip=rng.normal(size=(outputs, 4)), link=link)
        model = relucover.to_sklearn(net)
        served = model.predict(x) if link == "identity" else model.predict_proba(x)[:, -outputs:]
        assert np.abs(served.reshape(50, -1) - net.predict(x)).max() < 1e-12
    torch = pytest.importorskip("torch")
    leaky = relucover.Network(W=rng.normal(size=(3, 4)), b=rng.normal(size=3), A=rng.normal(size=(3, 3)), activation="leaky", slope=0.2, link="softmax")
    assert np.abs(relucover.to_torch(leaky)(torch.as_tensor(x)).detach().numpy() - leaky.predict(x)).max() < 1e-12


def test_links_and_slopes_are_pickled():
    import pickle

    net = relucover.Network(W=[[1.0, 2.0]], b=[0.5], A=[[3.0]], activation="leaky", slope=0.25, link="sigmoid")
    again = pickle.loads(pickle.dumps(net))
    assert (again.slope, again.link) == (0.25, "sigmoid")


def test_a_data_frame_is_data():
    pandas = pytest.importorskip("pandas")
    x, y, _ = relucover.sample(inputs=3, units=2, samples=500, seed=1)
    assert relucover.learn(pandas.DataFrame(x), pandas.Series(y[:, 0])).status == "exact"


@pytest.mark.parametrize("sharpness", [30, 300, 3000, 30000])
def test_no_claim_contradicts_what_was_asked(sharpness):
    rng = np.random.default_rng(sharpness)
    W, b, a = rng.normal(size=(2, 3)), rng.normal(size=2), rng.normal(size=2)
    asked = []

    def model(x):
        asked.append(np.array(x))
        return np.logaddexp(0, sharpness * (x @ W.T + b)) @ a / sharpness

    found = relucover.extract(model, inputs=3, time_limit=4, threads=1)
    if found.result.certified:
        x = np.vstack(asked)
        x = x[np.sqrt((x**2).mean(1)) <= 1]
        assert np.abs(found.result.network.predict(x).reshape(-1) - model(x)).max() < 1e-6


def test_more_layers_than_the_data_need_are_no_crash():
    x = np.random.default_rng(0).normal(size=(300, 4))
    for y in (x[:, 0], np.maximum(x[:, 0], 0) + np.maximum(x[:, 1] - 0.2, 0)):
        found = relucover.learn(x, y, time_limit=5, layers=[2, 2], threads=1)
        assert found.status in ("approximate", "budget_exhausted") or np.abs(found.network.predict(x)[:, 0] - y).max() < 1e-9


@pytest.mark.parametrize("link", ["softmax", "log-softmax"])
def test_one_output_has_no_softmax(link):
    x = np.random.default_rng(0).normal(size=(300, 4))
    with pytest.raises(ValueError, match="two outputs or more"):
        relucover.learn(x, x[:, 0], link=link)


def test_rare_values_of_whole_columns_are_asked_as_often_as_they_stand_in_the_rows():
    rng = np.random.default_rng(2)
    rows = np.c_[np.zeros(400), rng.normal(size=(400, 2))]
    rows[:10, 0] = 1
    rows[:10, 2] = np.minimum(rows[:10, 2], 1.9)
    asked = []

    def model(x):  # no network of one layer: what the rare value does is seen only where it is asked
        asked.append(np.array(x))
        return np.maximum(x[:, 1] - 0.3, 0) + np.maximum(x[:, 2] - 2, 0) * (x[:, 0] > 0.5)

    found = relucover.extract(model, inputs=3, like=rows, budget=20000, time_limit=4, threads=1)
    assert found.status != "exact"
    assert 0.015 < np.mean(np.vstack(asked)[:, 0] == 1) < 0.035


def one_layer(seed, inputs, units, act=lambda t: np.maximum(t, 0)):
    random = np.random.default_rng(seed)
    W, b, a = random.standard_normal((units, inputs)), 0.5 * random.standard_normal(units), random.standard_normal(units)
    return lambda x: (act(x @ W.T + b) @ a)[:, None]


def rows_of_whole_numbers(seed):
    return np.random.default_rng(seed).poisson(3, (500, 4)).astype(float)


@pytest.mark.parametrize("name", ["flat mostly", "eight decimals", "whole numbers", "far from zero"])
def test_a_first_look_that_is_wrong_does_not_stop(name):
    """Short segments see steps, deeper networks or class labels here; one attempt shows that they are wrong."""
    rounded, far = one_layer(2, 4, 5), one_layer(4, 4, 3)
    model, options = {
        "flat mostly": (one_layer(1, 4, 3, lambda t: np.clip(t, 0, 1)), {}),
        "eight decimals": (lambda x: np.round(rounded(x), 8), {}),
        "whole numbers": (one_layer(3, 4, 3), {"like": rows_of_whole_numbers(3)}),
        "far from zero": (lambda x: far(x - 1e6), {"like": 1e6 + np.random.default_rng(4).standard_normal((500, 4))}),
    }[name]
    found = relucover.extract(model, inputs=4, threads=1, **options)
    assert found.status == ("recovered" if name == "eight decimals" else "exact")
    rows = options.get("like", np.random.default_rng(5).standard_normal((1000, 4)))
    assert np.abs(found.result.network(rows) - model(rows)).max() < 1e-7


@pytest.mark.parametrize("model, words", [
    (one_layer(1, 6, 8, lambda t: np.logaddexp(0, 1000 * t) / 1000), "smooth, with sharp bends"),
    (lambda x, base=one_layer(2, 6, 8): base(x) + 0.1 * np.floor(3 * x[:, :1] + x[:, 1:2]), "jumps"),
    (lambda x, base=one_layer(2, 6, 8): base(x) + 0.001 * np.floor(3 * x[:, :1] + x[:, 1:2]), "units that explain most of it, the model jumps"),
    (lambda x, base=one_layer(3, 6, 5): np.clip(base(x), -1, 1), "more than one hidden layer"),
    (lambda x: x[:, :1] * x[:, 1:2], "smooth"),
    (lambda x, base=one_layer(1, 6, 8, np.tanh): np.round(base(x), 4), "smooth, and its answers have 4 decimals"),
    (lambda x, base=one_layer(1, 6, 8, np.tanh): np.round(base(x), 6), "smooth, and its answers have 6 decimals"),
], ids=["sharp softplus", "steps", "small steps", "clipped", "product", "4 decimals", "6 decimals"])
def test_bends_that_are_no_kinks_are_named(model, words):
    found = relucover.extract(model, inputs=6, threads=1)
    assert words in found.result.message and found.status == "assumption_failed"
    assert found.queries <= 20000


@pytest.mark.parametrize("decimals", [3, 6])
def test_rounded_answers_are_labels_with_noise(decimals):
    base = one_layer(3, 6, 8)
    found = relucover.extract(lambda x: np.round(base(x), decimals), inputs=6, threads=1)
    assert found.status == "recovered" and found.network.units == 8
    assert f"{decimals} decimals" in found.looks_like
    x = np.random.default_rng(0).standard_normal((500, 6))
    assert np.abs(found.network.predict(x) - base(x)).max() < 10.0**-decimals


def rounded_inside(step):
    base, hidden = one_layer(3, 4, 3), np.random.default_rng(3)
    W, b, a = hidden.standard_normal((3, 4)), 0.5 * hidden.standard_normal(3), hidden.standard_normal(3)
    to_step = lambda values: np.round(values / step) * step

    def one_column(x):
        z = np.array(x)
        z[:, 1] = to_step(z[:, 1])
        return base(z)

    return {
        "inputs": lambda x: base(to_step(x)),
        "one column": one_column,
        "table": lambda x: base(np.floor(x / step) * step),
        "hidden values": lambda x: to_step(np.maximum(x @ W.T + b, 0)) @ a[:, None],
        "fine teeth": lambda x: base(x) + step * (1e3 * x.sum(1, keepdims=True) % 1),
        "fine waves": lambda x: base(x) + step * np.sin(1e5 * x.sum(1, keepdims=True)),
        "behind a link": lambda x: 1 / (1 + np.exp(-base(to_step(x)))),
    }


@pytest.mark.parametrize("step", [1e-6, 2e-5])
@pytest.mark.parametrize("name", rounded_inside(1))
def test_what_is_rounded_inside_is_no_noise(name, step):
    """The same queries have the same answers, which are rounded by far less than what no network explains."""
    found = relucover.extract(rounded_inside(step)[name], inputs=4, threads=1, budget=40_000, time_limit=10)
    assert not found.result.certified, found.result.message
    assert found.queries < 20_000
    words = {"inputs": "inputs are rounded inside", "one column": "column 2 is moved", "table": "looked up in a table", "hidden values": "rounded"}
    if step == 1e-6 and name in words:
        assert found.status == "assumption_failed" and words[name] in found.looks_like


@pytest.mark.parametrize("kind", ["noise", "noise in float32", "float32", "half precision", "probabilities in float32", "four decimals"])
def test_noise_and_rounded_answers_are_recovered_still(kind):
    base, random = one_layer(3, 4, 3), np.random.default_rng(0)
    single = lambda y: y.astype(np.float32).astype(float)
    model = {
        "noise": lambda x: base(x) + 1e-6 * random.standard_normal((len(x), 1)),
        "noise in float32": lambda x: single(base(x) + 1e-3 * random.standard_normal((len(x), 1))),
        "float32": lambda x: single(base(x)),
        "half precision": lambda x: base(x).astype(np.float16).astype(float),
        "probabilities in float32": lambda x: single(1 / (1 + np.exp(-base(x)))),
        "four decimals": lambda x: np.round(base(x), 4),
    }[kind]
    found = relucover.extract(model, inputs=4, threads=1, budget=100_000, time_limit=20)
    assert found.result.certified, found.result.message
    assert found.network.units == 3


def test_columns_far_from_zero_are_not_taken_for_jumps():
    """Queries that float32 models see unchanged are rounded by more there, which shows where nothing bends."""
    from sklearn.datasets import load_wine
    from sklearn.neural_network import MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), MLPRegressor((8,), max_iter=300, random_state=1)).fit(x, (y - y.mean()) / y.std())
    found = relucover.extract(model, seed=1, threads=1)
    assert found.status == "exact" and "one hidden layer" in found.looks_like


def test_few_different_queries_are_not_asked_for_ever():
    rows = np.random.default_rng(0).integers(0, 2, (300, 4)).astype(float)
    found = relucover.extract(one_layer(3, 4, 5), inputs=4, like=rows, threads=1)
    assert found.status == "approximate" and found.queries < 10_000
    assert any("16 different queries are all there are" in note for note in found.result.notes)


@pytest.mark.parametrize("one_hot", [False, True], ids=["probabilities", "one-hot"])
def test_probabilities_and_their_classes_by_pruning(one_hot):
    q = np.random.default_rng(0).normal(size=(1200, 30))
    p = 1 / (1 + np.exp(-5 * q[:, 0] + 3 * np.abs(q[:, 1])))
    found = relucover.learn(q, np.eye(2)[(p > 0.5).astype(int)] if one_hot else np.c_[1 - p, p], method="prune", threads=1, time_limit=4)
    if one_hot:
        assert not found.certified
    else:  # one unit and a linear term, behind the link
        assert found.status == "exact" and found.network.link == "softmax" and found.network.units == 1
    assert found.plan[-1]["method"] == "prune" and found.plan[-1]["status"] == found.status
