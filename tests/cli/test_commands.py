"""Every command: good input, none, broken; exit codes and the keys that machines rely on."""
import json
import os
import re
import subprocess

import numpy
import pytest

from conftest import PROGRAM, planted

COMMANDS = ["demo", "sample", "sample-threshold", "learn", "signs", "compare", "evaluate", "diagnose", "moments", "merge", "methods", "extract", "report", "completion"]


def test_help_teaches_every_command(relucover):
    whole = relucover("--help").stdout
    for command in COMMANDS:
        assert re.search(rf"^  {command}\b", whole, re.MULTILINE), command
        page = relucover(command, "--help").stdout
        assert "Example:\n  " in page
        assert f"relucover {command}" in page


def test_version(relucover):
    assert re.fullmatch(r"relucover \d+\.\d+\.\d+\n", relucover("--version").stdout)


@pytest.mark.parametrize("arguments", [
    [], ["nonsense"], ["learn"], ["learn", "--units"], ["sample"], ["compare"], ["compare", "one.json"], ["evaluate"],
    ["diagnose"], ["extract"], ["extract", "--oracle-command", "cat"], ["report"], ["completion"], ["completion", "tcsh"], ["methods", "surplus"], ["demo", "--inputs", "0"],
    ["demo", "--inputs", "-3"], ["demo", "--samples", "many"], ["demo", "--time-limit", "-1"], ["demo", "--threads", "-1"],
    ["demo", "--weights", "bent"], ["demo", "--distribution", "bent"], ["demo", "--distribution", "correlated:0.5"],
    ["demo", "--noise", "-1"], ["demo", "--noise", "nan"], ["demo", "--weights", "orthonormal", "--inputs", "2", "--units", "3"],
    ["learn", "missing.npz", "--units", "0"], ["learn", "missing.npz", "--units", "few"], ["learn", "missing.npz", "--units", "2.5"],
    ["learn", "missing.npz", "--set", "eta"], ["learn", "missing.npz", "--set", "eta=much"], ["learn", "--x", "a.npy"],
    ["learn", "--y", "b.npy"], ["learn", "d.npz", "--x", "a.npy", "--y", "b.npy"],
])
def test_usage_errors_exit_2_and_say_why(relucover, tmp_path, arguments):
    done = relucover(*arguments, code=2)
    assert done.stdout == ""
    assert len(done.stderr) > 10
    assert os.listdir(tmp_path) == []


def test_the_time_limit_says_what_is_allowed(relucover):
    assert "[0.001 - inf]" in relucover("learn", "--help").stdout
    assert "0.001000 to inf" in relucover("demo", "--time-limit", "0", code=2).stderr


def test_sample_learn_compare_evaluate(relucover, relucover_json, tmp_path):
    made = relucover("sample", "--inputs", 5, "--units", 3, "--samples", 3000, "--seed", 1, "-o", "d.npz", "--truth", "t.json")
    assert made.stdout == ""
    with numpy.load(tmp_path / "d.npz") as file:
        assert file["x"].shape == (3000, 5)
        assert file["y"].shape[0] == 3000
    result = relucover_json("learn", "d.npz", "--units", 3, "-o", "n.json")
    assert result["status"] == "exact"
    assert {"status", "message", "method", "units", "residual_rms", "residual_relative", "holdout_rms", "noise_estimate",
            "sign_ambiguous", "samples", "seconds", "stages", "method_asked", "method_reason", "notes", "figures",
            "series"} <= set(result)
    assert "network" not in result
    assert result["units"] == 3 and result["samples"] == 3000
    assert all({"stage", "seconds", "iterations", "residual"} <= set(stage) for stage in result["stages"])
    assert [(tried["method"], tried["status"]) for tried in result["plan"]] == [(result["method"], "exact")]
    assert result["plan"][0]["said"] == result["message"] and result["plan"][0]["seconds"] <= result["seconds"]
    network = json.loads((tmp_path / "n.json").read_text())
    assert network["format"] == "relucover-network" and network["version"] == 1
    assert numpy.shape(network["W"]) == (3, 5)
    errors = relucover_json("compare", "t.json", "n.json")
    assert errors["units_matched"] == 3
    for key in ("max_weight_error", "max_bias_error", "max_output_error", "function_rms"):
        assert errors[key] <= 1e-10, key
    assert errors["up_to_sign"] is False
    error = relucover_json("evaluate", "n.json", "d.npz")
    assert error["rms"] < 1e-12 and error["samples"] == 3000 and 0 <= error["worst_sample"] < 3000
    assert "rms error" in relucover("evaluate", "n.json", "d.npz").stdout
    assert "units matched" in relucover("compare", "t.json", "n.json").stdout


