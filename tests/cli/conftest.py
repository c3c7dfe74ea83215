"""Drives the program as a person would. RELUCOVER names it."""
import json
import os
import pathlib
import subprocess

import numpy
import pytest

PROGRAM = os.environ.get("RELUCOVER", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "relucover"))

# `report` is written in Python; builds with sanitizers have no package.
HAS_PACKAGE = (pathlib.Path(PROGRAM).parent / "python" / "relucover").is_dir()


# Root without the right to pass over permissions, so that these can be tested as root too.
AS_ANYBODY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def run_program(*arguments, code=0, cwd=None, timeout=600, before=(), **options):
    done = subprocess.run(
        [*before, PROGRAM, *map(str, arguments)], cwd=cwd, timeout=timeout, text=True, errors="replace",
        stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, **options)
    said = f"exit {done.returncode}\nstdout: {done.stdout}\nstderr: {done.stderr}"
    codes = code if isinstance(code, tuple) else (code,)
    assert done.returncode in codes, f"{' '.join(map(str, arguments))}\n{said}"
    assert "Sanitizer" not in done.stderr, said
    return done


@pytest.fixture
def relucover(tmp_path):
    """relucover("learn", ..., code=2) runs in a fresh folder and checks the exit code."""
    return lambda *arguments, **options: run_program(*arguments, **{"cwd": tmp_path, **options})


@pytest.fixture
def relucover_json(relucover):
    return lambda *arguments, **options: json.loads(relucover(*arguments, "--json", **options).stdout)


def planted(samples=2000, inputs=4, units=2, seed=0):
    """x and y of a random network, without relucover."""
    random = numpy.random.default_rng(seed)
    W = random.normal(size=(units, inputs))
    b = 0.7 * random.normal(size=units)
    x = random.normal(size=(samples, inputs))
    return x, numpy.maximum(x @ W.T + b, 0) @ random.choice([-1.0, 1.0], units)


@pytest.fixture
def data(tmp_path):
    """data.npz with 2000 samples of a network with 4 inputs and 2 units."""
    x, y = planted()
    numpy.savez(tmp_path / "data.npz", x=x, y=y)
    return x, y


def leftovers(folder, expected=()):
    """Files in the folder beside the expected ones: partial output would show here."""
    return sorted(set(os.listdir(folder)) - set(expected))
