"""Files as they come: truncated, lying, ragged, unreadable. Exit 2 (or 3: readable but not enough), a message with file,
place and remedy, no partial output, no crash."""
import os
import struct
import subprocess
import zipfile

import numpy
import pytest

from conftest import AS_ANYBODY, HAS_PACKAGE, leftovers, planted


def npy(header, body=b""):
    text = header.encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def refused(relucover, tmp_path, *arguments, names, code=2):
    before = set(os.listdir(tmp_path))
    done = relucover("learn", *arguments, "-o", "net.json", "--json", code=code)
    assert names in done.stderr
    assert "(" in done.stderr, "a remedy in parentheses"
    assert done.stdout == ""
    assert leftovers(tmp_path, before) == []
    return done.stderr


@pytest.mark.parametrize("name, content", {
    "empty": b"",
    "magic only": b"\x93NUMPY\x01\x00",
    "header cut": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10, 2), }")[:30],
    "body cut": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10, 2), }", bytes(100)),
    "2^60 rows": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 2), }", bytes(160)),
    "2^60 by 2^60": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 1152921504606846976), }", bytes(160)),
    "negative rows": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-10, 2), }", bytes(160)),
    "object dtype": npy("{'descr': '|O', 'fortran_order': False, 'shape': (10, 2), }", bytes(160)),
    "text dtype": npy("{'descr': '<U8', 'fortran_order': False, 'shape': (10, 2), }", bytes(640)),
    "three axes": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10, 2, 1), }", bytes(160)),
    "no shape": npy("{'descr': '<f8', 'fortran_order': False, }", bytes(160)),
    "not a header": npy("import os", bytes(160)),
    "0 rows": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }"),
    "0 columns": npy("{'descr': '<f8', 'fortran_order': False, 'shape': (10, 0), }"),
}.items())
def test_broken_npy(relucover, tmp_path, name, content):
    (tmp_path / "x.npy").write_bytes(content)
    numpy.save(tmp_path / "y.npy", numpy.zeros(0 if name == "0 rows" else 10))
    code = (2, 3) if name == "0 rows" else 2
    before = set(os.listdir(tmp_path))
    done = relucover("learn", "--x", "x.npy", "--y", "y.npy", "-o", "net.json", code=code)
    if done.returncode == 2:
        assert "x.npy" in done.stderr
    assert leftovers(tmp_path, before) == []


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">f4"])
def test_any_order_and_byte_order_is_read_rightly(relucover_json, tmp_path, order, dtype):
    x, y = planted(2000)
    numpy.save(tmp_path / "x.npy", numpy.asarray(x.astype(dtype), order=order))
    numpy.save(tmp_path / "y.npy", y.astype(dtype))
    truth = relucover_json("learn", "--x", "x.npy", "--y", "y.npy", "--units", 2)
    if dtype.endswith("8"):
        assert truth["status"] == "exact"
    assert truth["residual_relative"] < 1e-5


