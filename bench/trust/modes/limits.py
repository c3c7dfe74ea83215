"""Acceptance: a further unit planted at .5, 1 and 2 times the stated detection limit is found in >= 50%, >= 99%, all.

A unit's size is the slope of its argument in whitened coordinates times the size of its outputs; the limit is relative to
the smallest unit of the answer. The further unit's kink divides the samples in shares of .3 to .7 and is .5 rad or more
from the others. Found: the answer has one unit more, or nothing is claimed because of what is left over.
"""
import numpy as np

from .. import ask, noises
from ..coordinates import Coordinates, canonical
from ..crew import run_all
from ..families.common import planted_case, unknowns
from ..truths import closest

FACTORS = [0.5, 1.0, 2.0]
DEMANDED = {0.5: 0.5, 1.0: 0.99, 2.0: 1.0}


def base(number):
    rng = np.random.default_rng([73, number])
    k, d = int(rng.integers(1, 4)), int(rng.integers(2, 6))
    case = planted_case(rng, k, d, 1, int(rng.integers(60, 150)) * unknowns(k + 1, d, 1), share=0.2, angle=0.6, affine=False)
    case.noise = noises.Noise(np.exp(rng.uniform(np.log(0.01), np.log(0.2))) * noises.spread_of(case.labels))
    case.seed, case.units, case.words = int(rng.integers(1 << 30)), "auto", f"limit:{number}, {k} units, {d} inputs"
    return case, rng


def further_unit(case, rng, size):
    """One more unit of this size, away from the others."""
    place = Coordinates(case.x)
    for _ in range(500):
        w = rng.standard_normal(case.x.shape[1])
        b = -np.quantile(case.x @ w, rng.uniform(0.3, 0.7))
        wider = case.truth.with_units(w[None], [b], [[1.0]])
        if closest(wider.W, wider.b, case.x) > 0.5:
            break
    slope = np.linalg.norm(place.hyperplanes(wider)[-1, :-1])
    wider.A[0, -1] = rng.choice([-1.0, 1.0]) * size / slope
    return wider


def run(name):
    number = int(name.split(":")[1])
    case, rng = base(number)
    s, f = case.noise.scale, case.labels
    case.y = f + s * rng.standard_normal(f.shape)
    first = ask.learn(case)
    said = {"name": name, "printed": "", "limit": first["detection_limit"], "status": first["status"], "message": first["message"], "found": {}}
    if first["status"] != "recovered" or not said["limit"]:
        return said
    place = Coordinates(case.x)
    _, jumps = canonical(first["network"], place)
    smallest = float(np.linalg.norm(jumps, axis=1).min())
    for factor in FACTORS:
        wider = further_unit(case, rng, factor * said["limit"] * smallest)
        case.y = wider(case.x) + s * rng.standard_normal(f.shape)
        answer = ask.learn(case)
        units = len(canonical(answer["network"], place)[0]) if answer["network"] is not None else 0
        said["found"][factor] = "unit" if units > len(jumps) else "refused" if answer["status"] not in ("exact", "recovered") else "missed"
        said.setdefault("told", {})[factor] = answer["message"]
    return said


def failed(name, kind, words, seconds):
    return {"name": name, "limit": None, "status": kind, "message": words, "found": {}, "printed": ""}


def main(asked):
    counts = {factor: {"unit": 0, "refused": 0, "missed": 0} for factor in FACTORS}
    limits, without, cases = [], 0, asked.cases or 200
    for o in run_all((f"limit:{i}" for i in range(asked.seed_base, asked.seed_base + cases)), run, asked.jobs, failed):
        if not o["found"]:
            without += 1
            if without <= 5:
                print(f"{o['name']}: {o['status']}, limit {o['limit']}: {o['message']}")
            continue
        limits.append(o["limit"])
        for factor, found in o["found"].items():
            counts[factor][found] += 1
            if found == "missed" and factor >= 1:
                print(f"missed at {factor} of the limit {o['limit']:.3g}: {o['name']}")
    print(f"{len(limits)} cases recovered with a limit, {without} without" + (f"; limits {np.min(limits):.3g} to {np.max(limits):.3g}, median {np.median(limits):.3g}" if limits else ""))
    good = bool(limits)
    print(f"{'planted at':>11s} {'unit found':>11s} {'refused':>8s} {'missed':>7s}  found or refused")
    for factor, row in counts.items():
        total = max(sum(row.values()), 1)
        share = 1 - row["missed"] / total if limits else 0.0
        good &= share >= DEMANDED[factor]
        print(f"{factor:7.1f} lim. {row['unit']:11d} {row['refused']:8d} {row['missed']:7d}  {share:.1%} (demanded {DEMANDED[factor]:.0%})")
    return 0 if good else 1
