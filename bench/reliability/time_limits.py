#!/usr/bin/python3
"""Commands that take long, with time limits that end them in every stage: how long do they go on? At most 1 s and 5% of the limit.

Where other programs take the processor, what is beyond the limit counts as the share of it that the command had of one core.

usage: time_limits.py [LIMITS] [NAME...]     LIMITS of each command, spread over a run without one, default 4; only jobs whose name contains NAME
Every method on data of three shapes has one short limit besides.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ.get("RELUCOVER", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "relucover"))
LONGEST = 60  # seconds of a run: what goes on is ended by a limit of this
SHORT = 3  # of a method that is asked for by name

MAKE = {
    "wide.npz": ["--inputs", "784", "--units", "8", "--samples", "20000"],
    "many.npz": ["--inputs", "40", "--units", "24", "--samples", "30000"],
    "noisy.npz": ["--inputs", "10", "--units", "5", "--samples", "100000", "--noise", "0.1"],
    "vector.npz": ["--inputs", "24", "--units", "24", "--outputs", "24", "--samples", "20000"],
    "corrupt.npz": ["--inputs", "20", "--units", "6", "--outputs", "30", "--samples", "3000", "--corrupt", "0.1"],
    "deep.npz": ["--inputs", "10", "--layers", "12,8", "--samples", "20000"],
    "long.npz": ["--inputs", "20", "--units", "4", "--samples", "1000000"],
}

JOBS = {
    "learn wide": ["learn", "wide.npz"],
    "learn many": ["learn", "many.npz"],
    "learn noisy": ["learn", "noisy.npz"],
    "learn vector": ["learn", "vector.npz"],
    "learn corrupt": ["learn", "corrupt.npz"],
    "learn deep": ["learn", "deep.npz", "--layers", "auto"],
    "learn long": ["learn", "long.npz"],
    "learn robust": ["learn", "many.npz", "--method", "robust"],
    "learn hermite": ["learn", "many.npz", "--method", "hermite", "--units", "24"],
    "learn pure neuron": ["learn", "vector.npz", "--method", "pure-neuron"],
    "learn order two": ["learn", "vector.npz", "--method", "order-two"],
    "learn a first layer": ["learn", "many.npz", "--task", "lowest-layer"],
    "moments": ["moments", "long.npz", "--order", "4", "-o", "out.moments"],
    "diagnose": ["diagnose", "wide.npz"],
    "extract": ["extract", "--oracle", "model.onnx", "-o", "out.json"],
    "reproduce": ["reproduce", "gklw-fig2", "--trials", "1"],
    "reproduce smoothed": ["reproduce", "atv-smoothed", "--trials", "1"],
    "learn halfspaces": ["learn", "labels.npz", "--task", "halfspaces"],
    "learn softmax": ["learn", "vector.npz", "--link", "auto", "--units", "24"],
    "extract deep": ["extract", "--oracle", "deep.onnx", "--layers", "auto", "-o", "out.json"],
    "evaluate": ["evaluate", "model.json", "long.npz", "--moments", "4"],
    "sample": ["sample", "--inputs", "500", "--units", "200", "--samples", "400000", "-o", "out.npz"],
    "demo": ["demo", "--inputs", "60", "--units", "40", "--samples", "100000"],
}


def seconds_of(folder, words, limit):
    begin, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([PROGRAM, *words, "--threads", "1", "--time-limit", str(limit)], cwd=folder, capture_output=True, text=True)
    seconds, now = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return seconds if seconds < limit else limit + (seconds - limit) * min(1, processor / seconds), done.returncode, done.stderr.strip().splitlines()[-1:] or [""]


def beyond_short(folder, wanted):
    """How much longer than SHORT each method takes, on data of three shapes."""
    names = [method["name"] for method in json.loads(subprocess.run([PROGRAM, "methods", "--json"], check=True, capture_output=True, text=True).stdout)]
    late = 0
    for name in dict.fromkeys(names):
        if wanted and not any(part in f"method {name}" for part in wanted):
            continue
        over = {data: seconds_of(folder, ["learn", data, "--units", "8", "--method", name], SHORT)[0] - SHORT for data in ("many.npz", "vector.npz", "wide.npz")}
        late += sum(value > 1 + 0.05 * SHORT for value in over.values())
        print(f"method {name:<22} " + ", ".join(f"{data}: {value:.2f}" for data, value in over.items() if value > 0), flush=True)
    return late


def main():
    limits = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    jobs = {name: words for name, words in JOBS.items() if len(sys.argv) < 3 or any(part in name for part in sys.argv[2:])}
    late = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, words in MAKE.items():
            if len(sys.argv) < 3 or any(name in job for job in jobs.values()) or name in ("many.npz", "vector.npz", "wide.npz"):
                subprocess.run([PROGRAM, "sample", *words, "--seed", "1", "-o", name], cwd=folder, check=True, capture_output=True)
        subprocess.run([PROGRAM, "sample", "--inputs", "60", "--units", "30", "--samples", "10", "-o", "some.npz", "--truth", "model.onnx"], cwd=folder,
                       check=True, capture_output=True)
        subprocess.run([PROGRAM, "sample-threshold", "--inputs", "40", "--units", "6", "--unit", "step", "--upper", "any", "--samples", "200000", "--seed", "1",
                        "-o", "labels.npz"], cwd=folder, check=True, capture_output=True)
        subprocess.run([PROGRAM, "sample", "--inputs", "20", "--units", "8", "--samples", "10", "-o", "some.npz", "--truth", "model.json"], cwd=folder,
                       check=True, capture_output=True)
        subprocess.run([PROGRAM, "sample", "--inputs", "10", "--layers", "12,8", "--samples", "10", "-o", "some.npz", "--truth", "deep.onnx"], cwd=folder,
                       check=True, capture_output=True)
        print(f"{'job':<20} {'whole':>7}  limit: seconds beyond it")
        for name, words in jobs.items():
            whole, code, said = seconds_of(folder, words, LONGEST)
            if code not in (0, 1, 3):
                print(f"{name}: exit {code}: {said[0]}")
                late += 1
                continue
            beyond = [(LONGEST, whole - LONGEST)] if whole > LONGEST else []
            for part in range(limits):
                limit = round(min(whole, LONGEST) * (part + 0.5) / limits, 3)
                beyond.append((limit, seconds_of(folder, words, limit)[0] - limit))
            late += sum(over > 1 + 0.05 * limit for limit, over in beyond)
            whole = min(whole, LONGEST)
            print(f"{name:<20} {whole:7.1f}  " + ", ".join(f"{limit:g}: {over:.2f}" for limit, over in beyond if over > 0), flush=True)
        late += beyond_short(folder, sys.argv[2:])
    print(f"{late} of the limits were overrun by more than 1 s and 5%")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
