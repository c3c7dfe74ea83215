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


HEAD = '#include "a.hpp"\nnamespace relucover {\nnamespace {\n'
END = "}  // namespace\n}  // namespace relucover\n"


@pytest.mark.parametrize(
    "name, one, other",
    [
        ("draws", "constexpr Index draws = 200;", "const int draws{3};"),
        ("Step", "struct Step {\n  double size = 0;\n};", "class Step final : public Base<int> { int x; };"),
        ("Kind", "enum class Kind { one, two };", "using Kind = Other::Kind;"),
        ("mean_of", "double mean_of(const Vector& values) { return values.mean(); }", "template <class T>\ndouble mean_of(const Vector& draws, double start) {}\ndouble mean_of(const Vector&);"),
        ("names", "constexpr std::array<std::pair<Kind, const char*>, 2> names = {{{Kind::a, \"a\"}, {Kind::b, \"b\"}}};", "std::map<int, std::string> names;"),
        ("sorted", "const auto sorted = [](auto& x) { std::sort(x.begin(), x.end()); };", "Vector sorted(Vector x) { return x; }"),
    ],
)
def test_names_rejects_what_neighbours_share(tmp_path, name, one, other):
    files = {"src/solve/a.cpp": HEAD + one + END, "src/solve/b.cpp": HEAD + "int first;\n" + other + END}
    result = run("check-names", tree(tmp_path, files))
    assert result.returncode == 1
    assert "src/solve/b.cpp:" in result.stdout and f": {name} stands in src/solve/a.cpp:4 too" in result.stdout
    further = {"src/solve/a.cpp": files["src/solve/a.cpp"], "src/verify/b.cpp": files["src/solve/b.cpp"]}
    assert "src/verify/b.cpp:" in run("check-names", tree(tmp_path / "further", further)).stdout
    apart = {"tests/solve/a.cpp": files["src/solve/a.cpp"], "tests/verify/b.cpp": files["src/solve/b.cpp"], "src/core/c.cpp": HEAD + END}
    assert run("check-names", tree(tmp_path / "apart", apart)).returncode == 0


def test_names_rejects_what_a_header_has(tmp_path):
    files = {"src/solve/a.hpp": "namespace relucover {\nstruct Step {\n  int x;\n};\n}\n", "src/verify/b.cpp": HEAD + "struct Step {};\n" + END}
    result = run("check-names", tree(tmp_path, files))
    assert result.returncode == 1
    assert "src/verify/b.cpp:4: Step is kept for this file, but stands in src/solve/a.hpp:2 too" in result.stdout


def test_names_rejects_a_type_in_two_headers(tmp_path):
    header = "namespace relucover {\nstruct Step {\n  int x;\n};\n}\n"
    result = run("check-names", tree(tmp_path, {"src/solve/a.hpp": header, "src/verify/b.hpp": header}))
    assert result.returncode == 1
    assert "src/verify/b.hpp:2: Step stands in src/solve/a.hpp:2 too" in result.stdout


def test_names_accepts_overloads_members_and_what_is_inside(tmp_path):
    one = "int size(const Matrix& m) { int draws = 1; return draws; }\nusing json = nlohmann::json;\nstruct A {\n  int x;\n  void go() {}\n};\n"
    other = "int size(const Network& m) { int draws = 1; return draws; }\nusing json = nlohmann::json;\nstruct B {\n  int x;\n  void go() {}\n};\n"
    outside = "namespace relucover {\nvoid One::go() {}\n}\n"
    files = {"src/solve/a.cpp": HEAD + one + END + outside, "src/solve/b.cpp": HEAD + other + END + outside.replace("One", "Two")}
    result = run("check-names", tree(tmp_path, files))
    assert result.returncode == 0, result.stdout
