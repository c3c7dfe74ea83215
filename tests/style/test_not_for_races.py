"""What the thread sanitizer leaves out is there under that name: a test that was renamed would run again, for minutes."""
import pathlib
import re

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]
NAMES = [line for line in (TESTS / "not_for_races.txt").read_text().splitlines() if line and not line.startswith("#")]
KINDS = {"unit": "test", "property": "property", "statistical": "statistical"}


def is_there(name):
    if "::" in name:
        file, case = re.sub(r"\[.*", "", name).split("::")
        return f"\ndef {case}(" in (TESTS / file).read_text()
    label, rest = name.split(".", 1)
    if label == "cli":
        return (TESTS / f"cli/test_{rest}.py").exists()
    suite, test = rest.split(".")
    return any(f"({suite}, {test})" in file.read_text() for file in TESTS.glob(f"*/*_{KINDS[label]}.cpp"))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_out_is_there(name):
    assert is_there(name)
