"""Models that can be asked: functions, files, programs that crash and stall."""
import pathlib
import sys
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.neural_network import MLPRegressor

import relucover

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench" / "accuracy"))


def standardised_diabetes():
    x, y = load_diabetes(return_X_y=True)
    return (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()


def mlp(seed=1, labels=None, **options):
    x, y = standardised_diabetes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MLPRegressor(hidden_layer_sizes=(8,), random_state=seed, **options).fit(x, y if labels is None else labels)


@pytest.fixture(scope="module")
def trained():
    """A network trained on real data."""
    return relucover.network_of(mlp(max_iter=300))


def queries_seen(oracle):
    """The oracle, and a list that its queries go to."""
    asked = []

    def answer(x):
        asked.append(x.copy())
        return oracle(x)

    return answer, asked


def recovered(network, oracle, tolerance, **options):
    """Asks the oracle, checks that each unit of the network that bends on the queries is found, and tells what was found."""
    answer, asked = queries_seen(oracle)
    found = relucover.extract(answer, inputs=network.inputs, threads=1, scale=1.0, look=False, **options)
    assert found.status in ("exact", "recovered"), found
    seen = relucover.as_seen(network, np.concatenate(asked))
    errors = relucover.compare(seen, found.network)
    assert found.network.units == seen.units == errors["units_matched"], (found, relucover.unit_activity(network, np.concatenate(asked)))
    for name in ("max_weight_error", "max_bias_error", "function_rms"):
        assert errors[name] <= tolerance, (name, errors)
    assert errors["max_output_error"] <= tolerance * np.abs(seen.canonical().A).max()
    return found


def test_scikit_learn_networks_trained_on_real_data(trained):
    assert recovered(trained, trained.predict, 1e-9).status == "exact"
    _, raw = load_diabetes(return_X_y=True)
    small_units = mlp(seed=0, labels=raw)  # trained on labels of size 150: units differ in size by a factor of 700
    recovered(relucover.network_of(small_units), small_units.predict, 1e-9)


def test_the_same_in_float32(trained, tmp_path):
    trained.write(tmp_path / "model.onnx", dtype="float32")
    model = relucover.FeedForward.read(tmp_path / "model.onnx")
    assert recovered(relucover.Network.read(tmp_path / "model.onnx"), model, 1e-5).status == "exact"


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_network_trained_by_pytorch_on_real_data(precision):
    pytest.importorskip("torch", reason="python3-torch is not installed (packages-bench.txt)")
    from trained_oracles import by_pytorch

    oracle, network = by_pytorch(precision, seed=0, decay=0)
    recovered(network, oracle, 1e-9 if precision == "float64" else 1e-5)


def with_biases(network, **biases):
    """The network with the kinks of some units moved to the given distances."""
    b = network.b.copy()
    for unit, distance in biases.items():
        b[int(unit[1:])] = distance * np.linalg.norm(network.W[int(unit[1:])])
    return relucover.Network(W=network.W, b=b, A=network.A, skip=network.skip, offset=network.offset)


def test_dead_and_linear_units_are_told_apart_from_those_that_bend(trained):
    dead = with_biases(trained, _2=-9, _5=-9)
    found = recovered(dead, dead.predict, 1e-9)
    assert found.result.figures["units_bending"] == 6 and found.result.figures["linear_part"] == 0
    assert any("no unit is on at every query" in note for note in found.result.notes)
    linear = with_biases(trained, _2=9, _5=-9)
    found = recovered(linear, linear.predict, 1e-9)
    assert found.result.figures["units_bending"] == 6 and found.result.figures["linear_part"] > 1e-3
    assert any("on at every query" in note and "linear function" in note for note in found.result.notes)


def test_a_unit_that_the_first_queries_do_not_see_is_found(trained):
    rare = with_biases(trained, _3=-3.1)  # active on one query in a thousand
    assert recovered(rare, rare.predict, 1e-9, budget=200_000).attempts > 1
    hasty = relucover.extract(rare.predict, inputs=10, threads=1, fresh=0, scale=1.0, look=False)
    assert hasty.network.units <= 8


def test_every_query_is_counted_once(trained):
    asked = []

    def oracle(x):
        asked.append(x.copy())
        return trained.predict(x)[:, 0]

    found = relucover.extract(oracle, inputs=10, batch=300, scale=1.0, look=False)
    queries = np.concatenate(asked)
    assert found.queries == len(queries) == len(np.unique(queries, axis=0))
    assert found.repeated == 0 and found.restarts == 0


def test_budget_is_kept():
    asked = []

    def oracle(x):
        asked.append(len(x))
        return np.sin(3 * x).sum(axis=1)

    found = relucover.extract(oracle, inputs=3, budget=1500, units=2, starts=2)
    assert sum(asked) == found.queries == 1500 - 32  # these are kept for asking some again
    assert found.status not in ("exact", "recovered")


def test_what_the_function_raises_comes_out():
    def oracle(x):
        raise RuntimeError("no service")

    with pytest.raises(RuntimeError, match="no service"):
        relucover.extract(oracle, inputs=3)
    with pytest.raises(ValueError, match="rows"):
        relucover.extract(lambda x: x[:1, 0], inputs=3)
    with pytest.raises(relucover.DataError, match="NaN"):
        relucover.extract(lambda x: x[:, 0] * np.nan, inputs=3)


PROGRAM = '''
import os, sys, time
import numpy as np
from relucover.serve import serve
folder, protocol = sys.argv[1], sys.argv[2]
starts = os.path.join(folder, "starts")
with open(starts, "a") as f:
    f.write("x")
run = os.path.getsize(starts)
log = open(os.path.join(folder, "answered"), "a")
W, b, A = (np.load(os.path.join(folder, name)) for name in ("W.npy", "b.npy", "A.npy"))
answered = 0
def value(x):
    return np.maximum(x @ W.T + b, 0) @ A.T
def misbehave():
    if run == 1 and answered >= 500: os._exit(3)
    if run == 2 and answered >= 300: time.sleep(1000)
def answers(x):
    global answered
    misbehave()
    for row in x:
        log.write(" ".join(map(repr, row.tolist())) + "\\n")
    log.flush()
    answered += len(x)
    return value(x)
serve(answers, protocol)
'''


@pytest.mark.parametrize("protocol", ["lines", "npy"])
def test_a_program_that_crashes_once_and_stalls_once(tmp_path, protocol):
    _, _, truth = relucover.sample(inputs=4, units=3, samples=1, seed=6)
    for name in ("W", "b", "A"):
        np.save(tmp_path / f"{name}.npy", getattr(truth, name))
    (tmp_path / "program.py").write_text(PROGRAM)
    command = f"{sys.executable} {tmp_path / 'program.py'} {tmp_path} {protocol}"
    found = relucover.extract(command=command, protocol=protocol, inputs=4, timeout=6.0, batch=200, first=2000,
                              fresh=1000, spool=tmp_path / "spool", look=False)
    assert found.status == "exact", found
    assert found.restarts == 2 and found.queries == 3000
    assert relucover.compare(truth, found.network)["max_weight_error"] < 1e-10
    answered = (tmp_path / "answered").read_text().splitlines()
    assert len(answered) == 3000 == len(set(answered))  # none lost, none answered twice
    again = relucover.extract(command="false", inputs=4, first=2000, fresh=1000, spool=tmp_path / "spool")
    assert again.queries == 0 and again.reused == 3000
    assert again.network.W.tobytes() == found.network.W.tobytes()


def test_a_program_that_never_answers_is_named():
    with pytest.raises(relucover.DataError, match="ended without an answer"):
        relucover.extract(command="exit 1", inputs=2, max_restarts=1)
    with pytest.raises(relucover.DataError, match="expected numbers"):
        relucover.extract(command="sed -u s/^.*$/hello/", inputs=2)


def test_a_program_that_answers_with_text_is_named(tmp_path):
    program = tmp_path / "words.py"
    program.write_text("import sys, numpy as np\nwhile True:\n    np.lib.format.read_magic(sys.stdin.buffer)\n"
                       "    shape, _, _ = np.lib.format.read_array_header_1_0(sys.stdin.buffer)\n    sys.stdin.buffer.read(8 * shape[0] * shape[1])\n"
                       "    np.save(sys.stdout.buffer, np.full((shape[0], 1), 'word'))\n    sys.stdout.buffer.flush()\n")
    with pytest.raises(relucover.DataError, match="words.py.*answer.*text, not numbers"):
        relucover.extract(command=f"{sys.executable} {program}", protocol="npy", inputs=2)


def deep_model(seed=3, inputs=5):
    rng = np.random.default_rng(seed)
    W1, b1, W2, b2 = rng.normal(size=(5, inputs)), 0.3 * rng.normal(size=5), rng.normal(size=(4, 5)), 0.3 * rng.normal(size=4)
    return lambda x: np.maximum(np.maximum(x @ W1.T + b1, 0) @ W2.T + b2, 0) @ np.array([1.0, -2.0, 1.5, 0.7])


@pytest.mark.parametrize("seed", [3, 4, 7])
def test_layers_are_found_with_their_widths_and_depth(seed):
    model = deep_model(seed)
    found = relucover.extract(model, inputs=5, layers="auto", seed=seed, threads=1, time_limit=60)
    assert found.status == "exact", found
    x = np.random.default_rng(9).normal(size=(2000, 5))
    np.testing.assert_allclose(found.network.predict(x).ravel(), model(x), atol=1e-10)


def test_models_without_planes_to_see_are_no_error():
    for model in (lambda x: x.max(1), lambda x: deep_model()(np.round(x, 3))):
        assert relucover.extract(model, inputs=5, layers=[5, 4], threads=1, time_limit=1.5).status != "exact"
    assert relucover.extract(deep_model(), inputs=5, layers=[5, 4], budget=1000, threads=1, time_limit=2).queries <= 1000


def test_one_answer_that_contradicts_is_not_overlooked():
    """Of those that showed where the model bends, from which nothing is learned."""
    count = 0

    def model(x):
        nonlocal count
        y = deep_model()(x)
        if count <= 30000 < count + len(x):
            y[30000 - count] += 1.0
        count += len(x)
        return y

    assert relucover.extract(model, inputs=5, layers=[5, 4], threads=1, time_limit=6).status != "exact"


def test_layers_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="expected .auto. or a list"):
        relucover.extract(deep_model(), inputs=5, layers=2)
    with pytest.raises(ValueError, match="has no rows"):
        relucover.extract(deep_model(), layers=[5, 4], like=np.zeros((0, 5)))
    with pytest.raises(ValueError, match="layers of 2000, 2000 units on 5 inputs"):
        relucover.extract(deep_model(), inputs=5, layers=[2000, 2000])
