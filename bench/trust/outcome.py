"""One case from its name to a verdict, and what is kept of it."""
import os
import time
import zlib

import numpy as np

from . import ask, families
from .judge import judge
from .judge_layers import JUDGES

KINDS = ["right", "false", "undecidable", "refused", "crash", "hang", "error"]


def run_case(name, make=families.make):
    """Everything about one case as a dict that can be sent between processes."""
    kind, number = name.rsplit(":", 1)
    case = make(kind, int(number))
    return run_made(case)


def run_made(case):
    start = time.perf_counter()
    try:
        record = ask.TASKS[case.task](case)
    except Exception as error:  # what data can cause is a status, never an exception
        return outcome(case, "error", f"{type(error).__name__}: {error}", seconds=time.perf_counter() - start)
    seconds = time.perf_counter() - start
    rng = np.random.default_rng([zlib.crc32(case.name.encode()), 1])
    verdict = JUDGES.get(case.task, judge)(case, record, rng)
    kept = outcome(case, verdict.kind, verdict.why, seconds, record)
    kept["judge_seconds"] = time.perf_counter() - start - seconds
    kept["figures"] = {key: float(value) for key, value in verdict.figures.items()}
    kept["strict"] = verdict.strict
    return kept


def outcome(case, kind, why, seconds=0.0, record=None):
    record = record or {}
    network = record.get("network")
    return {
        "name": case.name, "family": case.family, "kind": kind, "why": why, "seconds": seconds, "judge_seconds": 0.0, "solvable": case.solvable,
        "words": case.describe(), "status": record.get("status", ""), "method": record.get("method", ""), "message": record.get("message", ""),
        "units": getattr(network, "units", None), "detection_limit": record.get("detection_limit"), "left_out": record.get("left_out"),
        "stages": record.get("stages", []), "chances": record.get("chances", {}), "figures": {}, "strict": True, "printed": "",
    }
