"""Models that can be asked: functions, files, programs that crash and stall."""
import sys
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.neural_network import MLPRegressor

import relucover


@pytest.fixture(scope="module")
def trained():
    """A network trained on real data, as a Network, and which of its units N(0, I) queries can see."""
    x, y = load_diabetes(return_X_y=True)
    x, y = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net = relucover.network_of(MLPRegressor(hidden_layer_sizes=(8,), max_iter=300, random_state=1).fit(x, y))
    return net


def active(net):
    """Units that are neither always on nor always off on the queries, as far as a few thousand of them can tell."""
    return np.abs(net.b) / np.linalg.norm(net.W, axis=1) < 3


def check_units(net, found, tolerance):
    errors = relucover.compare(net, found.network)
    assert errors["units_matched"] >= int(active(net).sum())
    assert errors["max_weight_error"] <= tolerance
    assert errors["function_rms"] <= tolerance


def test_a_network_trained_on_real_data_in_float64(trained):
    found = relucover.extract(trained.predict, inputs=10)
    assert found.status == "exact", found
    check_units(trained, found, 1e-9)


def test_the_same_as_a_float32_onnx_model(trained, tmp_path):
    trained.write(tmp_path / "model.onnx", dtype="float32")
    found = relucover.extract(tmp_path / "model.onnx", units=8, budget=20000)
    assert found.result.usable, found
    check_units(trained, found, 1e-5)


def test_every_query_is_counted_once(trained):
    asked = []

    def oracle(x):
        asked.append(x.copy())
        return trained.predict(x)[:, 0]

    found = relucover.extract(oracle, inputs=10, batch=300)
    queries = np.concatenate(asked)
    assert found.queries == len(queries) == len(np.unique(queries, axis=0))
    assert found.repeated == 0 and found.restarts == 0


def test_budget_is_kept():
    asked = []

    def oracle(x):
        asked.append(len(x))
        return np.sin(3 * x).sum(axis=1)

    found = relucover.extract(oracle, inputs=3, budget=1500, units=2, starts=2)
    assert sum(asked) == found.queries == 1500
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
    found = relucover.extract(command=command, protocol=protocol, inputs=4, timeout=2.0, batch=200, first=2000,
                              spool=tmp_path / "spool")
    assert found.status == "exact", found
    assert found.restarts == 2 and found.queries == 2000
    assert relucover.compare(truth, found.network)["max_weight_error"] < 1e-10
    assert len(set((tmp_path / "answered").read_text().splitlines())) == 2000
    again = relucover.extract(command="false", inputs=4, first=2000, spool=tmp_path / "spool")
    assert again.queries == 0 and again.reused == 2000
    assert again.network.W.tobytes() == found.network.W.tobytes()


def test_a_program_that_never_answers_is_named():
    with pytest.raises(relucover.DataError, match="ended without an answer"):
        relucover.extract(command="exit 1", inputs=2, max_restarts=1)
    with pytest.raises(relucover.DataError, match="expected numbers"):
        relucover.extract(command="sed -u s/^.*$/hello/", inputs=2)
