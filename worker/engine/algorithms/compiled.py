"""Loops compiled to machine code. Import modules that use this inside `plan` and `transform` only:
the web process describes methods without loading a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile at the first call, keep the result on disk, let other threads run meanwhile."""
    made: Callable[P, R] = numba.njit(cache=True, nogil=True)(function)
    return made
