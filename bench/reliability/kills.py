#!/usr/bin/python3
"""`kill -9` at random moments of learn, extract, moments and reproduce, gone on each time: the same bytes as the undisturbed run?

usage: kills.py [KILLS]     of each command, default 25
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ.get("RELUCOVER", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "relucover"))

ORACLE = """import sys
for line in sys.stdin:
    a, b, c = map(float, line.split())
    print(max(a + b, 0) - 2 * max(b - c + 0.5, 0), flush=True)
"""

# The command, how it goes on, and what it writes.
JOBS = {
    "learn": (["learn", "data.npz", "--units", "12", "--threads", "1", "-o", "out.json", "--checkpoint", "out.state", "--checkpoint-every", "0"],
              ["--resume", "out.state"], ["out.json"], ["out.state"]),
    "learn deep": (["learn", "deep.npz", "--layers", "6,4", "--threads", "1", "-o", "out.json", "--checkpoint", "out.state", "--checkpoint-every", "0"],
                   ["--resume", "out.state"], ["out.json"], ["out.state"]),
    "extract": (["extract", "--oracle-command", "/usr/bin/python3 oracle.py", "--inputs", "3", "--batch", "50", "--first", "2000", "--fresh", "2000",
                 "--threads", "1", "--spool", "out.spool", "-o", "out.json"], [], ["out.json"], ["out.spool"]),
    "moments": (["moments", "data.npz", "--threads", "1", "-o", "out.moments"], [], ["out.moments"], []),
    "reproduce": (["reproduce", "gklw-fig2", "--trials", "1", "--points", "3", "--threads", "1", "--csv", "out.csv", "--checkpoint", "out.state"],
                  ["--resume", "out.state"], ["out.csv"], ["out.state"]),
}


def run(folder, words, seconds=None):
    """True if it came to its end."""
    process = subprocess.Popen([PROGRAM, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return False
    assert process.returncode in (0, 1), process.returncode
    return True


def main():
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    draw, all_same = random.Random(1), True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "oracle.py").write_text(ORACLE)
        run(folder, ["sample", "--inputs", "30", "--units", "12", "--samples", "20000", "--seed", "1", "-o", "data.npz"])
        run(folder, ["sample", "--inputs", "6", "--layers", "6,4", "--samples", "10000", "--seed", "1", "-o", "deep.npz"])
        for job, (words, again, outputs, states) in JOBS.items():
            clear = lambda: [(folder / one).unlink(missing_ok=True) for one in [*outputs, *states]]
            begin = time.monotonic()
            run(folder, words)
            whole = time.monotonic() - begin
            undisturbed = [(folder / output).read_bytes() for output in outputs]
            kills = same = runs = 0
            while kills < wanted:
                clear()
                here = 0
                # Each run is killed up to five times, at moments that leave it some progress in between.
                while here < 5 and kills + here < wanted and not run(folder, words + (again if states and (folder / states[0]).exists() else []),
                                                                      draw.uniform(0.02, 0.6) * whole):
                    here += 1
                if here == 0:
                    continue
                run(folder, words + (again if states and (folder / states[0]).exists() else []))
                kills += here
                runs += 1
                same += [(folder / output).read_bytes() for output in outputs] == undisturbed
            clear()
            print(f"{job}: {whole:.1f} s undisturbed; {kills} kills in {runs} runs, {same} ended with the same bytes")
            all_same = all_same and same == runs
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
