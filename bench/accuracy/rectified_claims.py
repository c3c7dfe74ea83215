#!/usr/bin/python3
"""Claims about networks of rectified activations other than ReLU: cases that tempt the program to claim too much.

bench/accuracy/rectified_claims.py [--cases 300] [--seed 0] [--only KIND] [--program build/relucover]

Right models must be claimed where the data tell them; everything else must not be. A claim is false where what made the labels explains
them better than the answer, without any freedom, by more than 30 in twice the log-likelihood, not counting the two rows that say most
(as in bench/trust/judge.py), where the answer has units that nothing made, or where `exact` is said of what is not. Claims about what
no data could tell are counted apart.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy

METHODS = {"square": ("rectified-square", lambda t: numpy.maximum(t, 0) ** 2), "cube": ("rectified-cube", lambda t: numpy.maximum(t, 0) ** 3),
           "exponential": ("rectified-exponential", lambda t: numpy.expm1(numpy.maximum(t, 0)))}
RIGHT = ["normal noise", "fewer outputs than units", "Laplace noise", "noise that grows", "correlated noise", "no noise", "no noise, fewer outputs", "one output", "no noise, one output"]
WRONG = ["a unit more", "biases", "one bias", "another power", "another activation", "an affine part", "a small constant", "a sine", "a smooth term", "a product", "a leak",
         "units close together", "heavy tails", "few samples", "duplicates", "much noise", "wrong labels", "units asked too few", "units asked too many", "a step", "inputs not normal",
         "saturation", "a bump", "other weights for an output", "a second layer", "no noise, biases", "no noise, few samples"]
GAIN = 30.0
FEW_ROWS = 2


class Case:
    """Samples, what made them, and what is asked."""

    def __init__(self, kind, seed):
        r = numpy.random.default_rng(seed)
        self.kind, self.units_asked, self.exact = kind, None, kind.startswith("no noise")
        self.name = str(r.choice(list(METHODS)))
        self.method, f = METHODS[self.name]
        d, k = int(r.integers(3, 8)), int(r.integers(1, 5))
        k = min(k, d)
        n = int(numpy.exp(r.uniform(numpy.log(800), numpy.log(5000))))
        few = "fewer outputs" in kind
        k = max(k, 3) if few else k
        l = max(2, k - 1) if few else max(2, k + int(r.integers(0, 3)))
        l = 1 if "one output" in kind else l
        if kind in ("few samples", "no noise, few samples"):
            n = int(r.integers(k * (d + l) // l + 1, 30 * k * (d + l) // l))
        W = r.standard_normal((k, d))
        W *= (r.uniform(0.5, 1.2, (k, 1)) if self.name == "exponential" else 1) / numpy.linalg.norm(W, axis=1, keepdims=True)
        A = r.choice([-1, 1], (l, k)) * r.uniform(0.5, 1.5, (l, k))
        if kind == "units close together" and k > 1:
            W[1] = W[0] + r.uniform(0.1, 0.5) * r.standard_normal(d) / numpy.sqrt(d)
        x = r.standard_normal((n, d))
        if kind == "inputs not normal":
            x = [lambda: r.uniform(-1.7, 1.7, (n, d)), lambda: r.laplace(size=(n, d)) / 1.4, lambda: r.integers(-2, 3, (n, d)).astype(float), lambda: r.standard_t(3, (n, d))][r.integers(4)]()
        drive = x @ W.T
        g = f
        small = 10 ** r.uniform(-1.7, -0.3)  # .02 to .5
        if "bias" in kind:
            drive = drive + small * (numpy.eye(k)[r.integers(k)] if kind == "one bias" else r.standard_normal(k))
        if kind == "another power":
            power = 1 + r.choice([-1, 1]) * small / 3
            g = lambda t: f(t) ** power
        if kind == "another activation":
            g = [v[1] for n_, v in METHODS.items() if n_ != self.name][r.integers(2)]
        if kind == "saturation":
            g = lambda t: numpy.minimum(f(t), f(numpy.array(r.uniform(1.5, 3))))
        if kind == "a leak":
            g = lambda t: f(t) + small / 3 * numpy.minimum(t, 0)
        y = g(drive) @ A.T
        size = numpy.sqrt(numpy.mean(y ** 2))
        u = r.standard_normal(d)
        u /= numpy.linalg.norm(u)
        v = r.standard_normal(l) / numpy.sqrt(l)
        if kind == "a unit more":
            y = y + small * numpy.outer(f(x @ u), A[:, 0] * r.choice([-1, 1], l))
            self.unit_more = u
        if kind == "an affine part":
            y = y + small * size * (x @ r.standard_normal((d, l)) / numpy.sqrt(d) + r.standard_normal(l))
        if kind == "a small constant":
            y = y + small * size / 3 * v
        if kind == "a sine":
            y = y + small * size * numpy.outer(numpy.sin(r.uniform(1, 5) * x @ u), v)
        if kind == "a smooth term":
            y = y + small * size * numpy.outer([numpy.tanh, numpy.square, lambda t: numpy.exp(-t * t), numpy.abs, lambda t: numpy.log1p(numpy.exp(3 * t)) / 3][r.integers(5)](x @ u), v)
        if kind == "a product":
            i, j = r.choice(d, 2, replace=False)
            y = y + small * size * numpy.outer(x[:, i] * x[:, j], v)
        if kind == "a bump":
            y = y + 2 * small * size * numpy.outer(numpy.exp(-2 * ((x[:, :2] - r.standard_normal(2)) ** 2).sum(1)), v)
        if kind == "other weights for an output":
            y[:, 0] += A[0, 0] * (f(x @ (W[0] + small * u)) - f(drive[:, 0]))
        if kind == "a second layer":
            y = y + small * numpy.outer(numpy.maximum(y @ v - r.uniform(0, 1) * size, 0), v[::-1])
        if kind == "a step":
            y = y + small * size * numpy.outer(x @ u > r.uniform(-1, 1), v)
        self.truth, self.W, self.x = y, W, x
        level = {"much noise": r.uniform(0.5, 3)}.get(kind, r.choice([0.003, 0.01, 0.05, 0.2])) * size
        noise = r.standard_normal(y.shape)
        self.degrees = numpy.inf
        if kind == "Laplace noise":
            noise = r.laplace(size=y.shape) / numpy.sqrt(2)
        if kind == "heavy tails":
            self.degrees = float(r.choice([1.0, 2.0, 3.0]))
            noise = r.standard_t(self.degrees, y.shape)
        self.scale = level * numpy.ones(y.shape)
        if kind == "noise that grows":
            self.scale = self.scale * numpy.linalg.norm(x, axis=1, keepdims=True) / numpy.sqrt(d)
        if kind == "correlated noise":
            noise = noise @ (r.standard_normal((l, l)) / numpy.sqrt(l) + 0.5 * numpy.eye(l))
        self.y = y if self.exact else y + self.scale * noise
        if kind == "wrong labels":
            wrong = r.random(n) < r.uniform(0.002, 0.1)
            self.y = numpy.where(wrong[:, None], self.y + 10 * size * r.standard_normal(y.shape), self.y)
            self.degrees = 1.0
        if kind == "duplicates":
            again = r.integers(0, n // 4, n)
            self.x, self.y, self.truth, self.scale = self.x[again], self.y[again], self.truth[again], self.scale[again]
        if kind == "units asked too few" and k > 1:
            self.units_asked = k - 1
        elif kind == "units asked too many":
            self.units_asked = k + 1
        elif r.random() < 0.5:
            self.units_asked = k
        # nothing is wrong with these but the size of the noise, the number of samples or their distribution
        self.may_be_right = kind in ("much noise", "few samples", "inputs not normal", "heavy tails", "wrong labels", "no noise, few samples", "units close together", "units asked too many") or (
            kind == "units asked too few" and k == 1)

    def answer(self, program):
        with tempfile.TemporaryDirectory() as folder:
            numpy.savez(f"{folder}/d.npz", x=self.x, y=self.y)
            units = ["--units", str(self.units_asked)] if self.units_asked else []
            run = subprocess.run([program, "learn", "d.npz", "--method", self.method, "--threads", "1", "-o", "a.json", "--json", *units], cwd=folder, capture_output=True, text=True)
            try:
                answer = json.loads(run.stdout)
            except json.JSONDecodeError:
                return {"status": "crash", "message": run.stderr[-300:] + f" (exit {run.returncode})"}, None
            path = pathlib.Path(folder, "a.json")
            return answer, json.loads(path.read_text()) if path.exists() else None

    def loss(self, residual, scale):
        """Twice the negative log-likelihood of each row."""
        z = (residual / scale) ** 2
        return (z if numpy.isinf(self.degrees) else (self.degrees + 1) * numpy.log1p(z / self.degrees)).sum(1)

    def judge(self, answer, network):
        """right, false or undecidable, and why."""
        W, A = numpy.array(network["W"]), numpy.array(network["A"])
        residual = self.y - METHODS[self.name][1](self.x @ W.T) @ A.T
        error = self.y - self.truth
        off = wrong_by(self.W, W)
        same = len(W) == len(self.W)
        if self.kind == "a unit more" and len(W) == len(self.W) + 1:  # it was found
            off = wrong_by(numpy.vstack([self.W, self.unit_more]), W)
            return ("right", "") if off < 0.3 else ("false", f"the further unit is another: off by {off:.2f}")
        if answer["status"] == "exact":
            if not self.exact or not same or off > 1e-6 or numpy.sqrt((residual ** 2).mean()) > 1e-9 * numpy.sqrt((self.y ** 2).mean()):
                return "false", f"exact: {len(W)} units of {len(self.W)}, off by {off:.1e}"
            return ("right", "") if "bias" not in self.kind else ("false", "exact in spite of biases")
        if self.exact:
            return "false", "noise is claimed, there is none"
        turn, scale = numpy.eye(self.y.shape[1]), self.scale
        if self.kind == "correlated noise":
            values, vectors = numpy.linalg.eigh(error.T @ error / len(error))
            turn, scale = vectors / numpy.sqrt(values), 1.0
        if self.kind == "duplicates":
            return "false", "copies of samples were taken for samples"
        rows = numpy.sort(self.loss(residual @ turn, scale) - self.loss(error @ turn, scale))
        gain = rows[:-FEW_ROWS].sum()  # one or two rows may be outliers
        why = f"{len(W)} units of {len(self.W)}, off by {off:.2f}, the truth explains the labels better by {gain:.0f}"
        if self.kind in RIGHT or self.may_be_right:
            if same and off < 0.3 or (same and gain < GAIN):
                return "right", ""
            return ("false" if gain > GAIN or len(W) > len(self.W) else "undecidable"), why
        return ("false" if gain > GAIN else "undecidable"), why


def wrong_by(W, found):
    """Largest distance of a true row (of unit length) to its partner, each used once."""
    rows = [row / max(numpy.linalg.norm(row), 1e-300) for row in found]
    worst = 0.0
    for w in W:
        if not rows:
            return 2.0
        distances = [numpy.linalg.norm(w / numpy.linalg.norm(w) - row) for row in rows]
        best = int(numpy.argmin(distances))
        worst = max(worst, distances[best])
        rows.pop(best)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--all", action="store_true", help="tell every case that was not claimed")
    parser.add_argument("--program", default=os.environ.get("RELUCOVER", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "relucover")))
    given = parser.parse_args()
    kinds = [given.only] if given.only else RIGHT + WRONG
    table = {kind: {"cases": 0, "claimed": 0, "false": 0, "undecidable": 0} for kind in kinds}
    crashes = 0
    for number in range(given.cases):
        kind = kinds[number % len(kinds)]
        seed = given.seed + number
        case = Case(kind, seed)
        answer, network = case.answer(given.program)
        row = table[kind]
        row["cases"] += 1
        where = f"  {kind} (--only '{kind}' --cases 1 --seed {seed}; {case.name}, {case.x.shape[0]} samples, {case.x.shape[1]} inputs, {len(case.W)} units, {case.y.shape[1]} outputs)"
        if answer["status"] in ("exact", "recovered"):
            row["claimed"] += 1
            verdict, why = case.judge(answer, network)
            if verdict != "right":
                row[verdict] += 1
                print(f"{where}: {verdict}: {why}; {answer['message']}", flush=True)
        elif answer["status"] == "crash":
            crashes += 1
            print(f"{where}: crash: {answer['message']}", flush=True)
        elif given.all or kind in RIGHT:
            print(f"{where}: {answer['status']}: {answer['message']}", flush=True)
    print(f"\n{'labels':<26} cases  claimed  false  undecidable")
    for kind, row in table.items():
        print(f"{kind:<26} {row['cases']:>5}  {row['claimed']:>7}  {row['false']:>5}  {row['undecidable']:>11}")
    false = sum(row["false"] for row in table.values())
    solvable = [table[kind] for kind in kinds if kind in RIGHT]
    claimed, cases = sum(row["claimed"] for row in solvable), sum(row["cases"] for row in solvable)
    print(f"\n{sum(row['cases'] for row in table.values())} cases: {false} false claims, {crashes} crashes, {claimed} of {cases} right models claimed")
    return 1 if false or crashes else 0


if __name__ == "__main__":
    raise SystemExit(main())
