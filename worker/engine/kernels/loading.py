"""Machine code linked into this process without its compiler.

A file holds an object as any compiler makes it. What it takes from outside – Python, the compiler's small
runtime for arrays – is looked up by name. Each object is linked by itself: names that two processes gave to
different functions never meet.
"""

from __future__ import annotations

import builtins
import ctypes
import pickle
import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import llvmlite.binding as linker


class Object(NamedTuple):
    """What is kept of a compiled loop."""

    code: bytes
    entry: str
    environments: tuple[tuple[str, list[Any]], ...]
    """Constants that the code takes from Python by the names of their places; its own come first."""


class Runtime(NamedTuple):
    """The parts of the compiler that its code needs while it runs."""

    functions: Any
    helpers: Any
    arrays: Any


def linked(function: Callable[..., Any], kept: Object) -> Callable[..., Any]:
    """The code as something to call."""
    runtime = _runtime()
    engine = _engine()
    engine.add_object_file(linker.ObjectFileRef.from_data(kept.code))
    engine.finalize_object()
    environments = [_placed(engine, runtime, *one) for one in kept.environments]
    made: Callable[..., Any] = runtime.functions.make_function(
        sys.modules[function.__module__],
        function.__name__,
        function.__doc__ or "",
        engine.get_function_address(kept.entry),
        environments[0],
        (engine, environments),  # live as long as the function
    )
    return made


def _placed(engine: Any, runtime: Runtime, name: str, constants: list[Any]) -> Any:
    """Constants, told to the code that names them."""
    environment = runtime.functions.Environment({})
    environment.consts.extend(constants)
    place = (ctypes.c_void_p * 1).from_address(engine.get_global_value_address(name))
    place[0] = ctypes.c_void_p(id(environment))
    return environment


def _engine() -> Any:
    target = linker.Target.from_triple(linker.get_process_triple())
    machine = target.create_target_machine(reloc="static", codemodel="jitdefault", jit=True)
    return linker.create_mcjit_compiler(linker.parse_assembly(""), machine)


@cache
def _restored(content: bytes) -> Any:
    return pickle.loads(content)  # noqa: S301 - part of our own code


def _object_in_code(place: int, size: int, _: int) -> Any:
    """A class or a refusal that code holds in itself. The runtime's own way loads the whole compiler."""
    return _restored(ctypes.string_at(place, size))


_OBJECT_IN_CODE = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(
    _object_in_code
)


@cache
def _runtime() -> Runtime:
    """Loaded once, and told to the linker by the names that the compiler gives to its parts."""
    linker.initialize_native_target()
    linker.initialize_native_asmprinter()
    found = Runtime(_part("_dynfunc"), _part("_helperlib"), _part("core.runtime._nrt_python"))
    found.arrays.memsys_use_cpython_allocator()
    linker.add_symbol("_Py_NoneStruct", id(None))
    for part in (found.functions, found.helpers):
        for name, address in part.c_helpers.items():
            linker.add_symbol(f"numba_{name}", address)
    linker.add_symbol("numba_unpickle", ctypes.cast(_OBJECT_IN_CODE, ctypes.c_void_p).value)
    for name, address in found.arrays.c_helpers.items():
        linker.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            linker.add_symbol(f"PyExc_{name}", id(value))
    return found


def _part(name: str) -> ModuleType:
    """An extension module of the compiler without the package around it, which loads everything."""
    full = f"numba.{name}"
    if full in sys.modules:
        return sys.modules[full]
    package: ModuleSpec | None = find_spec("numba")
    assert package is not None
    assert package.origin is not None
    (file,) = Path(package.origin).parent.glob(f"{name.replace('.', '/')}.*.so")
    spec = spec_from_file_location(full, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
