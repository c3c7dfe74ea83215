#!/usr/bin/python3
"""Claims of `learn --task lowest-layer --ask` (GP Algorithms 1 and 2): how often right first layers are `recovered`, and how often wrong ones.

A claim is false if the answer has another number of units than the model, a threshold is off by more than .05, or a direction by more than .05 rad or by
more than five times what the answer says of its directions.

bench/accuracy/asked_claims.py [--seeds 10] [--only KIND] [--program build/relucover]
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy

RIGHT = ["as assumed", "many questions", "float32 labels", "powers", "a deep upper part"]
DOUBTFUL = ["few questions", "degree too small", "noise in the labels", "low thresholds", "near-parallel units", "units that cancel each other"]
WRONG = ["a unit too few", "a unit too many", "a rare unit", "another model is asked", "other thresholds are asked", "a model of float32 is asked",
         "the other kind of unit", "flipped labels"]


def planted(kind, seed):
    random = numpy.random.default_rng(seed)
    inputs, units = int(random.integers(4, 8)), int(random.integers(2, 4))
    unit = str(random.choice(["step", "relu"]))
    if kind in ("powers", "degree too small", "a model of float32 is asked"):
        unit = "relu"
    if kind in ("units that cancel each other", "flipped labels"):
        unit = "step"
    W = numpy.linalg.qr(random.standard_normal((inputs, inputs)))[0][:units] + 0.3 * random.standard_normal((units, inputs)) / numpy.sqrt(inputs)
    if kind == "near-parallel units":
        W[1] = W[0] + random.uniform(0.1, 0.4) * W[1]
    W /= numpy.linalg.norm(W, axis=1, keepdims=True)
    t = random.uniform(0.3, 1.0, units) if kind == "low thresholds" else random.uniform(1.5, 2.2, units)
    monomials = [{"coefficient": float(random.uniform(0.5, 1.5)), "factors": [[i, 1]]} for i in range(units)]
    monomials += [{"coefficient": float(random.uniform(-0.5, 0.5)), "factors": [[i, 1], [j, 1]]} for i in range(units) for j in range(i)]
    if kind == "powers":
        monomials += [{"coefficient": float(random.uniform(-0.3, 0.3)), "factors": [[i, int(random.integers(2, 4))]]} for i in range(units)]
    if kind == "units that cancel each other":  # at rest where both are active
        monomials = [{"coefficient": 1.0, "factors": [[0, 1]]}, {"coefficient": 1.0, "factors": [[1, 1]]}, {"coefficient": -2.0, "factors": [[0, 1], [1, 1]]}]
        W, t = W[:2], t[:2]
    model = {"format": "relucover-threshold-model", "version": 1, "unit": unit, "W": W.tolist(), "t": t.tolist(),
             "upper": {"kind": "polynomial", "constant": float(random.uniform(-1, 1)), "monomials": monomials}}
    if kind == "flipped labels":
        model["upper"] = {"kind": "any"}
    if kind == "a rare unit":
        model["W"].append((random.standard_normal(inputs) / numpy.sqrt(inputs)).tolist())
        model["W"][-1] = (numpy.array(model["W"][-1]) / numpy.linalg.norm(model["W"][-1])).tolist()
        model["t"].append(float(random.uniform(2.6, 3.1)))
        model["upper"]["monomials"].append({"coefficient": float(random.uniform(0.2, 1)), "factors": [[len(t), 1]]})
    return model, int(random.choice([30000, 100000])), random


def asked_for(kind, model, random):
    """The model that is asked, and the arguments of `learn`."""
    units, unit, asked = len(model["t"]), model["unit"], json.loads(json.dumps(model))
    rounds, questions = int(random.integers(30, 80)), int(random.choice([500, 2000]))
    degree, power = 2, 1
    if kind == "few questions":
        rounds, questions = int(random.integers(1, 6)), int(random.choice([10, 30, 100]))
    if kind == "many questions":
        rounds, questions = 200, 3000
    if kind == "degree too small":
        degree = 1
    if kind in ("a unit too few", "a rare unit"):
        units -= 1
    if kind == "a unit too many":
        units += 1
    if kind == "another model is asked":
        W = numpy.array(asked["W"]) + random.uniform(0.02, 0.5) * random.standard_normal(numpy.shape(asked["W"])) / numpy.sqrt(len(asked["W"][0]))
        asked["W"] = (W / numpy.linalg.norm(W, axis=1, keepdims=True)).tolist()
    if kind == "other thresholds are asked":
        asked["t"] = (numpy.array(asked["t"]) + random.uniform(0.06, 0.4) * random.choice([-1, 1])).tolist()
    if kind == "the other kind of unit":
        unit = "relu" if unit == "step" else "step"
    return asked, ["--unit", unit, "--units", units, "--rounds", rounds, "--questions", questions, "--degree", degree, "--power", power]


def float32_graph(model, file):
    """The model as an exporter in single precision would write it: at rest its answers differ in the last digits."""
    import onnx
    from onnx import numpy_helper
    W, t = numpy.array(model["W"], numpy.float32), numpy.array(model["t"], numpy.float32)
    c = numpy.array([[m["coefficient"] for m in model["upper"]["monomials"][:len(t)]]], numpy.float32)
    half = numpy.array([0.5 * model["upper"]["constant"]], numpy.float32)
    names = {"W": W, "t": -t, "c": c, "o": half}
    node = onnx.helper.make_node
    nodes = [node("Gemm", ["x", "W", "t"], ["a"], transB=1), node("Relu", ["a"], ["h"]), node("Gemm", ["h", "c", "o"], ["f"], transB=1),
             node("Add", ["f", "o"], ["y"])]
    value = lambda name, width: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", width])
    graph = onnx.helper.make_graph(nodes, "f", [value("x", W.shape[1])], [value("y", 1)], [numpy_helper.from_array(v, k) for k, v in names.items()])
    onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)]), file)


def judged(truth, answer, found):
    """What is false about a claim; empty: nothing."""
    W, t = numpy.array(truth["W"]), numpy.array(truth["t"])
    V, s = numpy.array(found["W"]), numpy.array(found["t"])
    if len(V) != len(W):
        return f"{len(V)} units of {len(W)}"
    rows = list(range(len(V)))
    worst = worst_t = 0.0
    for w, threshold in zip(W, t):
        near = min(rows, key=lambda i: numpy.linalg.norm(V[i] / numpy.linalg.norm(V[i]) - w))
        rows.remove(near)
        worst = max(worst, 2 * numpy.arcsin(min(1, numpy.linalg.norm(V[near] / numpy.linalg.norm(V[near]) - w) / 2)))
        worst_t = max(worst_t, abs(s[near] / numpy.linalg.norm(V[near]) - threshold))
    said = answer["direction_error"] or 0
    if worst > 0.05 or worst_t > 0.05:
        return f"{worst:.3f} rad, threshold {worst_t:.3f} off"
    if worst > max(5 * said, 1e-6):
        return f"{worst:.1e} rad off, {said:.1e} said"
    return ""


def one(program, kind, seed):
    model, samples, random = planted(kind, seed)
    asked, arguments = asked_for(kind, model, random)
    with tempfile.TemporaryDirectory() as folder:
        run = lambda *words: subprocess.run([program, *map(str, words)], cwd=folder, capture_output=True, text=True)
        if kind == "a deep upper part":
            run("sample-threshold", "--inputs", len(model["W"][0]), "--units", len(model["t"]), "--upper", "layers", "--samples", samples, "--seed", seed,
                "-o", "d.npz", "--truth", "t.json")
            model = asked = json.loads(pathlib.Path(folder, "t.json").read_text())
            arguments[arguments.index("--unit") + 1] = model["unit"]
        pathlib.Path(folder, "t.json").write_text(json.dumps(model))
        pathlib.Path(folder, "q.json").write_text(json.dumps(asked))
        extra = ["--noise", random.choice([1e-6, 1e-3, 0.05])] if kind == "noise in the labels" else []
        extra += ["--flips", 0.02] if kind == "flipped labels" else []
        oracle = "q.json"
        made = run("sample-threshold", "--model", "t.json", "--samples", samples, "--seed", seed, "-o", "d.npz", *extra)
        if made.returncode != 0:
            raise RuntimeError(made.stderr)
        if kind == "float32 labels":
            data = numpy.load(f"{folder}/d.npz")
            numpy.savez(f"{folder}/d.npz", x=data["x"], y=data["y"].astype(numpy.float32))
        if kind == "a model of float32 is asked":
            float32_graph(model, f"{folder}/q.onnx")
            oracle = "q.onnx"
            run("sample-threshold", "--model", oracle, "--samples", samples, "--seed", seed, "-o", "d.npz")
        done = run("learn", "d.npz", "--task", "lowest-layer", "--ask", oracle, *arguments, "--seed", seed, "--threads", 1, "-o", "a.json", "--json")
        if done.returncode == 2:
            raise RuntimeError(done.stderr)
        answer = json.loads(done.stdout)
        if answer["status"] not in ("exact", "recovered"):
            return answer, None
        return answer, judged(model, answer, json.loads(pathlib.Path(folder, "a.json").read_text()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--program", default=os.environ.get("RELUCOVER", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "relucover")))
    given = parser.parse_args()
    false = 0
    print(f"{'what is asked':<30} claimed    false")
    for group in (RIGHT, DOUBTFUL, WRONG):
        for kind in group:
            if given.only and given.only not in kind:
                continue
            claims = wrong = 0
            for seed in range(given.seeds):
                answer, verdict = one(given.program, kind, 1000 * (RIGHT + DOUBTFUL + WRONG).index(kind) + seed)
                claims += verdict is not None
                wrong += bool(verdict)
                if verdict or given.verbose:
                    print(f"  seed {seed}: {verdict or answer['status']}: {answer['message']}", flush=True)
            false += wrong
            print(f"{kind:<30} {claims:>3} of {given.seeds:<3} {wrong}", flush=True)
    return 1 if false else 0


if __name__ == "__main__":
    raise SystemExit(main())
