#!/usr/bin/python3
"""`kill -9` at 20 random moments of a run, `--resume` each time: the same bytes as the undisturbed run?

Usage: kills.py [--kills 20] [--inputs 60] [--units 16] [--samples 40000] [--seed 1] [--ranks 1]
First every kill in a run of its own, resumed to the end; then all kills in one run. With several ranks (mpirun) one of them, chosen at
random, is killed; the undisturbed run is always one process.
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from planted_data import PROGRAM  # noqa: E402


def one_of(process, ranks, draw):
    """The process, or one of the ranks that it started."""
    if ranks == 1:
        return process.pid
    found = subprocess.run(["pgrep", "-P", str(process.pid), "relucover"], capture_output=True, text=True).stdout.split()
    return int(draw.choice(found)) if found else None


def killed_after(command, seconds, ranks, draw):
    """True if the program was still running then."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        pass
    victim = one_of(process, ranks, draw)
    if victim is not None:
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return process.wait() != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in [("kills", 20), ("inputs", 60), ("units", 16), ("samples", 40000), ("seed", 1), ("ranks", 1)]:
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    draw = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        data, state, net = (os.path.join(folder, name) for name in ["d.npz", "run.state", "n.json"])
        subprocess.run([PROGRAM, "sample", "--inputs", str(asked.inputs), "--units", str(asked.units), "--samples", str(asked.samples),
                        "--seed", str(asked.seed), "-o", data], check=True, capture_output=True)
        plain = [PROGRAM, "learn", data, "--units", str(asked.units), "--threads", "1", "-o", net]
        begin = time.monotonic()
        subprocess.run(plain, check=True, capture_output=True)
        whole = time.monotonic() - begin
        undisturbed = pathlib.Path(net).read_bytes()
        print(f"undisturbed: {whole:.1f} s")
        if asked.ranks > 1:
            plain = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", str(asked.ranks)] + plain
            begin = time.monotonic()
            subprocess.run(plain, check=True, capture_output=True)
            whole = time.monotonic() - begin
            print(f"{asked.ranks} ranks: {whole:.1f} s, {'the same' if pathlib.Path(net).read_bytes() == undisturbed else 'OTHER'} bytes")
        keeping = plain + ["--checkpoint", state, "--checkpoint-every", "0"]

        def go_on():
            return keeping + (["--resume", state] if os.path.exists(state) else [])

        def same_after_the_end():
            subprocess.run(go_on(), check=True, capture_output=True)
            same = pathlib.Path(net).read_bytes() == undisturbed
            os.remove(net)
            if os.path.exists(state):
                os.remove(state)
            return same

        os.remove(net)
        same = kills = 0
        for _ in range(asked.kills):
            at = draw.uniform(0, whole)
            hit = killed_after(keeping, at, asked.ranks, draw)
            kills += hit
            same += same_after_the_end()
        print(f"{kills} of {asked.kills} runs killed at a random moment, each resumed once: {same} of {asked.kills} with the same bytes")
        in_one = 0
        while in_one < asked.kills and killed_after(go_on(), draw.uniform(0.2, 1) * whole / 4, asked.ranks, draw):
            in_one += 1
        together = same_after_the_end()
        print(f"one run killed {in_one} times and resumed each time: {'the same bytes' if together else 'OTHER BYTES'}")
    return not (same == asked.kills and together)


if __name__ == "__main__":
    sys.exit(main())
