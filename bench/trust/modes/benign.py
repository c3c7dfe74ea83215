"""Acceptance: benign noise of five shapes is refused by the tests of what is left over in at most .3%. Then each test by itself: how
often its chance was below .1, .01, .001, where a chance says how often that should be."""
import re
from collections import Counter, defaultdict

import numpy as np

from .. import noises
from ..crew import run_all
from ..families.common import add_noise, planted_case, sizes, unknowns
from ..outcome import outcome, run_made

SHAPES = ["normal", "uniform", "laplace", "t5", "along_x"]
ALLOWED = 0.003


def make(name):
    """80 samples an unknown, noise of .1% to 5% of the signal, the number of units given: nothing but the noise to judge."""
    shape, number = name.split(":")
    rng = np.random.default_rng([72, SHAPES.index(shape), int(number)])
    while True:  # three kinks of one input can be too close
        k, d, l = sizes(rng, most_units=3, most_inputs=5, most_outputs=2)
        case = planted_case(rng, k, d, l, max(80 * unknowns(k, d, l), 400), share=0.2, angle=0.7, affine=False)
        if case.extra["apart"]:
            break
    f = case.labels
    s = np.exp(rng.uniform(np.log(1e-3), np.log(0.05))) * noises.spread_of(f)
    add_noise(case, noises.along_x(rng, case.x, f.shape, s) if shape == "along_x" else noises.BENIGN[shape](rng, f.shape, s))
    case.units, case.solvable = k, True
    case.name, case.family, case.seed = name, shape, int(rng.integers(1 << 30))
    return case


def run(name):
    return run_made(make(name))


def failed(name, kind, words, seconds):
    return outcome(make(name), kind, words, seconds)


def print_calibration(chances, levels=(0.1, 0.01, 0.001)):
    print(f"\n{'test':26s} {'asked':>6s}" + "".join(f"   below {level:g} (expected)" for level in levels))
    for test, values in sorted(chances.items()):
        values = np.array(values)
        counted = [(int((values < level).sum()), level * len(values)) for level in levels]
        too_often = any(seen > expected + 3.5 * np.sqrt(expected) + 1 for seen, expected in counted)
        print(f"{test:26s} {len(values):6d}" + "".join(f" {seen:12d} {f'({expected:.1f})':>12s}" for seen, expected in counted) + "  too often" * too_often)


def main(asked):
    each = (asked.cases or 10000) // len(SHAPES)
    names = [f"{shape}:{i}" for i in range(asked.seed_base, asked.seed_base + each) for shape in SHAPES]
    rows = {shape: Counter() for shape in SHAPES}
    reasons, examples, chances = Counter(), {}, defaultdict(list)
    for o in run_all(names, run, asked.jobs, failed):
        row = rows[o["family"]]
        row["cases"] += 1
        row[o["kind"]] += 1
        for test, chance in o["chances"].items():
            chances[test].append(chance)
        if o["kind"] not in ("right", "undecidable"):
            reason = f"{o['family']}: {o['kind']}: " + re.sub(r"[-+]?\d[\d.e+-]*%?", "#", o["why"])[:150]
            reasons[reason] += 1
            examples.setdefault(reason, o["name"])
    print(f"{'shape':10s} {'cases':>6s} {'right':>6s} {'refused':>8s} {'false':>6s} {'crashes':>8s}  refused")
    worst = 0.0
    for shape, row in rows.items():
        share = row["refused"] / max(row["cases"], 1)
        worst = max(worst, share)
        print(f"{shape:10s} {row['cases']:6d} {row['right']:6d} {row['refused']:8d} {row['false']:6d} {row['crash'] + row['hang'] + row['error']:8d}  {share:.2%}")
    for reason, count in reasons.most_common(25):
        print(f"{count:5d} {reason}   (as {examples[reason]})")
    print_calibration(chances)
    return 0 if worst <= ALLOWED else 1
