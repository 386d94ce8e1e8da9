"""Everything the engine may refuse with, in a tree by what the caller does about it.

A message says what is wrong, where, and how to mend it. It never holds a data value.
"""

from __future__ import annotations

import errno
import traceback
from dataclasses import dataclass
from typing import TypedDict


class EngineError(Exception):
    """The input or the recipe is wrong; the steward can mend it."""

    def __init__(self, code: str, message: str, param: str | None = None, step: int | None = None) -> None:
        super().__init__(code, message, param, step)  # all arguments, so that pickling keeps them
        self.code = code
        self.message = message
        self.param = param
        self.step = step

    def __str__(self) -> str:
        return self.message

    @property
    def sentence(self) -> str:
        """The message for a page that shows it beside its place: without the path of a recipe file."""
        where = self.param or ""
        rest = self.message.removeprefix(f"{where}: ")
        if rest != self.message and (column := self.column) and repr(column) not in rest:
            return f"Column {column!r}: {rest}"
        return rest[:1].upper() + rest[1:]

    @property
    def column(self) -> str | None:
        """The column whose declaration the refusal is about, when it is about one."""
        return column_named(self.param or "")

    def at_step(self, step: int) -> EngineError:
        """The same refusal, told which step of the recipe it belongs to."""
        self.step = step if self.step is None else self.step
        self.args = (self.code, self.message, self.param, self.step)
        return self


def column_named(param: str) -> str | None:
    """The column in a path such as `columns.sex.categories`; a name may hold points itself."""
    named, _, path = param.partition("columns.")
    return None if named or not path else path.rpartition(".")[0] or path


class MendJson(TypedDict):
    """A change of a recipe as JSON spells it."""

    part: str
    at: int | None
    param: str
    value: float


@dataclass(frozen=True)
class Mend:
    """One change of a recipe: a parameter of goal `at`, or of the step that failed, and its new value."""

    part: str
    at: int | None
    param: str
    value: int | float

    def as_dict(self) -> MendJson:
        """Plain JSON."""
        return MendJson(part=self.part, at=self.at, param=self.param, value=self.value)


class NoSolution(EngineError):
    """The recipe is sound, but no allowed transformation satisfies its goals.

    `mends` are changes with which there would have been one.
    """

    mends: tuple[Mend, ...] = ()


class LimitExceeded(EngineError):
    """Ended by a limit. Codes: time-limit, memory, rows."""


class Cancelled(Exception):
    """Somebody asked for the job to stop, and it stopped at a checkpoint."""


def is_out_of_memory(error: BaseException) -> bool:
    """A thread whose stack found no room says so in its own way, and so does the system."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and "can't start new thread" in str(error)


def frames(error: BaseException) -> list[str]:
    """Where an exception passed, without what it said."""
    return [f"{one.filename}:{one.lineno} {one.name}" for one in traceback.extract_tb(error.__traceback__)]
