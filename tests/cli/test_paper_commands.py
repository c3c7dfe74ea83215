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


# Numbered algorithms, theorems with an algorithm in them (all), remarks and experiments of the papers.
NUMBERED = {
    "ATV": [f"Algorithm {i}" for i in range(1, 7)] + [f"Theorem {i}" for i in ("3.1", "3.2", "3.4", "4.1", "4.2", "A.5", "D.1")] + ["Corollary 3.3", "Proposition B.1"],
    "GP": [f"Algorithm {i}" for i in range(1, 4)] + [f"Theorem {i}" for i in range(1, 14)] + ["Remark 1", "Corollary 1"],
    "BJW": [f"Algorithm {i}" for i in range(1, 9)] + [f"Theorem {i}" for i in range(1, 15)] + [f"Remark {i}" for i in range(1, 9)],
    "GKLW": [f"Algorithm {i}" for i in range(1, 5)] + [f"Theorem {i}" for i in range(1, 11)] + [f"Figure {i}" for i in range(2, 5)],
}


def items_of(paper):
    """"Theorems 1, 12 (first step), B.7 and 13" names four."""
    text = [part for part in re.split(r"^## ", PAGE.read_text(), flags=re.M) if part.startswith(paper)][0]
    found = set()
    for kind, numbers in re.findall(r"(Algorithm|Theorem|Remark|Corollary|Figure|Proposition)s? ((?:[A-Z]?\.?[\d.]+(?: \([^)]*\))?(?:, | and )?)+)", text):
        found |= {f"{kind} {number}" for number in re.findall(r"[A-Z]?\.?\d+(?:\.\d+)?", re.sub(r"\([^)]*\)", "", numbers))}
    return found


@pytest.mark.parametrize("paper", list(NUMBERED))
def test_the_page_has_every_numbered_item(paper):
    missing = set(NUMBERED[paper]) - items_of(paper)
    assert not missing


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