def test_npz_without_x_or_y(relucover, tmp_path):
    x, y = planted(100)
    numpy.savez(tmp_path / "a.npz", inputs=x, y=y)
    assert "x" in refused(relucover, tmp_path, "a.npz", names="a.npz")
    numpy.savez(tmp_path / "b.npz", x=x)
    refused(relucover, tmp_path, "b.npz", names="b.npz")
    (tmp_path / "c.npz").write_bytes(b"not a zip archive")
    refused(relucover, tmp_path, "c.npz", names="c.npz")
    numpy.savez(tmp_path / "whole.npz", x=x, y=y)
    whole = (tmp_path / "whole.npz").read_bytes()
    (tmp_path / "d.npz").write_bytes(whole[: len(whole) // 2])
    refused(relucover, tmp_path, "d.npz", names="d.npz")
    with zipfile.ZipFile(tmp_path / "e.npz", "w") as file:
        file.writestr("x.npy", b"junk")
        file.writestr("y.npy", b"junk")
    refused(relucover, tmp_path, "e.npz", names="e.npz")


def test_compressed_npz_is_read(relucover_json, tmp_path):
    x, y = planted(2000)
    numpy.savez_compressed(tmp_path / "d.npz", x=x, y=y)
    assert relucover_json("learn", "d.npz", "--units", 2)["status"] == "exact"


@pytest.mark.parametrize("text, place", [
    ("x1,x2,y\n1,2,3\n4,5\n", "3"),
    ("x1,x2,y\n1,2,3\n4,5,6,7\n", "3"),
    ("x1,x2,y\n1,2,3\n1,two,3\n", "3"),
    ("x1,x2,y\n1,2,3\n1,,3\n", "3"),
    ("x1,x2\n1,2\n", ""),
    ("y\n1\n", ""),
    ("", ""),
])
def test_broken_csv(relucover, tmp_path, text, place):
    (tmp_path / "d.csv").write_text(text)
    assert place in refused(relucover, tmp_path, "d.csv", names="d.csv")


@pytest.mark.parametrize("value", [numpy.nan, numpy.inf, -numpy.inf])
@pytest.mark.parametrize("array", ["x", "y"])
def test_values_that_are_not_finite(relucover, tmp_path, value, array):
    x, y = planted(1000)
    if array == "x":
        x[617, 2] = value
    else:
        y[617] = value
    numpy.savez(tmp_path / "d.npz", x=x, y=y)
    assert "617" in refused(relucover, tmp_path, "d.npz", names="d.npz")


def test_not_enough_samples(relucover, tmp_path):
    for rows in (1, 2, 10):
        x, y = planted(rows)
        numpy.savez(tmp_path / "d.npz", x=x, y=y)
        done = relucover("learn", "d.npz", "--units", 2, "-o", "net.json", "--json", code=3)
        assert '"assumption_failed"' in done.stdout
        assert leftovers(tmp_path, ["d.npz"]) == []


def test_no_samples(relucover, tmp_path):
    numpy.savez(tmp_path / "d.npz", x=numpy.zeros((0, 3)), y=numpy.zeros(0))
    relucover("learn", "d.npz", "-o", "net.json", code=(2, 3))
    (tmp_path / "d.csv").write_text("x,y\n")
    relucover("learn", "d.csv", "-o", "net.json", code=(2, 3))
    assert leftovers(tmp_path, ["d.npz", "d.csv"]) == []


def test_labels_of_the_wrong_length(relucover, tmp_path):
    x, y = planted(100)
    numpy.savez(tmp_path / "d.npz", x=x, y=y[:-1])
    message = refused(relucover, tmp_path, "d.npz", names="d.npz")
    assert "99" in message and "100" in message
    numpy.save(tmp_path / "x.npy", x)
    numpy.save(tmp_path / "y.npy", y[:-1])
    refused(relucover, tmp_path, "--x", "x.npy", "--y", "y.npy", names="y.npy")


def test_shards_of_other_shapes(relucover, tmp_path):
    numpy.savez(tmp_path / "a.npz", **dict(zip("xy", planted(100, inputs=4))))
    numpy.savez(tmp_path / "b.npz", **dict(zip("xy", planted(100, inputs=5))))
    refused(relucover, tmp_path, "a.npz", "b.npz", names="b.npz")


def test_constant_and_duplicated_columns_are_handled_and_reported(relucover_json, tmp_path):
    x, y = planted(3000, inputs=3)
    wide = numpy.column_stack([x, numpy.full(len(x), 5.0), x[:, 0]])
    numpy.savez(tmp_path / "d.npz", x=wide, y=y)
    result = relucover_json("learn", "d.npz", "--units", 2, "-o", "net.json", code=(0, 1))
    assert result["residual_relative"] < 1e-12
    notes = " ".join(result["notes"]) + result["message"]
    assert "column 3 never varies" in notes
    assert "column 4 is a linear combination" in notes or "column 0 is a linear combination" in notes


def test_places_that_are_not_files(relucover, tmp_path):
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "folder").mkdir()
    refused(relucover, tmp_path, "folder.npz", names="folder.npz")
    refused(relucover, tmp_path, "folder", names="folder")
    refused(relucover, tmp_path, "missing.npz", names="missing.npz")
    (tmp_path / "data.xyz").write_text("1")
    refused(relucover, tmp_path, "data.xyz", names="data.xyz")


def test_unreadable_file(relucover, tmp_path, data):
    (tmp_path / "data.npz").chmod(0)
    done = relucover("learn", "data.npz", "--units", 2, "-o", "net.json", code=2, before=AS_ANYBODY)
    assert "data.npz" in done.stderr and leftovers(tmp_path, ["data.npz"]) == []


def test_unreadable_file_also_for_root(relucover, tmp_path):
    os.symlink("/proc/self/mem", tmp_path / "data.npz")  # opens, but can't be read as a file
    refused(relucover, tmp_path, "data.npz", names="data.npz")


def test_what_can_be_read_only_once_is_kept(relucover, tmp_path):
    relucover("sample", "--inputs", 4, "--units", 2, "--samples", 2000, "-o", "d.npz", "--truth", "t.json")
    relucover("sample", "--inputs", 4, "--units", 2, "--samples", 2000, "-o", "d.csv")
    for name in ["d.npz", "d.csv"]:
        with open(tmp_path / name, "rb") as data:
            relucover("learn", "-", "--units", 2, "-o", "n.json", stdin=data)
        with subprocess.Popen(["cat", tmp_path / name], stdout=subprocess.PIPE) as writer:
            relucover("learn", "-", "--units", 2, "-o", "n.json", stdin=writer.stdout)
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cp", tmp_path / "d.npz", tmp_path / "pipe"]):
        relucover("learn", "pipe", "--units", 2, "-o", "n.json")
    done = relucover("learn", "pipe", "--units", 2, code=2)
    assert "nobody writes" in done.stderr
    with subprocess.Popen(["head", "-c", "300", tmp_path / "d.npz"], stdout=subprocess.PIPE) as writer:
        assert "standard input" in relucover("learn", "-", "--units", 2, code=2, stdin=writer.stdout).stderr
    numpy.save(tmp_path / "x.npy", numpy.zeros((3, 2)))
    with subprocess.Popen(["cat", tmp_path / "x.npy"], stdout=subprocess.PIPE) as writer:
        assert "not both" in relucover("learn", "-", code=2, stdin=writer.stdout).stderr


def test_words_for_common_mistakes(relucover, tmp_path):
    """Each names what is wrong, where, and what to do."""
    x, y = planted(200)
    numpy.savez(tmp_path / "d.npz", x=x, y=y)
    numpy.save(tmp_path / "x.npy", x)
    relucover("sample", "--inputs", 4, "--units", 2, "--samples", 10, "--seed", 3, "-o", "s.npz", "--truth", "t.onnx")
    relucover("learn", "d.npz", "-o", "net.json")
    (tmp_path / "torn.json").write_text('{"format": [1, 2')
    hole = x.copy()
    hole[3, 2] = numpy.nan
    for name, rows in (("hole.csv", hole), ("yaw.csv", x)):
        numpy.savetxt(tmp_path / name, rows, delimiter=",", header="a,yaw,c,d", comments="")
    numpy.savetxt(tmp_path / "three.csv", x[:, :3], delimiter=",", header="a,b,c", comments="")
    for arguments, words in [
            (("learn", "x.npy"), "has no labels beside it: there is no y.npy"),
            (("compare", "torn.json", "net.json"), "is not JSON: parse error at line 1"),
            (("report", "net.json"), "this is no result"),
            (("extract", "--oracle", "t.onnx", "--inputs", 5), "t.onnx has 4 inputs"),
            (("extract", "--oracle", "t.onnx", "--link", "sigmoid"), "between 0 and 1, and these go from"),
            (("extract", "--oracle", "t.onnx", "--units", 99999), "too many for 1000000 queries"),
            (("extract", "--oracle", "t.onnx", "--like", "hole.csv"), "row 4, column 3 of hole.csv is NaN"),
            (("extract", "--oracle", "t.onnx", "--like", "three.csv"), "have 3 columns, the model has 4 inputs: leave out")]:
        if arguments[0] != "report" or HAS_PACKAGE:
            assert words in relucover(*arguments, code=2).stderr
    assert "exact" in relucover("extract", "--oracle", "t.onnx", "--like", "yaw.csv").stdout  # yaw is an input


def test_too_few_samples_for_layers_speaks_of_the_layers(relucover, tmp_path):
    (tmp_path / "s.csv").write_text("x,y\n0,0\n1,1\n2,3\n")
    assert "layers of 2, 2, 2 were asked for" in relucover("learn", "s.csv", "--layers", "2,2,2", code=3).stdout
