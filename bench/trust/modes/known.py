"""Every claim that was ever found to be false, again."""
import json
import os

import numpy as np

from .. import ask, outcome, stored
from ..case import Case
from ..crew import run_all

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases")


def names():
    """Files with a truth, rows of reported.json, and numbers."""
    found = sorted(f for f in os.listdir(FOLDER) if f.startswith("found-") and f.endswith(".npz"))
    return [row["file"] for row in reported()] + found + numbered()


def numbered():
    """Cases of tasks that no file holds: the campaign makes them again from family and number."""
    with open(os.path.join(FOLDER, "numbered.json")) as file:
        return json.load(file)


def reported():
    with open(os.path.join(FOLDER, "reported.json")) as file:
        return json.load(file)


def run_known(name):
    """A dict with `file`, `kind` (held, broken, open) and `why`."""
    if name.startswith("found-") or ":" in name:
        result = outcome.run_case(name) if ":" in name else outcome.run_made(stored.load(os.path.join(FOLDER, name)))
        return {"file": name, "kind": "broken" if result["kind"] in ("false", "error") else "held", "why": result["why"], "status": result["status"], "printed": ""}
    row = next(row for row in reported() if row["file"] == name)
    with np.load(os.path.join(FOLDER, name + ".npz")) as data:
        case = Case(data["x"], data["y"], truth=None, fresh=None)
    for key, value in row.get("asked", {}).items():
        setattr(case, key, value)
    try:
        record = ask.learn(case)
    except Exception as error:
        return {"file": name, "kind": "broken", "why": f"{type(error).__name__}: {error}", "status": "error", "printed": ""}
    kind, why = allowed(row, case, record)
    return {"file": name, "kind": kind, "why": why, "status": record["status"], "printed": ""}


def allowed(row, case, record):
    """Whether what was said may be said."""
    claimed = record["status"] in ("exact", "recovered")
    net = record["network"]
    units = getattr(net, "units", None)
    if "must_exact" in row:
        good = record["status"] == "exact" and units == row["must_exact"]
        return ("held" if good else "open"), f"{record['status']}, {units} units: {record['message']}"
    if not claimed:
        return "held", "not claimed: " + record["message"]
    why = f"{record['status']}, {units} units, noise {record['noise']:.2g}"
    if row.get("nothing"):
        return "broken", why
    if "units" in row and units != row["units"]:
        return "broken", why + f"; {row['units']} made the labels"
    if "noise_below" in row and record["noise"] > row["noise_below"]:
        return "broken", why + f"; the noise is below {row['noise_below']}"
    off = np.abs(net(case.x) - case.labels) / np.sqrt((case.labels**2).mean())
    if row.get("all_rows") and (record["status"] != "exact" or off.max() > 1e-9):
        return "broken", why + f"; {int((off.max(1) > 1e-9).sum())} of {len(off)} labels are not reproduced, and none is wrong"
    if "entries" in row and (off < 1e-6).mean() < row["entries"]:
        return "broken", why + f"; only {(off < 1e-6).mean():.0%} of the entries agree"
    return "held", why


def failed(name, kind, words, seconds):
    return {"file": name, "kind": "broken", "why": f"{kind}: {words}", "status": kind, "printed": ""}


def main(asked):
    broken = 0
    for result in run_all(names(), run_known, asked.jobs, failed):
        if result["printed"]:
            result.update(kind="broken", why=result["why"] + f"; prints {result['printed'].strip()!r}")
        broken += result["kind"] == "broken"
        print(f"{result['kind']:7s} {result['file']:36s} {result['why']}")
    print(f"{broken} broken")
    return 1 if broken else 0
