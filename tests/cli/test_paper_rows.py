"""Corners of the papers through the command line: each test names the promise it keeps."""
import json

import numpy
import pytest
from conftest import HAS_PACKAGE


def angles(truth, found):
    """Of the best partner of every true direction, in radians."""
    truth = truth / numpy.linalg.norm(truth, axis=1, keepdims=True)
    found = found / numpy.linalg.norm(found, axis=1, keepdims=True)
    return numpy.arccos(numpy.clip((truth @ found.T).max(axis=1), -1, 1))


def model_of(path):
    return json.loads(path.read_text())


# ---- claims

def test_a_power_that_is_too_small_is_raised_to_what_the_data_show(relucover, relucover_json, tmp_path):
    relucover("sample-threshold", "--inputs", 6, "--units", 3, "--powers", "--samples", 100000, "--seed", 3, "-o", "t.npz", "--truth", "t.json")
    for power in ("1", "2"):
        answer = relucover_json("learn", "t.npz", "--task", "lowest-layer", "--units", 3, "--power", power, "-o", "l.json", code=(0, 1))
        assert answer["status"] != "exact" or answer["holdout_error"] < 1e-3
        assert answer["figures"]["detected_power"] == 3
    assert answer["status"] == "exact"
    assert relucover_json("compare", "t.json", "l.json")["max_weight_error"] < 1e-9


def test_a_degree_that_is_too_small_is_not_certified(relucover, relucover_json):
    relucover("sample-threshold", "--inputs", 6, "--units", 3, "--samples", 50000, "--seed", 2, "-o", "t.npz")
    answer = relucover_json("learn", "t.npz", "--task", "lowest-layer", "--units", 3, "--degree", 1, code=1)
    assert answer["status"] == "approximate" and "--degree" in answer["message"]


def test_halfspaces_that_overlap_too_much_are_refused_with_the_number(relucover, relucover_json):
    # d Phi(-t) = 1.2; the units' number and threshold are not given
    relucover("sample-threshold", "--inputs", 12, "--units", 12, "--unit", "step", "--upper", "any", "--threshold", 1.2816, "--samples", 60000,
              "--seed", 1, "-o", "t.npz")
    answer = relucover_json("learn", "t.npz", "--task", "halfspaces", code=3)
    assert answer["status"] == "assumption_failed"
    assert "d*Phi(-t)" in answer["message"] and answer["figures"]["expected_active_units"] > 0.3


# ---- rounding is noise of known size

@pytest.mark.parametrize("rounded", [lambda y: y.astype(numpy.float32).astype(float), lambda y: numpy.round(y, 6), lambda y: numpy.round(y, 4)])
def test_rounded_labels_of_a_first_layer_are_explained_to_their_rounding(relucover, relucover_json, tmp_path, rounded):
    relucover("sample-threshold", "--inputs", 6, "--units", 3, "--samples", 60000, "--seed", 2, "-o", "t.npz", "--truth", "t.json")
    with numpy.load(tmp_path / "t.npz") as data:
        numpy.savez(tmp_path / "r.npz", x=data["x"], y=rounded(data["y"]))
        step = numpy.abs(rounded(data["y"]) - data["y"]).max()
    answer = relucover_json("learn", "r.npz", "--task", "lowest-layer", "--units", 3, "-o", "l.json")
    assert answer["status"] == "exact"
    assert angles(numpy.array(model_of(tmp_path / "t.json")["W"]), numpy.array(model_of(tmp_path / "l.json")["W"])).max() < max(5 * step, 5e-8)


# ---- doors of GP

def test_directions_without_linear_terms_are_found_by_their_correlations(relucover, relucover_json, tmp_path):
    relucover("sample-threshold", "--inputs", 3, "--units", 3, "--unit", "step", "--threshold", 1, "--weights", "orthonormal", "--products-only",
              "--samples", 200000, "--seed", 4, "-o", "t.npz", "--truth", "t.json")
    answer = relucover_json("learn", "t.npz", "--task", "lowest-layer", "--unit", "step", "--units", 3, "--threshold", 1, "-o", "l.json", code=(0, 1))
    assert answer["method"] == "directions"  # it was not asked for: it is the better one here
    assert angles(numpy.array(model_of(tmp_path / "t.json")["W"]), numpy.array(model_of(tmp_path / "l.json")["W"])).max() < 0.1


