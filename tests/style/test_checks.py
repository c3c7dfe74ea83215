"""The style checks find what they are there to find."""
import pathlib
import subprocess
import sys

import pytest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"


def run(script, root):
    return subprocess.run([sys.executable, SCRIPTS / script, root], capture_output=True, text=True)


def tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_includes_accepts_the_order(tmp_path):
    root = tree(tmp_path, {"src/solve/a.cpp": '#include "reduce/reduce.hpp"\n#include "solve/b.hpp"\n#include <vector>\n'})
    assert run("check-includes", root).returncode == 0


@pytest.mark.parametrize(
    "name, text",
    [
        ("src/reduce/a.cpp", '#include "solve/engine.hpp"\n'),
        ("src/verify/a.cpp", '#include "learners/registry.hpp"\n'),
        ("src/samples/a.hpp", "  #  include <moments/packed.hpp>\n"),
        ("src/mystery/a.cpp", "\n"),
        ("src/reduce/b.cpp", "#include <mpi.h>\n"),
        ("src/samples/open.cpp", "#include <hdf5.h>\n"),
        ("src/networks/compare.cpp", "#include <onnx/onnx_pb.h>\n"),
        ("include/relucover/a.hpp", '#include "core/check.hpp"\n'),
    ],
)
def test_includes_rejects(tmp_path, name, text):
    (tmp_path / "src").mkdir()
    result = run("check-includes", tree(tmp_path, {name: text}))
    assert result.returncode == 1
    assert name in result.stdout


@pytest.mark.parametrize(
    "line",
    ["#include <Eigen/SVD>", "#include <lapacke.h>", "Eigen::LLT<Matrix> root(gram);", "x = gram.ldlt().solve(y);", "a.colPivHouseholderQr();",
     "Eigen::EigenSolver<Matrix> eigen(a);", "m.selfadjointView<Eigen::Lower>().eigenvalues();"],
)
@pytest.mark.parametrize("folder", ["src/solve", "apps/relucover", "tests/solve"])
def test_includes_rejects_decompositions_outside_of_their_room(tmp_path, folder, line):
    (tmp_path / "src").mkdir(exist_ok=True)
    result = run("check-includes", tree(tmp_path, {f"{folder}/a.cpp": f"\n{line}\n"}))
    assert result.returncode == 1
    assert f"{folder}/a.cpp:2" in result.stdout
    room = tree(tmp_path / "room", {"src/core/linear_algebra/a.cpp": f"{line}\n"})
    assert run("check-includes", room).returncode == 0


@pytest.mark.parametrize(
    "line",
    ['std::cout << 1;', 'std::printf("x");', 'printf("x");', "exit(1);", "std::abort();", "std::mt19937 g;", 'fmt::print("x");'],
)
def test_silence_rejects(tmp_path, line):
    result = run("check-silence", tree(tmp_path, {"src/core/a.cpp": f"void f() {{\n  {line}\n}}\n"}))
    assert result.returncode == 1
    assert "src/core/a.cpp:2" in result.stdout


def test_silence_accepts_words_in_comments_and_strings(tmp_path):
    text = '// printf("x") and exit(1)\nconst char* s = "exit(1)";\nvoid snprintf_like();\nint x = file.exit_code();\n'
    assert run("check-silence", tree(tmp_path, {"src/core/a.cpp": text})).returncode == 0
