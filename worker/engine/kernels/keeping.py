"""Where machine code is kept: a file for each loop and kind of arguments, compiled for one stated processor.

Files are looked for beside the sources, where an image brings them along, and then where this user may write.
Processes that need the same loop at once would each compile it, so one does and the others load what it made.
Whoever compiles ahead at low priority holds no lock: nobody who needs a loop now ever waits for that.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import platform
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from worker.engine.kernels.compiled import Loop

Code = Callable[..., Any]

PATIENCE = 30.0
"""Seconds after which a process compiles by itself: whoever holds the lock may be frozen."""

BASELINES = {
    "x86_64": (
        ("x86-64-v3", {"avx2", "bmi1", "bmi2", "fma", "f16c", "abm", "movbe"}),
        ("x86-64-v2", {"sse4_2", "ssse3", "popcnt"}),
    )
}
"""By architecture, the processors that code is compiled for, best first, with what each needs."""
PLAIN = "generic"

_ahead = False


def compile_ahead(ahead: bool = True) -> None:
    """From now on this process compiles what others may need later, or no more: it is not waited for."""
    global _ahead
    _ahead = ahead


@cache
def baseline() -> str:
    """The processor that code is compiled for here: never the very one at hand, so that code can move."""
    has = _features()
    known = BASELINES.get(platform.machine(), ())
    return next((name for name, needed in known if needed <= has), PLAIN)


def _features() -> set[str]:
    with suppress(OSError):
        told = Path("/proc/cpuinfo").read_text("ascii", "replace").splitlines()
        return next((set(line.split()) for line in told if line.startswith("flags")), set())
    return set()


def tell_compiler() -> None:
    """Before it is loaded: the stated processor, and no mathematics that other machines may not have."""
    os.environ.update(NUMBA_CPU_NAME=baseline(), NUMBA_CPU_FEATURES="", NUMBA_DISABLE_INTEL_SVML="1")


def folders() -> tuple[Path, ...]:
    """Where files are looked for; the first that can be written gets new ones."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return (Path(chosen) / "compiled",)
    elsewhere = os.environ.get("STEWARD_KERNELS") or Path.home() / ".cache" / "release-desk"
    return Path(__file__).parent / "__pycache__" / "compiled", Path(elsewhere) / "compiled"


def writable() -> Path:
    """The folder that gets new files."""
    for folder in folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return folders()[-1]


def name_of(loop: Loop[..., Any]) -> str:
    """What a loop's files begin with."""
    return f"{loop.py_func.__module__}.{loop.py_func.__qualname__}"


def kept(loop: Loop[..., Any], made_of: str) -> Code | None:
    """The code that was kept; None where there is none, or none that can be read."""
    if found := read(loop, made_of, "code"):
        from worker.engine.kernels import loading

        return loading.linked(loop.py_func, found)
    return None


def read(loop: Loop[..., Any], made_of: str, ending: str) -> Any:
    """What a file holds; None where there is none, or none that can be read."""
    for folder in folders():
        with suppress(
            OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError, TypeError, ValueError
        ):
            return pickle.loads(_file(folder, loop, made_of, ending).read_bytes())  # noqa: S301 - our own
    return None


def write(loop: Loop[..., Any], made_of: str, ending: str, content: bytes) -> None:
    """Keep it where that is possible; whoever reads meanwhile reads all of it or nothing."""
    with suppress(OSError):
        file = _file(writable(), loop, made_of, ending)
        part = file.with_suffix(f".{secrets.token_hex(8)}")
        try:
            part.write_bytes(content)
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)


def _file(folder: Path, loop: Loop[..., Any], made_of: str, ending: str) -> Path:
    return folder / f"{name_of(loop)}-{made_of[:32]}.{ending}"


@contextmanager
def alone(loop: Loop[..., Any]) -> Iterator[None]:
    """Keep other processes from compiling the loop meanwhile, unless this one compiles ahead."""
    with ExitStack() as held:
        if not _ahead:
            with suppress(OSError):  # where nothing can be kept there is nothing to wait for
                _wait(held.enter_context((writable() / f"{name_of(loop)}.lock").open("ab")))
        yield


def _wait(lock: BinaryIO) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _locked(lock.fileno()) and time.monotonic() < deadline:
        time.sleep(0.02)


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