def test_relu_without_linear_terms_is_found_by_its_kinks(relucover, relucover_json, tmp_path):
    relucover("sample-threshold", "--inputs", 3, "--units", 2, "--threshold", 0.5, "--weights", "orthonormal", "--products-only", "--samples", 200000,
              "--seed", 2, "-o", "t.npz", "--truth", "t.json")
    relucover_json("learn", "t.npz", "--task", "lowest-layer", "--units", 2, "--threshold", 0.5, "--method", "directions", "--degree", 2, "-o", "l.json",
                   code=(0, 1))
    assert angles(numpy.array(model_of(tmp_path / "t.json")["W"]), numpy.array(model_of(tmp_path / "l.json")["W"])).max() < 0.1


def test_questions_make_directions_better(relucover, relucover_json, tmp_path):
    relucover("sample-threshold", "--inputs", 5, "--units", 2, "--unit", "step", "--upper", "any", "--samples", 20000, "--seed", 1, "-o", "t.npz",
              "--truth", "t.json")
    truth = numpy.array(model_of(tmp_path / "t.json")["W"])
    first = relucover_json("learn", "t.npz", "--task", "lowest-layer", "--unit", "step", "--units", 2, "--first-step-only", "--degree", 0, "-o", "f.json",
                           code=(0, 1))
    asked = relucover_json("learn", "t.npz", "--task", "lowest-layer", "--unit", "step", "--units", 2, "--ask", "t.json", "--rounds", 80, "--questions",
                           1000, "--degree", 0, "-o", "a.json", code=(0, 1))
    before, after = (angles(truth, numpy.array(model_of(tmp_path / f)["W"])).max() for f in ("f.json", "a.json"))
    assert asked["figures"]["questions"] > 0 and "questions" in asked["method"]
    assert after < min(0.05, before)
    assert first["status"] == "approximate" and "halves of the data differ" in first["message"]


def test_samples_of_a_biased_oracle_go_through(relucover, relucover_json, tmp_path):
    relucover("sample-threshold", "--inputs", 6, "--units", 3, "--unit", "step", "--upper", "any", "--biased", 1, "--samples", 50000, "--seed", 1, "-o",
              "b.npz", "--truth", "t.json")
    answer = relucover_json("learn", "b.npz", "--task", "lowest-layer", "--unit", "step", "--units", 3, "-o", "l.json", code=1)
    assert answer["status"] == "approximate"
    assert angles(numpy.array(model_of(tmp_path / "t.json")["W"]), numpy.array(model_of(tmp_path / "l.json")["W"])).max() < 0.15


@pytest.mark.parametrize("method", ["landscape", "simultaneous"])
def test_a_landscape_without_signal_uses_the_order_that_has_it(relucover, relucover_json, tmp_path, method):
    relucover("sample-threshold", "--inputs", 8, "--units", 4, "--threshold", 1, "--samples", 200000, "--seed", 2, "-o", "t.npz", "--truth", "t.json")
    answer = relucover_json("learn", "t.npz", "--task", "lowest-layer", "--units", 4, "--threshold", 1, "--method", method, "--first-step-only", "-o",
                            "l.json", code=(0, 1))
    assert answer["method"] == "joint"
    worst = angles(numpy.array(model_of(tmp_path / "t.json")["W"]), numpy.array(model_of(tmp_path / "l.json")["W"])).max()
    assert worst < 0.5
    assert worst < 4 * answer["direction_error"] + 0.1  # what is said about them is true


# ---- structured weights

def test_supports_are_certified_and_dense_weights_refused(relucover, relucover_json):
    relucover("sample-threshold", "--inputs", 20, "--units", 4, "--unit", "exponential:0.5", "--threshold", 5, "--weights", "supports", "--support", 4,
              "--samples", 100000, "--seed", 7, "-o", "s.npz")
    assert relucover_json("learn", "s.npz", "--task", "lowest-layer", "--unit", "exponential:0.5", "--threshold", 5)["status"] == "exact"
    relucover("sample-threshold", "--inputs", 10, "--units", 5, "--unit", "exponential:0.5", "--threshold", 5, "--samples", 100000, "--seed", 7, "-o", "d.npz")
    answer = relucover_json("learn", "d.npz", "--task", "lowest-layer", "--unit", "exponential:0.5", "--threshold", 5, code=(1, 3))
    assert answer["status"] in ("assumption_failed", "approximate")


