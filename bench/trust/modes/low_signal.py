"""Acceptance: noise of .3, .6, 1 and 2 of the signal, 1 to 6 units, 1 to 31 outputs: what is still claimed is right."""
import numpy as np

from ..crew import run_all
from ..families.low_signal import low_signal_case
from ..outcome import outcome, run_made

SIZES = [0.3, 0.6, 1.0, 2.0]


def make(name):
    _, number = name.split(":")
    number = int(number)
    rng = np.random.default_rng([71, number])
    case = low_signal_case(rng, k=1 + number // len(SIZES) % 6, size=SIZES[number % len(SIZES)])
    case.name, case.family, case.seed = name, "low-signal", int(rng.integers(1 << 30))
    return case


def run(name):
    return run_made(make(name))


def failed(name, kind, words, seconds):
    return outcome(make(name), kind, words, seconds)


def main(asked):
    rows = {size: dict(cases=0, claimed=0, strict=0, false=0, crashes=0, seconds=0.0) for size in SIZES}
    told = []
    names = [f"low-signal:{i}" for i in range(asked.seed_base, asked.seed_base + (asked.cases or 500))]
    for o in run_all(names, run, asked.jobs, failed):
        row = rows[SIZES[int(o["name"].split(":")[1]) % len(SIZES)]]
        claimed = o["kind"] in ("right", "false", "undecidable")
        row["cases"] += 1
        row["claimed"] += claimed
        row["false"] += o["kind"] == "false"
        row["strict"] += claimed and not o["strict"]
        row["crashes"] += o["kind"] in ("crash", "hang", "error")
        row["seconds"] += o["seconds"]
        if claimed and (not o["strict"] or o["kind"] == "false") or o["kind"] in ("crash", "hang", "error"):
            told.append(f"{o['kind']:11s} {o['name']}: {o['why']}\n            {o['words']}; limit {o['detection_limit']}")
    print(f"{'noise':>6s} {'cases':>6s} {'claimed':>8s} {'wrong number or kink off':>25s} {'false':>6s} {'crashes':>8s} {'s/case':>7s}")
    for size, row in rows.items():
        print(f"{size:6.1f} {row['cases']:6d} {row['claimed']:8d} {row['strict']:25d} {row['false']:6d} {row['crashes']:8d} {row['seconds'] / max(row['cases'], 1):7.2f}")
    print("\n".join(sorted(told)))
    return 1 if any(row["strict"] or row["false"] or row["crashes"] for row in rows.values()) else 0
