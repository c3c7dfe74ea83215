"""One self-contained page about a result: `relucover report result.json -o report.html`, or `python3 -m relucover.report`."""
import argparse
import io
import json
import os
import re
import sys
import tempfile
import time
import zlib
from datetime import datetime, timezone
from pathlib import Path

import numpy as np

from . import _core
from .functions import compare

HEADLINES = {
    "exact": "Exact: the network that made the data, certified to rounding",
    "recovered": "Recovered: the network that made the data, certified to the noise of the labels",
    "approximate": "Approximate: fits, not certified",
    "assumption_failed": "Assumption failed: the data do not allow an answer",
    "budget_exhausted": "Budget exhausted: stopped before an answer was found",
    "numerical_failure": "Numerical failure: the computation failed",
}
COMPARED = {"units_truth": "units of the truth", "units_answer": "units of the answer", "units_matched": "units matched",
            "max_weight_error": "largest weight error", "max_bias_error": "largest bias error",
            "max_output_error": "largest output weight error", "function_rms": "function (relative)",
            "up_to_sign": "some unit turned around"}
NUMBERS = [("method", "method"), ("link", "link"), ("units", "hidden units"), ("inputs", "inputs"), ("outputs", "outputs"), ("samples", "samples"),
           ("task", "task"), ("holdout_error", "held-out error"), ("direction_error", "directions (rad)"), ("residual_rms", "residual (rms)"), ("residual_relative", "residual (relative)"), ("holdout_rms", "held-out residual (rms)"),
           ("noise_estimate", "noise of the labels"), ("detection_limit", "detection limit"), ("sign_ambiguous", "signs undetermined"), ("seconds", "seconds"),
           ("queries", "queries asked")]


def _read_model(path):
    """A network, or a model with thresholds."""
    return _core.ThresholdModel.read(path) if _core.ThresholdModel.held_by(path) else _core.Network.read(path)


def _text(value):
    """What a person reads: numbers with three digits. The page keeps what the JSON has beside it (data-value)."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    return value if isinstance(value, str) else json.dumps(value)


def _whole_text(value):
    return value if isinstance(value, str) else json.dumps(value)


def _today():
    """The day, or that of SOURCE_DATE_EPOCH for pages that must not change."""
    return datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), timezone.utc).date().isoformat()


def _plan(result):
    """Methods in the order in which they were tried: seconds, and what became of each. Stages of those whose answer was not taken begin with their name."""
    if result.get("plan"):
        return [(tried["method"], f"{tried['seconds']:.3g}", f"{tried['status']}: {tried['said']}" + (f" ({tried['reason']})" if tried["reason"] else ""))
                for tried in result["plan"]]
    method, seconds = result.get("method") or "", {}  # written before there was a plan
    for record in result.get("stages") or []:
        tried, _, stage = record["stage"].partition(": ")
        tried = tried if stage else method
        seconds[tried] = seconds.get(tried, 0.0) + record["seconds"]
    said = {}
    for note in result.get("notes") or []:
        match = re.match(r"(\S+) was tried too \((.*)\): (.*)", note, re.S)
        if match:
            said[match[1]] = match[3]
            seconds.setdefault(match[1], None)
    if method in seconds:
        said[method] = f"{result['status']}: this answer"
    return [(name, "" if spent is None else f"{spent:.3g}", said.get(name, "")) for name, spent in seconds.items()]


def _svg(draw):
    """What `draw(axis)` draws, as SVG text that follows the page's colours."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure
    from matplotlib import rc_context

    neutral = "#7a8794"  # readable on light and dark pages
    with rc_context({"svg.hashsalt": "relucover", "axes.edgecolor": neutral, "axes.labelcolor": neutral, "xtick.color": neutral,
                     "ytick.color": neutral, "text.color": neutral, "axes.spines.top": False, "axes.spines.right": False,
                     "font.size": 11, "svg.fonttype": "path"}):
        figure = Figure(figsize=(4.4, 3.1), layout="constrained")
        FigureCanvasSVG(figure)
        figure.patch.set_alpha(0)
        axis = figure.subplots()
        axis.patch.set_alpha(0)
        draw(axis)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    # Two figures on one page must not share ids.
    prefix = f"f{zlib.crc32(svg.encode()):08x}-"
    svg = re.sub(r'id="([^"]+)"', rf'id="{prefix}\1"', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{prefix}", svg)
    return re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, 1), 1)


def _tested(samples):
    """What the samples say about the assumptions: sentences, and the spectrum of T_2 with its noise level."""
    found = _core.diagnose_arrays(*samples, 1, 0.0)
    lines = []
    for key, name in (("gaussian", "Gaussian"), ("symmetric", "symmetric")):
        test = found[key]
        verdict = "pass" if test["passed"] else "fail"
        lines.append(f"inputs {verdict} the test of being {name} (largest statistic {test['worst_z']:.1f}, limit {test['threshold']:.1f})")
    lines.append("inputs are " + ("" if found["whitened"] else "not ") + "whitened (mean 0, covariance 1)")
    return lines, found["t2_spectrum"], found["t2_noise_edge"]


