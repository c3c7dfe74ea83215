"""The page: whole, self-contained, and saying what the JSON says."""
import doctest
import html
import json
import os
import re
import subprocess
import sys

import pytest

import relucover
import relucover.report
from relucover.report import NUMBERS, main, report


@pytest.fixture(scope="module")
def learned():
    x, y, truth = relucover.sample(inputs=5, units=3, samples=2000, seed=1)
    return x, y, truth, relucover.learn(x, y, units=3)


def test_numbers_on_the_page_are_those_of_the_json(learned):
    x, y, truth, result = learned
    page = report(result, truth=truth, samples=(x, y))
    cells = {key: (html.unescape(whole), shown) for key, whole, shown in
             re.findall(r'<td data-key="([^"]+)" data-value="([^"]*)"[^>]*>([^<]*)</td>', page)}
    values = json.loads(result.json())
    wanted = [key for key, _ in NUMBERS if values.get(key) is not None]
    assert set(cells) == set(wanted)
    for key in wanted:
        whole, shown = cells[key]
        assert whole == (values[key] if isinstance(values[key], str) else json.dumps(values[key]))
        if isinstance(values[key], bool):
            assert shown == ("yes" if values[key] else "no")
        elif isinstance(values[key], float):
            assert float(shown) == pytest.approx(values[key], rel=5e-3) and len(re.sub(r"e.*|[-.]", "", shown).lstrip("0")) <= 3


def test_the_page_says_what_it_is_about(learned, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    values = json.loads(learned[3].json())
    cells = lambda page: re.findall(r"<tr><td>([^<]*)</td><td class=\"number\">([^<]*)</td><td>([^<]*)</td></tr>", page[page.index('id="plan"') :])
    assert [row[0] for row in cells(report(values))] == ["prune"] and "exact: " + html.escape(values["message"]) in report(values)
    tried = [{"method": "hermite", "reason": "Gaussian", "seconds": 1.5, "status": "assumption_failed", "said": "too few samples"}, *values["plan"]]
    assert cells(report({**values, "plan": tried}))[0] == ("hermite", "1.5", "assumption_failed: too few samples (Gaussian)")
    page = report({**values, "plan": None, "domain": "the 2000 samples of d.npz", "method": "prune", "stages": [
        {"stage": "pure-neuron: search", "seconds": 1.5, "iterations": 1, "residual": 0.5}, {"stage": "search", "seconds": 0.25, "iterations": 9, "residual": 1e-30}],
        "notes": ["pure-neuron was tried too (inputs are symmetric (by a test)): 9 of 10 were found"]})
    assert "1970-01-02" in page and relucover.__version__ in page and "the 2000 samples of d.npz" in page
    assert cells(page)[:2] == [("pure-neuron", "1.5", "9 of 10 were found"), ("prune", "0.25", "exact: this answer")]


def test_units_have_whole_ticks_and_weights_a_colour_bar(learned):
    from matplotlib.figure import Figure

    figure = Figure()
    axis = relucover.plots.weights(learned[3].network, None, figure.subplots())
    figure.canvas.draw()
    assert len(figure.axes) == 2  # the bar has an axis of its own
    assert all(float(tick).is_integer() for tick in [*axis.get_xticks(), *axis.get_yticks()])


def test_the_page_needs_nothing_else(learned):
    x, y, truth, result = learned
    page = report(result, truth=truth, samples=(x, y))
    assert page.count("<svg") >= 4
    assert not re.search(r'(src|href)="https?:', page) and "<script" not in page
    identifiers = re.findall(r' id="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    assert report(result, truth=truth, samples=(x, y)) == page


def test_text_from_files_is_escaped():
    page = report({"status": "assumption_failed", "message": "<b>odd</b> name", "notes": ["<script>alert(1)</script>"]})
    assert "<script>" not in page and "&lt;b&gt;odd" in page


def test_command(learned, tmp_path):
    _, _, truth, result = learned
    (tmp_path / "result.json").write_text(result.json())
    result.network.write(tmp_path / "net.json")
    truth.write(tmp_path / "truth.json")
    out = tmp_path / "report.html"
    run = subprocess.run([sys.executable, "-m", "relucover.report", tmp_path / "result.json", "--network", tmp_path / "net.json",
                          "--truth", tmp_path / "truth.json", "-o", out], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "Against the truth" in out.read_text()
    assert main([str(tmp_path / "missing.json"), "-o", str(out)]) == 2


def test_docstring():
    failed, tried = doctest.testmod(relucover.report)
    assert failed == 0 and tried > 0


def test_through_the_command_line(learned, tmp_path):
    result = learned[3]
    (tmp_path / "result.json").write_text(result.json())
    run = subprocess.run([os.environ["RELUCOVER"], "report", "result.json", "-o", "page.html"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert 'id="status"' in (tmp_path / "page.html").read_text()
