"""Points at which a worker dies, once each, while it stores what a run made."""

import os
import signal
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

POINTS = (
    "before keep 1",
    "after keep 1",
    "after keep 2",
    "after keep 3",
    "before record 1",
    "after record 1",
    "before succeed 1",
    "after succeed 1",
)


def prepare(note: Path) -> None:
    """Have this process die at the point that the note names; the note is gone then."""
    from stewardapp.actions import runs
    from stewardapp.models.job import JobQuerySet
    from worker import runner

    watched: tuple[tuple[Any, str], ...] = ((runner, "keep"), (runs, "record"), (JobQuerySet, "succeed"))
    for owner, name in watched:
        setattr(owner, name, mortal(getattr(owner, name), name, note))


def mortal(function: Callable[..., Any], name: str, note: Path) -> Callable[..., Any]:
    """The same function with a point before and after each of its calls since the note was left."""
    calls = 0

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls = calls + 1 if note.exists() else 0
        die_if(f"before {name} {calls}", note)
        result = function(*args, **kwargs)
        die_if(f"after {name} {calls}", note)
        return result

    return call


def die_if(point: str, note: Path) -> None:
    if note.exists() and note.read_text() == point:
        note.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
