"""Loops that run as machine code. Import modules that use this inside `plan` and `transform` only: the web
process describes methods without loading one.

What a loop was compiled to is kept in a file of its own (`keeping.py`), named after what it was made of
(`making.py`), and linked into the process that calls it (`loading.py`). The compiler itself (`compiling.py`)
takes longer to load than most runs do: it is loaded only where there is something to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from worker.engine.kernels import keeping
from worker.engine.kernels.keeping import Code
from worker.engine.kernels.making import digest

P = ParamSpec("P")
R = TypeVar("R")

Kind = Any
"""What a compiler must know of an argument: a class, an array's numbers and layout, or a tuple of kinds."""

C_ORDER, F_ORDER, WRITEABLE = 0x1, 0x2, 0x400
LAYOUTS = {
    order | writeable: ("C" if order & C_ORDER else "F" if order else "A", bool(writeable))
    for order in range(4)
    for writeable in (0, WRITEABLE)
}
LARGEST = 2**63

_one_at_a_time = RLock()


class Loop(Generic[P, R]):
    """A function that is compiled for each kind of arguments it is called with."""

    def __init__(self, function: Callable[P, R], **options: Any) -> None:
        # The compiler knows what it may copy into others by attributes of these names.
        self.py_func, self.targetoptions = function, options
        self._codes: dict[Kind, Code] = {}
        update_wrapper(self, function)

    def __call__(self, *given: P.args, **named: P.kwargs) -> R:
        """Run the machine code; named arguments have no place in it."""
        if named:
            raise TypeError("A compiled loop takes its arguments in order.")
        made: R = self._code(given)(*given)
        return made

    def prepare(self, given: tuple[Any, ...]) -> None:
        """Load or compile it for arguments like these without running it."""
        self._code(given)

    def _code(self, given: tuple[Any, ...]) -> Code:
        kinds = tuple(map(_kind, given))
        return self._codes.get(kinds) or self._obtained(kinds, given)

    def _obtained(self, kinds: tuple[Kind, ...], given: tuple[Any, ...]) -> Code:
        with _one_at_a_time:
            if kinds not in self._codes:
                made_of = digest(self, kinds, keeping.baseline())
                self._codes[kinds] = keeping.kept(self, made_of) or _compiled(self, given, made_of)
            return self._codes[kinds]


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compile at the first call, keep the result on disk, let other threads run meanwhile."""
    return Loop(function, nogil=True, _nrt=True)


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """For a loop that allocates nothing: large tuples of arrays are passed without counting references."""
    return Loop(function, nogil=True, _nrt=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Copied into its callers: for parts of one loop that share much state."""
    return Loop(function, inline="always")


def prepare(loop: Callable[..., Any], *given: Any) -> None:
    """Compile or load a loop for arguments like these without running it."""
    assert isinstance(loop, Loop)
    loop.prepare(given)


def _compiled(loop: Loop[..., Any], given: tuple[Any, ...], made_of: str) -> Code:
    """Made by the compiler here, unless another process made it while we waited for our turn."""
    with keeping.alone(loop):
        if code := keeping.kept(loop, made_of):
            return code
        keeping.tell_compiler()
        from worker.engine.kernels import compiling

        return compiling.compiled_for(loop, given, made_of)


def _kind(value: Any) -> Kind:
    if isinstance(value, np.ndarray):
        layout = LAYOUTS[value.flags.num & (C_ORDER | F_ORDER | WRITEABLE)]
        return value.dtype, value.ndim, layout
    if isinstance(value, tuple):
        return type(value), *map(_kind, value)
    if isinstance(value, Loop):
        return value
    if type(value) is int and not -LARGEST <= value < LARGEST:
        return np.uint64
    return type(value)