def test_even_units_are_counted_and_certified(relucover, relucover_json, tmp_path):
    relucover("sample-threshold", "--inputs", 5, "--units", 4, "--unit", "cosine", "--threshold", 0, "--weights", "orthonormal", "--samples", 200000,
              "--seed", 8, "-o", "t.npz", "--truth", "t.json")
    answer = relucover_json("learn", "t.npz", "--task", "lowest-layer", "--unit", "cosine", "-o", "l.json")
    assert answer["units"] == 4 and answer["status"] == "exact"
    assert relucover_json("compare", "t.json", "l.json")["max_weight_error"] < 1e-6


# ---- first class

def test_threshold_models_go_through_the_same_commands(relucover, relucover_json, tmp_path):
    relucover("sample-threshold", "--inputs", 6, "--units", 3, "--samples", 50000, "--seed", 2, "-o", "t.npz", "--truth", "t.json")
    relucover("learn", "t.npz", "--task", "lowest-layer", "--units", 3, "-o", "l.json")
    compared = relucover_json("compare", "t.json", "l.json")
    assert compared["units_matched"] == 3 and compared["max_weight_error"] < 1e-10 and compared["equivalent"]
    assert relucover_json("evaluate", "l.json", "t.npz")["relative"] < 1e-9
    relucover("sample", "--inputs", 6, "--units", 3, "--samples", 10, "-o", "n.npz", "--truth", "n.json")
    assert "compare two of a kind" in relucover("compare", "t.json", "n.json", code=2).stderr


def value_of_graph(model, x):
    """What an ONNX graph of the operators that are written computes, by numpy."""
    from onnx import numpy_helper

    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    values["x"] = x
    for node in model.graph.node:
        given = [values[name] for name in node.input]
        attribute = {a.name: a.i if a.type == 2 else list(a.ints) for a in node.attribute}
        values[node.output[0]] = {
            "Gemm": lambda a, b, c: a @ (b.T if attribute.get("transB") else b) + c, "Relu": lambda a: numpy.maximum(a, 0),
            "Sigmoid": lambda a: 1 / (1 + numpy.exp(-a)), "Greater": lambda a, b: a > b, "Cast": lambda a: a.astype(float), "Mul": lambda a, b: a * b,
            "Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Gather": lambda a, i: numpy.take(a, i, axis=attribute["axis"]),
            "Concat": lambda *all: numpy.concatenate(all, axis=attribute["axis"]), "Cos": numpy.cos, "Identity": lambda a: a,
            "ReduceProd": lambda a: a.prod(axis=attribute["axes"][0], keepdims=True)}[node.op_type](*given)
    return values[model.graph.output[0].name]


@pytest.mark.parametrize("unit, upper", [("relu", "polynomial"), ("step", "any"), ("step", "all"), ("sigmoid", "layers"), ("cosine", "polynomial")])
def test_threshold_models_are_written_as_onnx_graphs(relucover, tmp_path, unit, upper):
    onnx = pytest.importorskip("onnx")
    relucover("sample-threshold", "--inputs", 4, "--units", 3, "--unit", unit, "--upper", upper, "--threshold", 0.5, "--samples", 50, "--seed", 2, "-o",
              "t.npz", "--truth", "t.onnx")
    model = onnx.load(str(tmp_path / "t.onnx"))
    onnx.checker.check_model(model)
    with numpy.load(tmp_path / "t.npz") as data:
        assert numpy.abs(value_of_graph(model, data["x"]).ravel() - data["y"].ravel()).max() < 1e-12


@pytest.mark.parametrize("unit", ["relu", "step", "sigmoid", "exponential:0.5", "abs", "cosine:2", "gaussian", "power:4"])
@pytest.mark.parametrize("upper", [("polynomial",), ("polynomial", "--powers"), ("polynomial", "--products-only"), ("any",), ("all",), ("layers",)])
def test_threshold_models_come_back_from_onnx_graphs_as_they_were(relucover, relucover_json, tmp_path, unit, upper):
    relucover("sample-threshold", "--inputs", 4, "--units", 3, "--unit", unit, "--upper", *upper, "--threshold", 0.5, "--samples", 200, "--seed", 2, "-o",
              "t.npz", "--truth", "t.json")
    relucover("sample-threshold", "--model", "t.json", "--samples", 200, "--seed", 2, "-o", "again.npz", "--truth", "t.onnx")
    relucover("sample-threshold", "--model", "t.onnx", "--samples", 200, "--seed", 2, "-o", "from.npz", "--truth", "back.json")
    before, after = json.loads((tmp_path / "t.json").read_text()), json.loads((tmp_path / "back.json").read_text())
    for model in before, after:  # factors are a set
        for monomial in model["upper"].get("monomials", []):
            monomial["factors"].sort()
    assert before == after
    compared = relucover_json("compare", "t.json", "t.onnx")
    assert compared["equivalent"] and compared["units_matched"] == 3 and compared["max_weight_error"] == 0
    assert relucover_json("evaluate", "t.onnx", "from.npz")["rms"] == 0


