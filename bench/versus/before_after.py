#!/usr/bin/env python3
"""Two builds of the program on the same data, taking turns: is the second slower, are its answers alike?

usage: before_after.py BEFORE AFTER [--rounds N] [--only NAME...] [--most PERCENT]

BEFORE and AFTER are two `relucover` programs. Each case is learned N times by each, in turn, so that a busy machine slows both;
what counts is processor time (user and system, of one thread): the least of the rounds, which a busy machine disturbs least.
Ends with 1 if a case is slower by more than PERCENT (default 3) or answers differ in status or by more than the answer's digits.
Without arguments, as `make bench` calls it, there is nothing to compare and it says so.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

CASES = {  # name: (sample options, learn options, bar of the weight error)
    "20-10": (["--inputs", "20", "--units", "10", "--samples", "20000"], ["--units", "10"], 1e-9),
    "100-16": (["--inputs", "100", "--units", "16", "--samples", "40000"], ["--units", "16"], 1e-9),
    "784-32": (["--inputs", "784", "--units", "32", "--samples", "131072"], ["--units", "32"], 1e-9),
    "vector 10x10x10": (["--inputs", "10", "--units", "10", "--outputs", "10", "--samples", "10000", "--bias", "0"], ["--units", "10"], 1e-9),
    "noisy 10-5": (["--inputs", "10", "--units", "5", "--samples", "20000", "--noise", "0.1"], ["--units", "5"], 0.1),
}


def run(command):
    """Standard output and processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(name, programs, rounds, most, folder):
    sample, learn, bar = CASES[name]
    data, truth = f"{folder}/data.npz", f"{folder}/truth.json"
    run([programs[0], "sample", *sample, "--seed", "3", "-o", data, "--truth", truth])
    seconds, answers = ([], []), [None, None]
    for _ in range(rounds):
        for which, program in enumerate(programs):
            net = f"{folder}/net{which}.json"
            out, spent = run([program, "learn", data, *learn, "--threads", "1", "--json", "-o", net])
            seconds[which].append(spent)
            error = json.loads(run([program, "compare", truth, net, "--json"])[0])["max_weight_error"]
            answers[which] = (json.loads(out)["status"], error)
    least = [min(times) for times in seconds]
    slower = 100 * (least[1] / least[0] - 1)
    alike = answers[0][0] == answers[1][0] and all(error <= bar for _, error in answers)
    print(f"{name:<18}{least[0]:>10.2f} s{least[1]:>10.2f} s{slower:>+9.1f}%   {answers[0][0]} {answers[0][1]:.1e}, {answers[1][0]} {answers[1][1]:.1e}",
          flush=True)
    return slower <= most and alike


def main():
    if len(sys.argv) == 1:
        print("needs two builds: before_after.py BEFORE AFTER")
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=list(CASES), default=list(CASES))
    parser.add_argument("--most", type=float, default=3.0)
    given = parser.parse_args()
    programs = [str(path.resolve()) for path in (given.before, given.after)]
    print(f"{'case':<18}{'before':>12}{'after':>12}{'slower':>10}   status and error of the weights, before and after")
    with tempfile.TemporaryDirectory() as folder:
        good = [compare(name, programs, given.rounds, given.most, folder) for name in given.only]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
