"""The compiler: loaded only where a loop is not kept yet.

A loop that others call is kept with what the compiler needs to join it to them, beside the code alone. The
compiler's own cache looks at the file a loop stands in, not at the loops and constants that it takes from
others, so ours stands in its place.

The compiler tells functions of the same name apart by counting them, and joins what it loads by such names.
Two processes count alike, so that one that loads what both of them made could be given the wrong function
and compute something else without a word. So every process counts from a place of its own.
"""

from __future__ import annotations

import itertools
import os
import pickle
import secrets
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numba
from numba.core import config, serialize, types
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.extending import typeof_impl

from worker.engine.kernels import keeping
from worker.engine.kernels.compiled import Loop
from worker.engine.kernels.loading import Object
from worker.engine.kernels.making import Borrowed, digest

settings: Any = config  # made when numba is loaded
settings.reload_config()
identity: Any = FunctionIdentity
result: Any = CompileResult
pickled: Any = serialize


def count_apart() -> None:
    """Number the functions that this process compiles as no other process does."""
    identity._unique_ids = itertools.count(secrets.randbits(62))


count_apart()
os.register_at_fork(after_in_child=count_apart)


def compiled_for(loop: Loop[..., Any], given: tuple[Any, ...], made_of: str) -> Callable[..., Any]:
    """Compile a loop for arguments like these and keep it."""
    view, kinds = dispatcher(loop), tuple(map(numba.typeof, given))
    view.compile(kinds)
    made = view.overloads[kinds]
    if parts := view._cache.parts.get(kinds):
        (_, _, (code, _)), described, own, *_, referenced = parts
        environments = {one.env_name: list(one.consts) for one in (own, *referenced)}
        kept = Object(code, described.llvm_cpython_wrapper_name, tuple(environments.items()))
        keeping.write(loop, made_of, "code", pickle.dumps(kept))
    called: Callable[..., Any] = made.entry_point
    return called


@cache
def dispatcher(loop: Loop[..., Any]) -> Any:
    """The compiler's view of a loop."""
    made: Any = numba.njit(**loop.targetoptions)(loop.py_func)
    made._cache = Kept(loop)
    return made


@typeof_impl.register(Loop)
def _type_of_loop(value: Loop[..., Any], _: Any) -> Any:
    """What a loop is to the loops that call it."""
    return types.Dispatcher(dispatcher(value))


@typeof_impl.register(Borrowed)
def _type_of_borrowed(value: Borrowed, _: Any) -> Any:
    """What is the compiler's own, as if the loop named it."""
    found = getattr(import_module(value.module), value.name)
    return cpu_target.typing_context.resolve_value_type(found)


class Kept:
    """What was compiled of one loop: what the compiler asks its cache for."""

    def __init__(self, loop: Loop[..., Any]) -> None:
        self._loop = loop
        self.parts: dict[Any, Any] = {}

    def load_overload(self, arguments: Any, target: Any) -> Any:
        """What was compiled for such arguments; None where nothing was."""
        target.refresh()
        if found := keeping.read(self._loop, self._made_of(arguments, target.codegen()), "loop"):
            self.parts[arguments] = found
            return result._rebuild(target, *found)
        return None

    def save_overload(self, arguments: Any, made: Any) -> None:
        """Keep it."""
        parts = self.parts[arguments] = made._reduce()
        name = self._made_of(arguments, made.codegen)
        keeping.write(self._loop, name, "loop", pickled.dumps(parts))

    def _made_of(self, arguments: Any, generator: Any) -> str:
        return digest(self._loop, tuple(map(_kind, arguments)), generator.magic_tuple())


def _kind(argument: Any) -> Any:
    """The compiler's name of an argument's type, with what that name leaves out."""
    if isinstance(argument, types.Dispatcher):
        return argument.dispatcher
    parts = getattr(argument, "types", None)
    if parts is None:
        return f"{type(argument).__name__} {argument}"
    return getattr(argument, "instance_class", tuple), *map(_kind, parts)