@pytest.mark.skipif(not HAS_PACKAGE, reason="report needs the Python package")
def test_threshold_models_in_onnx_graphs_are_asked_and_reported(relucover, relucover_json, tmp_path):
    relucover("sample-threshold", "--inputs", 4, "--units", 2, "--unit", "step", "--samples", 20000, "--seed", 2, "-o", "t.npz", "--truth", "t.onnx")
    answer = relucover_json("learn", "t.npz", "--task", "lowest-layer", "--unit", "step", "--units", 2, "--ask", "t.onnx", "--rounds", 5, "--questions", 200,
                            "-o", "l.onnx", code=(0, 1))
    (tmp_path / "result.json").write_text(json.dumps(answer))
    relucover("report", "result.json", "--network", "l.onnx", "--truth", "t.onnx", "-o", "page.html")
    assert "units matched" in (tmp_path / "page.html").read_text()


def test_a_changed_graph_of_a_threshold_model_is_refused_by_its_node(relucover, tmp_path):
    onnx = pytest.importorskip("onnx")
    relucover("sample-threshold", "--inputs", 4, "--units", 3, "--samples", 50, "--seed", 2, "-o", "t.npz", "--truth", "t.onnx")
    for change, word in [(lambda graph: graph.node[1].__setattr__("op_type", "Tanh"), "Tanh"), (lambda graph: graph.node.pop(), "ends before its output"),
                         (lambda graph: graph.initializer[0].__setattr__("raw_data", b"12345678"), "size")]:
        model = onnx.load(str(tmp_path / "t.onnx"))
        change(model.graph)
        onnx.save(model, str(tmp_path / "changed.onnx"))
        said = relucover("evaluate", "changed.onnx", "t.npz", code=2).stderr
        assert "changed.onnx" in said and word in said


# ---- vector outputs

def test_refine_zero_gives_the_methods_own_answer(relucover, relucover_json):
    relucover("sample", "--inputs", 6, "--units", 4, "--outputs", 4, "--bias", 0, "--weights", "orthonormal", "--samples", 20000, "--seed", 1, "-o", "s.npz",
              "--truth", "s.json")
    for method in ("pure-neuron-printed", "pure-neuron-noise", "pure-neuron-als", "order-two", "independent-components", "pure-neuron-wide"):
        own = relucover_json("learn", "s.npz", "--method", method, "--units", 4, "--set", "refine=0", "-o", "o.json", code=(1, 3))
        assert own["status"] == "approximate", method
        error = relucover_json("compare", "s.json", "o.json")["max_weight_error"]
        assert 1e-12 < error < 0.5, method  # sampling error: neither refined nor lost
        assert own["residual_relative"] == pytest.approx(relucover_json("evaluate", "o.json", "s.npz")["relative"], rel=1e-6)


@pytest.mark.parametrize("activation, method, others", [("relu2", "rectified-square", ("rectified-cube", "rectified-exponential")),
                                                        ("relu3", "rectified-cube", ("rectified-square",)),
                                                        ("expm1", "rectified-exponential", ("rectified-square",))])
def test_rectified_activations_are_claimed_with_noise_and_fewer_outputs_than_units(relucover, relucover_json, activation, method, others):
    # Noise with fewer outputs than units: tests/vector/rectified_test.cpp has it of other functions.
    fewer = ((2, 0.1, "recovered"), (2, 0, "exact")) if activation == "relu2" else ()
    for outputs, noise, status in (*fewer, (1, 0, "exact"), (4, 0.1, "recovered")):
        relucover("sample", "--inputs", 5, "--units", 3, "--outputs", outputs, "--bias", 0, "--activation", activation, "--noise", noise, "--samples", 1500,
                  "--seed", 1, "-o", "r.npz", "--truth", "t.json")
        answer = relucover_json("learn", "r.npz", "--method", method, "-o", "a.json")
        assert answer["status"] == status and answer["units"] == 3, (outputs, noise)
        assert relucover_json("compare", "t.json", "a.json")["max_weight_error"] < (0.05 if noise else 1e-9)
        assert not noise or answer["figures"]["bias_limit"] < 0.25
    relucover("sample", "--inputs", 5, "--units", 3, "--outputs", 2, "--bias", 0.2, "--activation", activation, "--noise", 0.1, "--samples", 1500, "--seed", 1,
              "-o", "b.npz")
    assert relucover_json("learn", "b.npz", "--method", method, "--units", 3, code=1)["status"] == "approximate"  # biases, which the method has not
    for other in others:
        relucover_json("learn", "r.npz", "--method", other, "--units", 3, code=(1, 3))


