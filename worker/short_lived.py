"""What a process that ends with its one job need not do."""

import atexit
import gc
import os
import sys
from types import ModuleType
from typing import Any, NoReturn


def short_lived() -> None:
    """Look for unreachable objects less often, and never at the end: the memory goes with the process."""
    gc.set_threshold(5_000)
    atexit.register(gc.freeze)
    arrow_alone()
    no_plugins()


def leave(code: int) -> NoReturn:
    """End at once: to take an interpreter apart costs as much as a small job, and the memory goes anyway."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # nobody listens any more, which Python tells in its own way
        sys.exit(code)
    os._exit(code)


def no_plugins() -> None:
    """Pydantic reads what is written of every installed package to find plugins. It has none here."""
    nobody: Any = ModuleType("pydantic.plugin._loader")
    nobody.get_plugins = tuple
    sys.modules.setdefault(nobody.__name__, nobody)


def arrow_alone() -> None:
    """Arrow loads pandas at its first array, to recognise what is made by it. It never gets any here."""
    import pyarrow

    sys.meta_path.insert(0, NoPandas)
    try:
        pyarrow.array([None])
    finally:
        sys.meta_path.remove(NoPandas)


class NoPandas:
    """Says that it is not there."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Nothing is known of any other module."""
        if name == "pandas":
            raise ImportError(name)
