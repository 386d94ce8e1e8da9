"""The peers' own environment, made when it is first needed and again when what it holds changes."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FOLDER = HERE / ".venv"
REQUIREMENTS = HERE / "requirements.txt"
STAMP = FOLDER / "requirements.sha256"


def python() -> Path:
    """The interpreter of the environment."""
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if not STAMP.exists() or STAMP.read_text() != wanted:
        print("installing the peers …", file=sys.stderr)
        shutil.rmtree(FOLDER, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
        pip = (str(FOLDER / "bin" / "python"), "-m", "pip", "install", "--quiet")
        subprocess.run([*pip, "--requirement", str(REQUIREMENTS)], check=True)
        STAMP.write_text(wanted)
    return FOLDER / "bin" / "python"


def measured(work: str, data: Path) -> float:
    """Seconds of the processor that a peer takes for its work, reading the data aside."""
    told = subprocess.run(
        [python(), HERE / "theirs.py", work, data], check=True, stdout=subprocess.PIPE, text=True
    )
    answer: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
    print(f"  {work}: {answer['told']}", file=sys.stderr)
    return float(answer["seconds"])