def test_refine_zero_gives_the_zero_conditions_of_rectified_activations(relucover, relucover_json):
    relucover("sample", "--inputs", 6, "--units", 3, "--outputs", 5, "--bias", 0, "--activation", "relu2", "--noise", 0.01, "--samples", 5000, "--seed", 1, "-o",
              "r.npz", "--truth", "t.json")
    own = relucover_json("learn", "r.npz", "--method", "rectified-square", "--units", 3, "--set", "refine=0", "-o", "o.json", code=1)
    assert own["status"] == "approximate" and "own answer" in own["message"]
    assert 1e-6 < relucover_json("compare", "t.json", "o.json")["max_weight_error"] < 0.3


def test_cells_find_the_number_of_units(relucover, relucover_json):
    relucover("sample", "--inputs", 4, "--units", 3, "--outputs", 4, "--bias", 0, "--samples", 40, "--seed", 2, "-o", "c.npz")
    answer = relucover_json("learn", "c.npz", "--method", "cells")
    assert answer["units"] == 3 and answer["status"] == "exact"
    message = relucover("learn", "c.npz", "--method", "cells", "--units", 2, code=3).stdout
    assert "2 units were asked for" in message


@pytest.mark.parametrize("share", [0.1, 0.15])
def test_corrupted_labels_are_outvoted_by_three_outputs_for_each_unit(relucover, relucover_json, share):
    relucover("sample", "--inputs", 7, "--units", 4, "--outputs", 12, "--bias", 0, "--samples", 1500, "--corrupt", share, "--seed", 1, "-o", "c.npz",
              "--truth", "t.json")
    answer = relucover_json("learn", "c.npz", "--method", "corrupted-labels", "-o", "a.json")
    assert answer["status"] == "exact" and answer["units"] == 4
    assert relucover_json("compare", "t.json", "a.json")["max_weight_error"] < 1e-9


def test_heavy_tails_do_not_take_the_units_of_the_direction_net(relucover, relucover_json, tmp_path):
    random = numpy.random.default_rng(3)
    W, A = numpy.linalg.qr(random.standard_normal((4, 4)))[0][:2], random.choice([-1, 1], (3, 2)) * random.uniform(0.5, 1.5, (3, 2))
    x = random.standard_normal((20000, 4))
    numpy.savez(tmp_path / "c.npz", x=x, y=numpy.maximum(x @ W.T, 0) @ A.T + 0.1 * random.standard_cauchy((20000, 3)))
    answer = relucover_json("learn", "c.npz", "--method", "direction-net", "--units", 2, "-o", "a.json", code=(0, 1))
    found = numpy.array(model_of(tmp_path / "a.json")["W"])
    assert answer["units"] == 2 and angles(W, found).max() < 0.05


def test_instances_of_the_papers_are_what_they_say(relucover, relucover_json, tmp_path):
    relucover("sample", "--instance", "hard:sat,variables=6,clauses=8", "--seed", 1, "-o", "sat.npz", "--truth", "sat.json")
    assert relucover_json("evaluate", "sat.json", "sat.npz")["max_abs"] < 1e-12
    said = relucover("sample", "--instance", "lower-bound-pair,a=0.001", "--samples", 200, "-o", "pair.npz", "--truth", "one.json").stderr
    assert "samples tell the two apart" in said
    assert "no \"b\"" in relucover("sample", "--instance", "lower-bound-pair,b=1", "--samples", 200, "-o", "pair.npz", code=2).stderr
    assert "unknown instance" in relucover("sample", "--instance", "nonsense", "-o", "pair.npz", code=2).stderr
    relucover("sample", "--inputs", 4, "--units", 2, "--outputs", 3, "--bias", 0, "--samples", 1000, "--distribution", "q-lambda:0.3", "-o", "q.npz",
              "--truth", "q.json")
    assert relucover_json("evaluate", "q.json", "q.npz")["max_abs"] < 1e-12
    told = relucover_json("diagnose", "q.npz", "--network", "q.json")
    assert told["distinguishing_least"] > 0 and told["distinguishing_findings"] == []


