"""Every command that docs/math-commands.md names exists, runs, and ends with the exit code that is said there."""
import pathlib
import re
import shlex

import pytest

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "math-commands.md"


def sections():
    """Per paper: commands with their exit codes, in order."""
    found = {}
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            paper = line[3:].split(":")[0]
            found[paper] = []
        for command, code in re.findall(r"`(relucover [^`]+)`(?: \(exit (\d))?", line):
            if line.startswith("| ") :
                found[paper].append((command, int(code or 0)))
    return found


def test_the_page_names_all_four_papers():
    assert set(sections()) == {"ATV", "GP", "BJW", "GKLW"}
    assert sum(map(len, sections().values())) > 90


@pytest.mark.parametrize("paper", ["ATV", "GP", "BJW"])
def test_every_command_of_a_paper_runs(paper, relucover):
    for command, code in sections()[paper]:
        relucover(*shlex.split(command)[1:], code=code, timeout=900)


def test_every_command_of_gklw_runs(relucover):
    commands = sections()
    for command, code in [c for c in commands["BJW"] if "wide.json" in c[0] and " sample " in c[0]] + commands["GKLW"]:
        relucover(*shlex.split(command)[1:], code=code, timeout=900)


def test_methods_are_grouped_by_paper_with_what_they_assume(relucover, relucover_json):
    text = relucover("methods").stdout
    for heading in ("ATV: ", "GKLW: ", "BJW: ", "GP: "):
        assert any(line.startswith(heading) for line in text.splitlines())
    methods = relucover_json("methods")
    assert all(method["assumes"] for method in methods)
    # None is left out: the message that names all methods has as many.
    complaint = relucover("learn", "none.npz", "--method", "nonsense", code=2).stderr
    known = set(re.findall(r"there are ([^\n]+)", complaint)[0].split(", ")) if "there are" in complaint else set()
    assert not known or known == {method["name"] for method in methods}