def _figures(result, network, truth, samples, spectrum, edge):
    from . import plots

    series = result.get("series", {})
    figures = []
    if spectrum:
        figures.append(("Spectrum of T₂", lambda ax: plots.spectrum(spectrum, edge, ax), "Units stand above the noise; then comes the gap."))
    if network and len(getattr(network, "layers", [])) > 1:
        figures.append(("Layers", lambda ax: plots.layers(network, ax), "Every weight of the answer: blue above zero, red below, the darker the larger."))
    if network and truth:
        figures.append(("Weights beside the truth", lambda ax: plots.weights(network, truth, ax), "Each point is a weight; right ones lie on the diagonal."))
    elif network and network.units:
        figures.append(("Weights", lambda ax: plots.weights(network, None, ax), "One row for each unit, one column for each input."))
    if network and samples is not None:
        figures.append(("Residuals", lambda ax: plots.residuals(network, *samples, ax), "What the network leaves unexplained."))
    history = series.get("search_history")
    if history:
        figures.append(("Convergence", lambda ax: plots.convergence(history, ax), "Relative squared residual, step by step."))
    if result.get("stages"):
        figures.append(("Time", lambda ax: plots.stages(result["stages"], ax), "Seconds of each stage."))
    return figures


def report(result, *, network=None, truth=None, samples=None):
    """The page as HTML text.

    Parameters
    ----------
    result : Result, dict, or path of what `relucover learn --json` printed
    network, truth : Network or None
        To draw the weights, beside the truth where it is known.
    samples : (x, y) or None
        To draw residuals.

    Examples
    --------
    >>> import relucover
    >>> from relucover.report import report
    >>> x, y, truth = relucover.sample(inputs=4, units=2, samples=1000, seed=1)
    >>> page = report(relucover.learn(x, y, units=2), truth=truth)
    >>> "Exact: the network that made the data" in page
    True
    """
    from jinja2 import Environment, select_autoescape
    from markupsafe import Markup

    if isinstance(result, (_core.Result, _core.FirstLayerResult)):
        network = network or (getattr(result, "network", None) or getattr(result, "model", None) if result.usable else None)
        result = json.loads(result.json())
    elif not isinstance(result, dict):
        result = json.loads(Path(result).read_text())
    if "result" in result and "status" not in result:
        result = {**result["result"], "queries": result.get("queries")}
    if "status" not in result:
        raise ValueError("this is no result: give what `relucover learn --json` or `extract --json` printed (a network goes to --network)")
    comparison = compare(truth, network) if network and truth else {}
    comparison.pop("partner", None)
    assumed = list(result.get("notes") or [])
    if result.get("method_reason"):
        assumed.insert(0, f"{result['method']} was used: {result['method_reason']}")
    spectrum, edge = result.get("series", {}).get("t2_spectrum"), (result.get("figures") or {}).get("t2_noise_edge")
    if samples is not None and len(samples[0]) > 1:
        samples = tuple(np.asarray(part) for part in samples)
        lines, spectrum, edge = _tested(samples)
        assumed += lines
    template = Environment(autoescape=select_autoescape(default=True)).from_string(
        (Path(__file__).parent / "report.html").read_text())
    return template.render(
        result=result,
        headline=HEADLINES.get(result["status"], result["status"]),
        numbers=[(key, label, _text(result[key]), _whole_text(result[key])) for key, label in NUMBERS if result.get(key) not in (None, "")],
        about=result.get("domain") or "",
        version=_core.__version__,
        today=_today(),
        plan=_plan(result),
        comparison=[(COMPARED[key], f"{value:.2e}" if isinstance(value, float) else _text(value)) for key, value in comparison.items() if key in COMPARED],
        figures=[(title, Markup(_svg(draw)), caption) for title, draw, caption in _figures(result, network, truth, samples, spectrum, edge)],
        assumed=assumed,
        named=[(key, _text(value), _whole_text(value)) for key, value in (result.get("figures") or {}).items()],
    )


def write(page, path):
    """Writes the page whole or not at all."""
    path = Path(path)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(page)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="relucover report", description="One self-contained page about a result.",
                                     epilog="example: relucover learn data.npz -o net.json --json > result.json; "
                                            "relucover report result.json --network net.json -o report.html")
    parser.add_argument("result", help="what `relucover learn --json` printed")
    parser.add_argument("-o", "--output", default="report.html")
    parser.add_argument("--network", help="the network that was learned (.json, .npz, .onnx)")
    parser.add_argument("--truth", help="the network that made the data, if it is known")
    parser.add_argument("--data", help="an .npz file with x and y, for residuals")
    given = parser.parse_args(arguments)
    try:
        samples = None
        if given.data:
            with np.load(given.data) as arrays:
                samples = (arrays["x"][:5000], arrays["y"][:5000])
        page = report(given.result, network=given.network and _read_model(given.network), truth=given.truth and _read_model(given.truth),
                      samples=samples)
        write(page, given.output)
    except (OSError, ValueError, KeyError) as problem:
        print(f"relucover report: {problem}", file=sys.stderr)
        return 2
    print(given.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
