"""What is dear to make and the same for every test process: made once for the code as it is, then copied."""

import fcntl
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MADE_FROM = ("stewardapp/**/*.py", "tests/services.py", "tests/site.py", "requirements.txt")
DAY = 24 * 3600.0


def kept(name: str, make: Callable[[Path], None]) -> Path:
    """A folder that `make` filled, only to be copied from; whoever comes first makes it, others wait."""
    shelf = Path(os.environ["STEWARD_DATA"]).parent / "steward-kept"
    shelf.mkdir(mode=0o755, parents=True, exist_ok=True)
    place = shelf / f"{name}-{code_as_it_is()}"
    with (shelf / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            forget_old(shelf)
            part = shelf / f"{name}.part"
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            make(part)
            part.rename(place)
    os.utime(place)
    return place


def forget_old(shelf: Path) -> None:
    """Keep nothing that nobody has copied for a day."""
    for place in shelf.iterdir():
        if place.is_dir() and place.stat().st_mtime < time.time() - DAY:
            shutil.rmtree(place, ignore_errors=True)


@cache
def code_as_it_is() -> str:
    """A name for the state of all that a database is made from."""
    files = sorted(path for pattern in MADE_FROM for path in ROOT.glob(pattern))
    digest = hashlib.sha256(sys.version.encode())
    for path in files:
        digest.update(f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]
