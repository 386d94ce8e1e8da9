"""Loops compiled to machine code. Import modules that use this inside `plan` and `transform` only:
the web process describes methods without loading a compiler.

The compiler notices a changed source file, but not that a loop called from another file changed. So the
cache lies in a folder named after the content of all compiled files: nothing stale is ever loaded.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
from numba.core import config as settings

P = ParamSpec("P")
R = TypeVar("R")

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


FOLDER = _cache_folder()
config.CACHE_DIR = str(FOLDER)


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile at the first call, keep the result on disk, let other threads run meanwhile."""
    return _made(function, nogil=True, _nrt=True)


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """For a loop that allocates nothing: large tuples of arrays are passed without counting references."""
    return _made(function, nogil=True, _nrt=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Copied into its callers: for parts of one loop that share much state."""
    return _made(function, inline="always")


def _made(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    made: Callable[P, R] = numba.njit(cache=True, **options)(function)
    return made
