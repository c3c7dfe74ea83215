"""Cases as files: data, what is asked, and the truth as weights or as its values on the samples and on fresh inputs."""
import json

import numpy as np

from .case import Case
from .noises import Noise
from .truths import Units

FRESH_ROWS = 600


class Tabled:
    """A truth that is known on stored rows alone."""

    def __init__(self, x, f, size, words):
        self.rows = {row.tobytes(): (value, s) for row, value, s in zip(np.ascontiguousarray(x, float), f, size)}
        self.outputs, self.words = f.shape[1], words

    def __call__(self, x):
        return np.array([self.rows[row.tobytes()][0] for row in np.ascontiguousarray(x, float)])

    def size(self, x):
        return np.array([self.rows[row.tobytes()][1] for row in np.ascontiguousarray(x, float)])


def save(case, path):
    rng = np.random.default_rng(5)
    fresh = np.asarray(case.fresh(rng, FRESH_ROWS), float)
    arrays = {"x": case.x, "y": case.y, "fresh": fresh}
    if isinstance(case.truth, Units):
        arrays.update(W=case.truth.W, b=case.truth.b, A=case.truth.A, skip=case.truth.skip, offset=case.truth.offset)
    else:
        arrays.update(f=case.truth(case.x), fresh_f=case.truth(fresh), size=case.truth.size(case.x), fresh_size=case.truth.size(fresh))
    if case.wrong is not None:
        arrays["wrong"] = case.wrong
    if case.noise is not None:
        arrays["scale"] = np.asarray(case.noise.scale, float)
    facts = {"words": case.words, "units": case.units, "method": case.method, "settings": case.settings, "starts": case.starts, "seed": case.seed,
             "float32": bool(case.float32), "discrete": bool(case.discrete), "name": case.name, "family": case.family}
    if case.noise is not None:
        facts["noise"] = {"degrees": case.noise.degrees if np.isfinite(case.noise.degrees) else None, "words": case.noise.words,
                          "inflation": case.noise.inflation}
    arrays["facts"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
    np.savez_compressed(path, **arrays)


def load(path):
    with np.load(path) as held:
        arrays = dict(held)
    facts = json.loads(arrays["facts"].tobytes().decode())
    x, fresh = arrays["x"], arrays["fresh"]
    if "W" in arrays:
        truth = Units(arrays["W"].reshape(-1, x.shape[1]), arrays["b"], arrays["A"].reshape(len(arrays["offset"]), -1), arrays["skip"], arrays["offset"])
    else:
        truth = Tabled(np.vstack([x, fresh]), np.vstack([arrays["f"], arrays["fresh_f"]]), np.vstack([arrays["size"], arrays["fresh_size"]]), facts["words"])
    noise = None
    if "noise" in facts:
        scale = arrays["scale"]
        noise = Noise(float(scale) if scale.ndim == 0 else scale, facts["noise"]["degrees"] or np.inf, facts["noise"]["words"])
        noise.inflation = facts["noise"]["inflation"]
    return Case(x, arrays["y"], truth, lambda g, m: fresh, facts["words"], noise=noise, wrong=arrays.get("wrong"), float32=facts["float32"],
                units=facts["units"], method=facts["method"], settings=facts["settings"], starts=facts["starts"], discrete=facts["discrete"],
                name=facts["name"], family=facts["family"], seed=facts["seed"])
