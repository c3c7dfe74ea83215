"""The command line of the campaign."""
import argparse
import json
import os
import sys
import time

import numpy as np

from . import families, stored
from .crew import run_all
from .modes import known
from .outcome import outcome, run_case
from .table import Table


def numbered(first, count, only=None):
    """Names of the cases with numbers from `first`; of one family the next `count` of it."""
    slots = families.schedule()
    number = first
    while count > 0:
        name = slots[number % len(slots)]
        if only is None or name in only:
            yield f"{name}:{number}"
            count -= 1
        number += 1


def full_name(text):
    if ":" in text:
        return text
    slots = families.schedule()
    return f"{slots[int(text) % len(slots)]}:{int(text)}"


def failed_case(name, kind, words, seconds):
    case = families.make(*_split(name))
    return outcome(case, kind, words, seconds)


def _split(name):
    kind, number = name.rsplit(":", 1)
    return kind, int(number)


def run_campaign(names, jobs, keep=None, work=run_case, failed=failed_case, show=True):
    """Runs cases by name and returns their table."""
    table, start, done = Table(), time.monotonic(), 0
    kept = open(keep, "w") if keep else None
    for result in run_all(names, work, jobs, failed):
        table.add(result)
        done += 1
        if kept:
            print(json.dumps(result, default=str), file=kept, flush=True)
        if show and sys.stderr.isatty():
            print(f"\r{done} cases, {table.total['false']} false, {table.total['crashes']} crashes, {time.monotonic() - start:.0f} s", end="", file=sys.stderr)
    if kept:
        kept.close()
    table.wall = time.monotonic() - start
    return table


def report(table, tell_all):
    print(table.text())
    print(f"{table.total['cases']} cases in {table.wall:.0f} s")
    kinds = ["false", "crash", "hang", "error", "prints"] + (["undecidable", "missed"] if tell_all else [])
    told = table.told(kinds)
    if told:
        print("\n" + told)
    total = table.total
    claimed = 1 - total["missed"] / max(total["solvable"], 1)
    print(f"\nfalse claims {total['false']}, crashes {total['crashes']}, solvable cases claimed {claimed:.2%} of {total['solvable']}")
    return 0 if total["false"] == 0 and total["crashes"] == 0 and claimed >= 0.99 else 1


def explain(name, save, commit):
    """Reruns one case and says everything about it."""
    case = families.make(*_split(name))
    print(case.describe())
    if save:
        np.savez(save, x=case.x, y=case.y)
        print(f"wrote {save}")
    if commit:
        path = os.path.join(known.FOLDER, "found-" + name.replace(":", "-") + ".npz")
        stored.save(case, path)
        print(f"wrote {path}")
    result = run_case(name)
    print(f"status     {result['status']} (method {result['method']}, {result['units']} units)")
    print(f"message    {result['message']}")
    print(f"verdict    {result['kind']}: {result['why']}")
    print(f"figures    {result['figures']}")
    print(f"limit      {result['detection_limit']}, left out {result['left_out']}, {result['seconds']:.3f} s, judge {result['judge_seconds']:.3f} s")
    if result["printed"]:
        print(f"printed    {result['printed']}")
    return 1 if result["kind"] in ("false", "error") else 0


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="campaign", description="Adversarial cases against the program's claims.")
    parser.add_argument("--cases", type=int, help="how many (1000)")
    parser.add_argument("--seed-base", type=int, default=0, help="number of the first case (0)")
    parser.add_argument("--family", action="append", help="only cases of this family (may be repeated)")
    parser.add_argument("--case", help="one case by number or family:number, explained")
    parser.add_argument("--save", metavar="FILE.npz", help="with --case: where its data go")
    parser.add_argument("--commit", action="store_true", help="with --case: add it to the files of known cases")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes (2)")
    parser.add_argument("--keep", metavar="FILE", help="every outcome as a line of JSON")
    parser.add_argument("--all", action="store_true", help="tell undecidable and missed cases too")
    parser.add_argument("--list", action="store_true", help="the families and their shares")
    for mode, words in {"known": "false claims that were ever found", "low-signal": "noise of .3 to 2 of the signal", "benign": "how often leftover tests refuse benign noise",
                        "limits": "planted further units at stated detection limits", "few-samples": "is exact wrong on more inputs than it says",
                        "deep": "deep networks and what looks like one, asked for by layers", "cost": "seconds of the certificate beside the fit"}.items():
        parser.add_argument(f"--{mode}", action="store_true", help=words)
    asked = parser.parse_args(arguments)
    if asked.list:
        slots = families.schedule()
        print("\n".join(f"{name:16s} {slots.count(name) / len(slots):.1%}" for name in families.names()))
        return 0
    if asked.family:
        unknown = [name for name in asked.family if name not in families.names()]
        if unknown:
            parser.error(f"no family {unknown[0]!r}; there are {', '.join(families.names())}")
    if asked.case:
        return explain(full_name(asked.case), asked.save, asked.commit)
    for mode in ("known", "low_signal", "benign", "limits", "few_samples", "deep", "cost"):
        if getattr(asked, mode):
            from importlib import import_module

            return import_module(f"trust.modes.{mode}").main(asked)
    table = run_campaign(numbered(asked.seed_base, asked.cases or 1000, asked.family), asked.jobs, asked.keep)
    return report(table, asked.all)
