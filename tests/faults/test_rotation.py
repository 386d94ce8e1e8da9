"""The site key is replaced: wherever the process dies, all keys open, in the end none of yesterday's."""

import subprocess
import sys
from pathlib import Path

from tests.sampling import WHOLE


def test_a_rotation_dies_before_each_of_its_writes(tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "tests.faults.rotating", str(tmp_path / "data"), "2" if WHOLE else "1"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=550)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 15
