"""HDF5, ONNX and MPI are loaded when needed: the program starts without them, and says what is missing."""
import os
import subprocess

import pytest

from conftest import PROGRAM


def test_the_program_itself_needs_none_of_them():
    needed = subprocess.run(["objdump", "-p", PROGRAM], capture_output=True, text=True, check=True).stdout
    libraries = [line.split()[1] for line in needed.splitlines() if line.strip().startswith("NEEDED")]
    assert libraries
    assert not [name for name in libraries if any(part in name for part in ("hdf5", "onnx", "protobuf", "mpi"))]


def looks_beside_itself_first():
    """Sanitized programs do (cmake/Options.cmake): no folder can be put before that."""
    return " RPATH " in subprocess.run(["objdump", "-p", PROGRAM], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(looks_beside_itself_first(), reason="the real module is found first")
@pytest.mark.parametrize("module, output, package, other", [
    ("relucover_hdf5.so", ["-o", "data.h5"], "libhdf5-dev", ".npz"),
    ("relucover_onnx.so", ["-o", "data.npz", "--truth", "truth.onnx"], "libonnx-dev", ".json"),
])
def test_a_module_that_cannot_be_loaded_is_named_with_its_remedy(tmp_path, module, output, package, other):
    broken = tmp_path / "modules"
    broken.mkdir()
    (broken / module).write_text("not a module")  # found before the real one
    command = [PROGRAM, "sample", "--inputs", "3", "--units", "2", "--samples", "50", *output]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=os.environ | {"LD_LIBRARY_PATH": str(broken)})
    assert done.returncode == 2
    assert module in done.stderr and package in done.stderr and other in done.stderr
    assert output[-1] in done.stderr
    assert not (tmp_path / output[-1]).exists()