@pytest.mark.parametrize("extension", ["npz", "h5", "csv"])
def test_every_format_holds_the_same_samples(relucover, relucover_json, tmp_path, extension):
    relucover("sample", "--inputs", 3, "--units", 2, "--samples", 500, "-o", f"d.{extension}", "--truth", "t.json")
    assert relucover_json("evaluate", "t.json", f"d.{extension}")["max_abs"] < 1e-13


@pytest.mark.parametrize("extension", ["json", "npz", "onnx"])
def test_every_network_format_reads_back(relucover, relucover_json, extension):
    relucover("sample", "--inputs", 3, "--units", 2, "--outputs", 2, "--samples", 10, "-o", "d.npz", "--truth", "t.json")
    relucover("sample", "--inputs", 3, "--units", 2, "--outputs", 2, "--samples", 10, "-o", "d.npz", "--truth", f"u.{extension}")
    assert relucover_json("compare", "t.json", f"u.{extension}")["function_rms"] < 1e-14


def test_float32_samples(relucover, tmp_path):
    relucover("sample", "--inputs", 3, "--units", 2, "--samples", 100, "--precision", "float32", "-o", "d.npz")
    with numpy.load(tmp_path / "d.npz") as file:
        assert file["x"].dtype == numpy.float32


def test_learn_from_pairs_and_shards(relucover_json, tmp_path):
    x, y = planted(3000)
    numpy.save(tmp_path / "x.npy", x)
    numpy.save(tmp_path / "y.npy", y)
    assert relucover_json("learn", "--x", "x.npy", "--y", "y.npy", "--units", 2)["status"] == "exact"
    for part in range(3):
        rows = slice(1000 * part, 1000 * (part + 1))
        numpy.savez(tmp_path / f"{part}.npz", x=x[rows], y=y[rows])
    result = relucover_json("learn", "0.npz", "1.npz", "2.npz", "--units", 2)
    assert result["status"] == "exact" and result["samples"] == 3000


def test_learn_prints_text_for_people(relucover, data):
    page = relucover("learn", "data.npz", "--units", 2).stdout
    assert re.search(r"^status +exact", page)
    assert relucover("learn", "data.npz", "--units", 2, "--brief").stdout.count("\n") == 1


def test_unknown_method_and_setting_name_what_there_is(relucover, data):
    assert "prune" in relucover("learn", "data.npz", "--method", "magic", code=2).stderr
    assert "sparkle" in relucover("learn", "data.npz", "--set", "sparkle=1", code=2).stderr


def test_methods_are_listed(relucover, relucover_json):
    listed = relucover_json("methods")
    names = [method["name"] for method in listed]
    assert "auto" in names and "prune" in names
    assert len(set(names)) == len(names)
    text = relucover("methods").stdout
    assert all(name in text for name in names)


def test_demo_shows_truth_beside_answer(relucover, relucover_json):
    page = relucover("demo").stdout
    assert page.count("truth") == 4 and page.count("answer") == 4 and page.count("differs") == 4
    assert re.search(r"^status +exact$", page, re.MULTILINE)
    result = relucover_json("demo", "--inputs", 3, "--units", 2, "--samples", 2000, "--seed", 5)
    assert result["status"] == "exact" and result["max_weight_error"] < 1e-10


def test_make_demo_prints_what_the_command_does(relucover):
    own = subprocess.run([PROGRAM + "_demo"], capture_output=True, text=True)
    command = relucover("demo")
    timeless = lambda page: re.sub(r"(?m)^time .*$", "", page)
    assert (own.returncode, own.stderr) == (0, command.stderr)
    assert timeless(own.stdout) == timeless(command.stdout)


def test_demo_says_too_few_samples(relucover):
    assert "assumption_failed" in relucover("demo", "--samples", 10, code=3).stdout


def test_progress_bars_only_on_a_terminal(relucover, data):
    assert "\r" not in relucover("learn", "data.npz", "--units", 2).stderr


def labels_of_kind(kind, x):
    random = numpy.random.default_rng(1)
    W, a = random.normal(size=(x.shape[1], 4)), random.normal(size=4)
    h = numpy.maximum(x @ W + 0.2, 0)
    return {
        "constant": lambda: numpy.full(len(x), 3.2),
        "class labels": lambda: (x @ W @ a > 0).astype(float),
        "kinked": lambda: h @ a,
        "smooth": lambda: numpy.sin(2 * x[:, 0]) * x[:, 1],
        "a network with noise": lambda: h @ a + 0.01 * random.normal(size=len(x)),
        "noisy": lambda: random.normal(size=len(x)),
    }[kind]()


@pytest.mark.parametrize("kind", ["constant", "class labels", "kinked", "smooth", "a network with noise", "noisy"])
def test_diagnose_says_what_labels_look_like(kind, relucover, relucover_json, tmp_path):
    x = numpy.random.default_rng(0).normal(size=(4000, 3))
    numpy.savez(tmp_path / "d.npz", x=x, y=labels_of_kind(kind, x))
    # Five seconds, the default, are too few for a sanitizer.
    assert relucover_json("diagnose", "d.npz", "--look", "120")["looks_like"].startswith(kind)
    assert "looks like" not in relucover("diagnose", "d.npz", "--look", "0").stdout


