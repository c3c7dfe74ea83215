"""Ask the program: one function for each task, from a case to a record of what was said."""
import json
import os
import subprocess
import tempfile

import numpy as np

from .answers import record_of
from .truths import Units

TIME_LIMIT = float(os.environ.get("TRUST_TIME_LIMIT", 8.0))  # seconds that the program is given for a case


def learn(case):
    import relucover

    result = relucover.learn(case.x, case.y, units=case.units, method=case.method, seed=case.seed, threads=1, time_limit=TIME_LIMIT,
                             starts=case.starts, settings=case.settings)
    return record_of(result)


def extract(case):
    """The case's truth is asked; what was asked becomes the case's samples."""
    import relucover

    asked = []

    def oracle(x):
        asked.append(np.array(x, float))
        y = case.truth(asked[-1])
        return y.astype(np.float32).astype(float) if case.float32 else y

    found = relucover.extract(oracle, inputs=np.shape(case.x)[1], units=case.units, method=case.method, seed=case.seed, threads=1,
                              time_limit=TIME_LIMIT, **case.extra)
    case.x = np.vstack(asked)
    case.y = case.truth(case.x).astype(np.float32) if case.float32 else case.truth(case.x)
    return record_of(found.result)


def halfspaces(case):
    from relucover import _core

    found = _core.halfspaces(np.asarray(case.x, float), case.labels[:, 0], 0 if case.units == "auto" else case.units, case.seed, 1, TIME_LIMIT, None)
    return {"status": found.status, "message": found.message, "W": np.array(found.W, float), "t": np.array(found.t, float).reshape(-1),
            "intersection": bool(found.figures.get("intersection", 0)), "network": None, "noise": 0.0}


def program():
    named = os.environ.get("RELUCOVER")
    if named:
        return named
    import relucover

    beside = os.path.join(os.path.dirname(relucover.__file__), "..", "..", "relucover")
    return os.path.abspath(beside)


def _run(arguments):
    done = subprocess.run([program(), *arguments], capture_output=True, text=True, timeout=6 * TIME_LIMIT + 30, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
    if done.returncode < 0:
        raise RuntimeError(f"the program ended with signal {-done.returncode}: {done.stderr[-300:]}")
    return done


def lowest_layer(case):
    with tempfile.TemporaryDirectory() as folder:
        data, model = os.path.join(folder, "data.npz"), os.path.join(folder, "model.json")
        np.savez(data, x=case.x, y=case.labels)
        units = [] if case.units == "auto" else ["--units", str(case.units)]
        done = _run(["learn", data, "--task", "lowest-layer", *units, *case.extra["arguments"], "--seed", str(case.seed), "--threads", "1",
                     "--time-limit", str(TIME_LIMIT), "--json", "-o", model])
        said = json.loads(done.stdout) if done.stdout.strip() else {"status": "error", "message": done.stderr}
        if said["status"] == "error":
            raise RuntimeError(said["message"])
        learned = json.load(open(model)) if os.path.exists(model) else None
    return {"status": said["status"], "message": said["message"], "model": learned, "direction_error": said.get("direction_error"),
            "holdout_error": said.get("holdout_error"), "network": None, "noise": 0.0}


def moments(case):
    """Moments of all samples, then `learn` on a part of them with these moments."""
    with tempfile.TemporaryDirectory() as folder:
        names = {name: os.path.join(folder, name) for name in ("all.npz", "part.npz", "all.moments", "net.json")}
        np.savez(names["all.npz"], x=case.x, y=case.labels)
        part = max(len(case.x) // 2, 1)
        np.savez(names["part.npz"], x=case.x[:part], y=case.labels[:part])
        made = _run(["moments", names["all.npz"], "-o", names["all.moments"], "--threads", "1"])
        if made.returncode:
            return {"status": "refused", "message": made.stderr, "network": None, "noise": 0.0}
        units = [] if case.units == "auto" else ["--units", str(case.units)]
        done = _run(["learn", names["part.npz"], "--moments", names["all.moments"], *units, "--seed", str(case.seed), "--threads", "1",
                     "--time-limit", str(TIME_LIMIT), "--json", "-o", names["net.json"]])
        said = json.loads(done.stdout) if done.stdout.strip() else {"status": "refused", "message": done.stderr}
        network = None
        if os.path.exists(names["net.json"]):
            net = json.load(open(names["net.json"]))
            if "W" in net:
                d, l = np.shape(case.x)[1], case.labels.shape[1]
                k = len(net["b"])
                network = Units(np.array(net["W"], float).reshape(k, d), net["b"], np.array(net["A"], float).reshape(l, k), net.get("skip"), net.get("offset"))
    return {"status": said["status"], "message": said["message"], "network": network, "noise": float(said.get("noise_estimate") or 0.0)}


TASKS = {"learn": learn, "extract": extract, "halfspaces": halfspaces, "lowest-layer": lowest_layer, "moments": moments}
