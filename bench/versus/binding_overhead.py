#!/usr/bin/python3
"""What the Python binding costs: the same planted data (20 inputs, 10 units, 100000 samples) learned by the command line
and from Python, one thread each; CPU time of learning alone, and whether the weights are the same bytes.

    PYTHONPATH=build/python RELUCOVER=build/relucover /usr/bin/python3 bench/versus/binding_overhead.py [RUNS]
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

import relucover

PARTS = ("W", "b", "A", "skip", "offset")


def main(runs):
    program = os.environ.get("RELUCOVER", "build/relucover")
    ratios, same = [], True
    print(f"{'run':>4}{'command line s':>16}{'Python s':>10}{'regressor s':>13}   same bytes")
    with tempfile.TemporaryDirectory() as folder:
        data, net = f"{folder}/d.npz", f"{folder}/n.json"
        subprocess.run([program, "sample", "--inputs", "20", "--units", "10", "--samples", "100000", "--seed", "1", "-o", data,
                        "--truth", f"{folder}/t.json"], check=True, capture_output=True)
        arrays = np.load(data)
        x, y = arrays["x"], arrays["y"]
        for run in range(runs):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([program, "learn", data, "--units", "10", "--seed", "3", "--threads", "1", "-o", net], check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            outside = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            begin = time.process_time()
            inside_network = relucover.learn(x, y, units=10, seed=3, threads=1).network
            inside = time.process_time() - begin
            begin = time.process_time()
            fitted = relucover.ReluNetworkRegressor(units=10, random_state=3).fit(x, y[:, 0]).network_
            regressor = time.process_time() - begin
            written = relucover.Network.read(net)
            equal = all(getattr(one, part).tobytes() == getattr(written, part).tobytes() for one in (inside_network, fitted) for part in PARTS)
            same = same and equal
            if run > 0:  # the first run imports scikit-learn
                ratios.append(max(inside, regressor) / outside)
            print(f"{run:4}{outside:16.3f}{inside:10.3f}{regressor:13.3f}   {'yes' if equal else 'NO'}", flush=True)
    ratio = float(np.median(ratios))
    print(f"median ratio of CPU times, Python over command line: {ratio:.3f} (bar 1.05); same bytes: {'yes' if same else 'NO'}")
    return not (same and ratio <= 1.05)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 6))
