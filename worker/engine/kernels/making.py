"""What a compiled loop is made of, as one digest: its code, the loops it calls, the values it freezes.

Read from the function as it is loaded, never from a file: however files are edited, moved or joined, what was
compiled of other code has another digest.
"""

from __future__ import annotations

import dis
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, singledispatch
from importlib.util import find_spec
from pathlib import Path
from types import BuiltinFunctionType, CodeType, EllipsisType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

Seen = set[object]


@dataclass(frozen=True)
class Borrowed:
    """Something of the compiler's own that a loop calls, by where it stands: nobody else loads it."""

    module: str
    name: str

    def __call__(self, *_: Any) -> Any:
        """For the checker of types alone."""
        raise TypeError("Only compiled loops call this.")


FOREIGN = frozenset({"builtins", "math", "numba", "numpy"})
"""Packages known by their versions."""
LOAD_GLOBAL, EXTENDED = dis.opmap["LOAD_GLOBAL"], dis.opmap["EXTENDED_ARG"]


@cache
def versions() -> str:
    """What compiles here, told without loading it."""
    (compiler,) = find_spec("numba").submodule_search_locations  # type: ignore[union-attr, misc]
    compiler_is = (Path(compiler) / "_version.py").read_text(encoding="utf-8")
    return f"python {sys.version} numpy {np.__version__} numba {compiler_is}"


def digest(loop: Callable[..., Any], arguments: Iterable[Any], machine: object) -> str:
    """Changes with the loop, with the kinds of its arguments, and with the machine it is compiled for."""
    told = (versions(), repr(machine), _told(loop, set()), *(_told(one, set()) for one in arguments))
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


@singledispatch
def _told(value: Any, seen: Seen) -> str:
    """Everything about a value that a compiler may copy into the loop that names it."""
    if hasattr(value, "py_func"):  # a loop
        return f"{sorted(map(str, value.targetoptions.items()))} {_told(value.py_func, seen)}"
    raise TypeError(f"A compiled loop may not name a {_name(type(value))}: nobody would notice it change.")


@_told.register(bool | int | float | complex | str | bytes)
@_told.register(NoneType | EllipsisType | np.generic | np.dtype)
def _plain(value: Any, _: Seen) -> str:
    return f"{_name(type(value))} {value!r}"


@_told.register(np.ndarray)
def _array(value: np.ndarray[Any, Any], _: Seen) -> str:
    return f"array {value.dtype} {value.shape} {value.tobytes().hex()}"


@_told.register
def _tuple(value: tuple, seen: Seen) -> str:  # type: ignore[type-arg]
    return f"{_told(type(value), seen)} {[_told(one, seen) for one in value]}"


@_told.register
def _class(value: type, _: Seen) -> str:
    return f"class {_name(value)} {getattr(value, '_fields', ())}"


@_told.register
def _borrowed(value: Borrowed, _: Seen) -> str:
    return repr(value)


@_told.register(ModuleType | BuiltinFunctionType | np.ufunc)
def _named(value: Any, _: Seen) -> str:
    return f"{type(value).__name__} {value.__name__}"


@_told.register
def _function(value: FunctionType, seen: Seen) -> str:
    name = _name(value)
    if value in seen or value.__module__.partition(".")[0] in FOREIGN:
        return name
    seen.add(value)
    given = (*(value.__defaults__ or ()), *(cell.cell_contents for cell in value.__closure__ or ()))
    frozen = (*given, *_globals(value.__code__, value.__globals__))
    return f"{name} {_told(value.__code__, seen)} {[_told(one, seen) for one in frozen]}"


@_told.register
def _code(value: CodeType, seen: Seen) -> str:
    names = (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
    shape = (value.co_argcount, value.co_kwonlyargcount, value.co_flags)
    constants = [_told(one, seen) for one in value.co_consts]
    return f"{value.co_code.hex()} {value.co_exceptiontable.hex()} {names} {shape} {constants}"


def _globals(code: CodeType, known: dict[str, Any]) -> Iterator[Any]:
    """What the code names outside itself, also as parts of modules that are not known by their versions."""
    for name in sorted(set(_named_globals(code))):
        value = known.get(name)
        yield value
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] not in FOREIGN:
            yield from (getattr(value, part) for part in sorted(code.co_names) if hasattr(value, part))
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _globals(inner, known)


def _named_globals(code: CodeType) -> Iterator[str]:
    """The names that its instructions load, read without taking each of them apart."""
    place, steps = 0, code.co_code
    for step in range(0, len(steps), 2):
        place = place << 8 | steps[step + 1]
        if steps[step] == EXTENDED:
            continue
        if steps[step] == LOAD_GLOBAL:
            yield code.co_names[place >> 1]  # its last bit tells something else
        place = 0


def _name(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"