# ---- equal functions, exact moments

def test_units_that_add_up_to_an_affine_part_do_not_make_networks_differ(relucover, relucover_json, tmp_path):
    one = {"format": "relucover-network", "version": 1, "activation": "relu", "W": [[1.0, 0.0], [0.6, 0.8]], "b": [0.1, -0.2], "A": [[1.0, -2.0]],
           "skip": [[0.3, 0.4]], "offset": [0.7]}
    # 0.3 x_1 + 0.4 x_2 + 0.7 = 0.5 (relu(t) - relu(-t)), t = 0.6 x_1 + 0.8 x_2 + 1.4
    other = {**one, "W": one["W"] + [[0.6, 0.8], [-0.6, -0.8]], "b": one["b"] + [1.4, -1.4], "A": [[1.0, -2.0, 0.5, -0.5]], "skip": [[0.0, 0.0]],
             "offset": [0.0]}
    # one unit as the sum of two alike, another turned around with its linear part in skip
    third = {**one, "W": [[-1.0, 0.0], [0.6, 0.8], [1.2, 1.6]], "b": [-0.1, -0.2, -0.4], "A": [[1.0, -1.0, -0.5]], "skip": [[1.3, 0.4]], "offset": [0.8]}
    for name, network in (("one", one), ("other", other), ("third", third)):
        (tmp_path / f"{name}.json").write_text(json.dumps(network))
    for name in ("other", "third"):
        found = relucover_json("compare", "one.json", f"{name}.json")
        assert found["function_rms"] < 1e-14 and found["equivalent"] is True
        assert found["max_weight_error"] < 1e-12
    wrong = {**other, "A": [[1.0, -2.0, 0.5, -0.4]]}
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    assert relucover_json("compare", "one.json", "wrong.json")["equivalent"] is False


def test_order_and_number_of_units_are_found_together_from_exact_moments(relucover, relucover_json):
    relucover("sample", "--inputs", 4, "--units", 14, "--samples", 10, "--seed", 1, "-o", "x.npz", "--truth", "t.json")
    answer = relucover_json("learn", "--from-network", "t.json")
    assert answer["status"] == "exact" and answer["units"] == 14
    refused = relucover_json("learn", "--from-network", "t.json", "--set", "order=2", "--method", "hermite", code=3)
    assert refused["status"] == "assumption_failed" and "order" in refused["message"]


def test_the_sum_of_m_plus_two_units_is_certified(relucover, relucover_json):
    relucover("sample", "--inputs", 5, "--units", 4, "--samples", 20000, "--seed", 1, "-o", "d.npz", "--truth", "t.json")
    answer = relucover_json("learn", "d.npz", "--method", "hermite-regression", "--units", 4, "-o", "a.json")
    assert answer["status"] == "exact" and answer["units"] <= 6
    assert relucover_json("compare", "t.json", "a.json")["equivalent"] is True


def test_pure_neurons_from_exact_moments(relucover, relucover_json):
    relucover("sample", "--inputs", 6, "--units", 4, "--outputs", 4, "--bias", 0, "--samples", 10, "--seed", 1, "-o", "x.npz", "--truth", "s.json")
    relucover("sample", "--inputs", 6, "--units", 3, "--outputs", 5, "--bias", 0, "--samples", 10, "--seed", 1, "-o", "x.npz", "--truth", "w.json")
    for network, method in (("s.json", "pure-neuron"), ("s.json", "pure-neuron-printed"), ("s.json", "pure-neuron-noise"), ("w.json", "pure-neuron-wide"),
                            ("w.json", "auto")):
        answer = relucover_json("learn", "--from-network", network, "--method", method)
        assert answer["status"] == "exact", method
        assert answer["figures"]["max_parameter_error"] < 1e-8
    relucover("sample", "--inputs", 6, "--units", 3, "--outputs", 5, "--samples", 10, "--seed", 1, "-o", "x.npz", "--truth", "b.json")
    assert "biases" in relucover("learn", "--from-network", "b.json", "--method", "pure-neuron", code=3).stdout
