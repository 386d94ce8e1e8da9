"""Loops compiled to machine code. Import modules that use this inside `plan` and `transform` only:
the web process describes methods without loading a compiler.

The compiler notices a changed source file, but not that a loop called from another file changed. So the
cache lies in a folder named after the content of all compiled files: nothing stale is ever loaded.

Processes that need the same loop at once would each compile it, and the compiler's index of what is cached
is not safe when two write it. So a loop is compiled by one process, and the others load what it made.

The compiler tells functions of the same name apart by counting them, and links what it loads by such names.
Two processes count alike, so that one that loads what both of them made could be given the wrong function
and compute something else without a word. So every process counts from a place of its own.
"""

from __future__ import annotations

import fcntl
import hashlib
import itertools
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
from numba.core import config as settings
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler_lock import global_compiler_lock

P = ParamSpec("P")
R = TypeVar("R")

PATIENCE = 120.0
"""Seconds after which a process compiles by itself: whoever holds the lock may be frozen."""

READY: set[Any] = set()
"""Loops prepared in this process."""

config: Any = settings  # its settings are made when numba is loaded


def _cache_folder() -> Path:
    """Where this version is cached: the compiler's own setting, else beside the sources, else at home."""
    here = Path(__file__).parent
    content = hashlib.sha256()
    for source in sorted(here.parent.rglob("*.py")):
        text = source.read_bytes()
        if b"algorithms.compiled import" in text:
            content.update(text)
    beside = here / "__pycache__" if os.access(here, os.W_OK) else Path.home() / ".cache" / "release-desk"
    return Path(config.CACHE_DIR or beside) / f"compiled-{content.hexdigest()[:16]}"


def count_apart() -> None:
    """Number the functions that this process compiles as no other process does."""
    identity: Any = FunctionIdentity
    identity._unique_ids = itertools.count(secrets.randbits(62))


FOLDER = _cache_folder()
config.CACHE_DIR = str(FOLDER)
count_apart()
os.register_at_fork(after_in_child=count_apart)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile at the first call, keep the result on disk, let other threads run meanwhile."""
    return _made(function, nogil=True, _nrt=True)


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """For a loop that allocates nothing: large tuples of arrays are passed without counting references."""
    return _made(function, nogil=True, _nrt=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Copied into its callers: for parts of one loop that share much state."""
    return _made(function, inline="always")


def prepare(loop: Callable[..., Any], *given: Any) -> None:
    """Compile or load a loop for arguments like these without running it, once in a process."""
    made: Any = loop
    kind_of: Any = numba.typeof
    if made not in READY:  # telling the types of so many arrays takes longer than some searches
        made.compile(tuple(kind_of(one) for one in given))
        READY.add(made)


def _made(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    made: Any = numba.njit(cache=True, **options)(function)
    compile_or_load = made.compile

    def compile_once(signature: Any) -> Any:
        # The compiler's own lock comes first, so that threads of one process never wait for each other here.
        with global_compiler_lock, _alone(f"{function.__module__}.{function.__qualname__}"):
            return compile_or_load(signature)

    made.compile = compile_once
    loop: Callable[P, R] = made
    return loop


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Keep other processes from compiling the loop of that name meanwhile."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.lock").open("ab") as lock:
        deadline = time.monotonic() + PATIENCE
        while not _locked(lock.fileno()) and time.monotonic() < deadline:
            time.sleep(0.02)
        yield


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