def test_diagnose(relucover, relucover_json, tmp_path):
    relucover("sample", "--inputs", 6, "--units", 3, "--samples", 20000, "-o", "g.npz")
    found = relucover_json("diagnose", "g.npz")
    assert found["gaussian"]["passed"] and found["symmetric"]["passed"] and found["whitened"]
    assert found["units_at_least"] == 3 and found["label_rank"] == 1
    assert found["constant_columns"] == [] and found["label_decimals"] is None
    assert "at least 3" in relucover("diagnose", "g.npz").stdout
    x, y = planted(1000, inputs=4)
    x[:, 1] = 7
    x[:, 3] = x[:, 0]
    numpy.savez(tmp_path / "odd.npz", x=x, y=numpy.round(y, 2))
    found = relucover_json("diagnose", "odd.npz")
    assert found["constant_columns"] == [1] and found["duplicated_columns"] == [[0, 3]] and found["label_decimals"] == 2
    relucover("sample", "--inputs", 6, "--units", 3, "--samples", 20000, "--distribution", "exponential", "-o", "e.npz")
    found = relucover_json("diagnose", "e.npz")
    assert not found["gaussian"]["passed"] and not found["symmetric"]["passed"] and found["units_at_least"] is None


def test_compare_and_evaluate_refuse_other_shapes(relucover):
    relucover("sample", "--inputs", 3, "--units", 2, "--samples", 10, "-o", "a.npz", "--truth", "a.json")
    relucover("sample", "--inputs", 4, "--units", 2, "--samples", 10, "-o", "b.npz", "--truth", "b.json")
    assert "inputs" in relucover("compare", "a.json", "b.json", code=2).stderr
    assert "inputs" in relucover("evaluate", "a.json", "b.npz", code=2).stderr


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": "other"}', '{"format": "relucover-network", "version": 99}',
                                  '{"format": "relucover-network", "version": 1, "activation": "relu", "W": [[1, 2], [3]]}'])
def test_broken_networks_are_refused(relucover, tmp_path, text):
    (tmp_path / "n.json").write_text(text)
    done = relucover("compare", "n.json", "n.json", code=2)
    assert "n.json" in done.stderr


def test_answers_are_the_same_for_any_number_of_threads(relucover, tmp_path):
    relucover("sample", "--inputs", 6, "--units", 4, "--samples", 20000, "--threads", 1, "-o", "d1.npz")
    relucover("sample", "--inputs", 6, "--units", 4, "--samples", 20000, "--threads", 2, "-o", "d2.npz")
    with numpy.load(tmp_path / "d1.npz") as one, numpy.load(tmp_path / "d2.npz") as two:
        assert (one["x"] == two["x"]).all() and (one["y"] == two["y"]).all()
    for threads in (1, 2):
        relucover("learn", "d1.npz", "--units", 4, "--threads", threads, "-o", f"n{threads}.json")
    assert (tmp_path / "n1.json").read_bytes() == (tmp_path / "n2.json").read_bytes()


def test_completion_scripts_know_every_command(relucover, tmp_path):
    for shell in ("bash", "zsh", "fish"):
        script = relucover("completion", shell).stdout
        assert all(command in script for command in COMMANDS), shell
        assert "time-limit" in script
    bash = "source <(\"$0\" completion bash); COMP_WORDS=(relucover le); COMP_CWORD=1; _relucover; echo ${COMPREPLY[*]};" \
           "COMP_WORDS=(relucover learn --uni); COMP_CWORD=2; _relucover; echo ${COMPREPLY[*]}"
    done = subprocess.run(["bash", "-c", bash, PROGRAM], capture_output=True, text=True)
    assert done.stdout.split()[0] == "learn", done.stderr
    assert "--units" in done.stdout.split()[1:], done.stderr


def test_reproduce_prints_a_table_and_writes_csv(relucover, tmp_path):
    csv = tmp_path / "figure.csv"
    done = relucover("reproduce", "gklw-fig2", "--trials", "1", "--points", "2", "--csv", csv)
    header, *rows = [line.split(",") for line in csv.read_text().splitlines()]
    assert header[:2] == ["panel", "samples_or_dimension"] and len(rows) == 2
    table = [line.split() for line in done.stdout.splitlines()]
    assert table[0] == header and table[1:] == rows
    for row in rows:
        figures = dict(zip(header, row))
        for what in ("W", "A", "mse"):
            assert float(figures[f"default_{what}"]) < float(figures[f"practical_{what}"])
        assert float(figures["default_W"]) < 1e-20


def test_reproduce_names_what_there_is(relucover):
    assert "gklw-fig4" in relucover("reproduce", "gklw-fig9", code=2).stderr
