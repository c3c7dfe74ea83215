#!/usr/bin/python3
"""Models in ONNX files as PyTorch writes them (tests/exported), handed over as files and as a program that computes them.

    bench/accuracy/exported.py [--only TEXT]

A line for each of the 14 files and each way: status, link, units, queries, processor time, and the worst difference on the user's rows to what PyTorch said.
Wanted: exact, the link named, rows alike to the file's precision. Ends with 1 if one is not.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "tests" / "exported"
PROGRAM = os.environ.get("RELUCOVER", str(ROOT / "build" / "relucover"))
LINKS = {"breast_cancer": "sigmoid", "digits": "softmax", "classifier_wine": "softmax", "log_softmax": "log-softmax", "softmax": "softmax", "sigmoid": "sigmoid"}


def run(folder, *words):
    done = subprocess.run([PROGRAM, *map(str, words), "--json"], cwd=folder, capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="")
    given = arguments.parse_args()
    right = total = 0
    print(f"{'file':<28}{'asked':<9}{'status':>12}{'link':>13}{'units':>6}{'queries':>9}{'cpu s':>7}{'worst':>10}")
    rows = np.load(FILES / "rows.npz")
    for file in sorted(FILES.glob("*.onnx")):
        if given.only not in file.stem:
            continue
        x, y = rows[f"{file.stem}_x"], rows[f"{file.stem}_y"]
        bound = (3e-5 if "float32" in file.stem else 1e-9) * max(1, np.abs(y).max())
        link = next((link for part, link in LINKS.items() if part in file.stem), "identity")
        with tempfile.TemporaryDirectory() as folder:
            np.savez(Path(folder) / "rows.npz", x=x, y=y)
            like = ["--like", "rows.npz"] if "raw" in file.stem else []
            program = ["--oracle-command", f"/usr/bin/python3 {FILES / 'compute.py'} {file}", "--protocol", "npy", "--inputs", x.shape[1], "--batch", 5000]
            for asked, words in (("file", ["--oracle", file]), ("program", program)):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                answer = run(folder, "extract", *words, *like, "--threads", 1, "-o", "net.json")
                used = resource.getrusage(resource.RUSAGE_CHILDREN)
                worst = run(folder, "evaluate", "net.json", "rows.npz")["max_abs"] if (Path(folder) / "net.json").exists() else np.inf
                total += 1
                right += bool(answer["status"] == "exact" and answer["link"] == link and worst < bound)
                print(f"{file.stem:<28}{asked:<9}{answer['status']:>12}{answer['link']:>13}{answer['units']:>6}{answer['queries']:>9}"
                      f"{used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime:>7.1f}{worst:>10.1e}", flush=True)
    print(f"{right} of {total} exact, alike, with their links")
    return right < total


if __name__ == "__main__":
    sys.exit(main())
