"""Models that can be asked, through the command line."""
import sys

import numpy as np

CHILD = """
import os, sys, time
folder = sys.argv[1]
network = __import__("json").load(open(os.path.join(folder, "t.json")))
starts = os.path.join(folder, "starts")
open(starts, "a").write("x")
run = os.path.getsize(starts)
for count, line in enumerate(sys.stdin):
    if run == 1 and count == 150: os._exit(1)
    if run == 2 and count == 90: time.sleep(1000)
    x = [float(t) for t in line.split()]
    hidden = [max(0.0, sum(w * v for w, v in zip(row, x)) + b) for row, b in zip(network["W"], network["b"])]
    print(" ".join(repr(sum(a * h for a, h in zip(row, hidden)) + o) for row, o in zip(network["A"], network["offset"])), flush=True)
"""


def test_a_model_file(relucover, relucover_json):
    relucover("sample", "--inputs", 4, "--units", 3, "--samples", 10, "--seed", 3, "-o", "d.npz", "--truth", "t.onnx")
    found = relucover_json("extract", "--oracle", "t.onnx", "-o", "n.json")
    assert found["status"] == "exact" and 11000 < found["queries"] < 15000 and found["repeated"] == 0
    assert found["figures"]["fresh_queries"] == 10000 and found["figures"]["units_bending"] == 3 and found["figures"]["linear_part"] == 0
    errors = relucover_json("compare", "t.onnx", "n.json")
    assert errors["units_matched"] == 3 and errors["max_weight_error"] < 1e-9


def test_a_model_asked_without_a_look(relucover, relucover_json):
    relucover("sample", "--inputs", 4, "--units", 3, "--samples", 10, "--seed", 3, "-o", "d.npz", "--truth", "t.onnx")
    found = relucover_json("extract", "--oracle", "t.onnx", "--scale", 1, "--no-look")
    assert (found["status"], found["queries"], found["domain"], found["looks_like"]) == ("exact", 11000, "N(0, I)", "")


def test_rows_to_be_like(relucover, relucover_json, tmp_path):
    relucover("sample", "--inputs", 4, "--units", 3, "--samples", 200, "--seed", 3, "-o", "d.npz", "--truth", "t.onnx")
    found = relucover_json("extract", "--oracle", "t.onnx", "--like", "d.npz", "-o", "n.json")
    assert found["status"] == "exact" and found["domain"] == "the 200 rows of d.npz"
    assert any("200 rows of d.npz are answered alike" in note for note in found["notes"])
    rows = np.load(tmp_path / "d.npz")["x"]
    np.savez(tmp_path / "rows.npz", x=rows)
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="a,b,c,d", comments="")
    np.save(tmp_path / "rows.npy", rows)
    for name in ("rows.npz", "rows.csv", "rows.npy"):  # rows need no labels
        assert relucover_json("extract", "--oracle", "t.onnx", "--like", name)["domain"] == f"the 200 rows of {name}"
    assert "columns" in relucover("extract", "--oracle-command", "cat", "--inputs", 3, "--like", "d.npz", code=2).stderr
    assert "auto or a positive number" in relucover("extract", "--oracle", "t.onnx", "--scale", "wide", code=2).stderr


def test_links_on_the_command_line(relucover, relucover_json, tmp_path):
    relucover("sample", "--inputs", 4, "--units", 3, "--samples", 3000, "--seed", 3, "-o", "d.npz", "--truth", "t.json")
    with np.load(tmp_path / "d.npz") as data:
        np.savez(tmp_path / "p.npz", x=data["x"], y=1 / (1 + np.exp(-data["y"])))
    for link in ("auto", "sigmoid"):
        found = relucover_json("learn", "p.npz", "--link", link, "-o", "n.json")
        assert (found["status"], found["link"]) == ("exact", "sigmoid"), link
    assert relucover_json("evaluate", "n.json", "p.npz")["rms"] < 1e-12
    assert "there are identity, sigmoid" in relucover("learn", "p.npz", "--link", "probit", code=2).stderr


def test_a_program_that_crashes_once_and_stalls_once(relucover, relucover_json, tmp_path):
    relucover("sample", "--inputs", 4, "--units", 3, "--samples", 10, "--seed", 3, "-o", "d.npz", "--truth", "t.json")
    (tmp_path / "child.py").write_text(CHILD)
    command = f"{sys.executable} child.py {tmp_path}"
    found = relucover_json("extract", "--oracle-command", command, "--inputs", 4, "--timeout", 5, "--batch", 100, "--spool", "spool", "--fresh", 500,
                           "--no-look", "-o", "n.json")
    assert found["status"] == "exact"
    assert found["restarts"] == 2 and found["queries"] == 1500
    assert relucover_json("compare", "t.json", "n.json")["max_weight_error"] < 1e-9
    again = relucover_json("extract", "--oracle-command", "false", "--inputs", 4, "--spool", "spool", "--fresh", 500)
    assert again["queries"] == 0 and again["reused"] == 1500 and again["status"] == "exact"


def test_a_program_that_can_not_answer_is_named(relucover):
    done = relucover("extract", "--oracle-command", "exit 3", "--inputs", 2, "--max-restarts", 0, code=2)
    assert "exit 3" in done.stderr and done.stdout == ""
