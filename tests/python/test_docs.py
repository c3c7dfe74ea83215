"""Programs in the documentation run as they stand."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def programs():
    for page in ("README.md", "docs/site/five-minutes.md", "docs/site/examples.md", "docs/site/gallery.md"):
        for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.S | re.M), 1):
            yield pytest.param(code, id=f"{page}:{number}")


@pytest.mark.parametrize("code", programs())
def test_program(code, tmp_path):
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(Path(os.environ["PYTHONPATH"].split(os.pathsep)[0]).resolve())})
    assert done.returncode == 0, done.stderr
