"""Points at which a worker or its engine dies, once each, while a run is paid for, answered and stored."""

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


# Where a run that costs something dies, and whether its answer can still be shown afterwards.
PAID_POINTS = {
    "before charge_run 1": True,
    "before record_event 1": True,  # inside the transaction of the charge: nothing was charged
    "after record_event 1": True,
    "after charge_run 1": True,
    "before run_engine 1": True,
    "before make 1": True,
    "after make 1": False,  # the mark is there: noise may have been drawn
    "before _link 1": False,
    "after _link 1": False,
    "before _link 5": False,
    "after _link 5": True,
    "after run_engine 1": True,
    "after keep 1": True,
    "before succeed 1": True,
    "after succeed 1": True,
}


# The same for a question put to a query desk.
ASKED_POINTS = {
    "before charge_query 1": True,
    "before record_event 1": True,  # inside the transaction of the charge
    "after charge_query 1": True,  # charged and marked
    "before run_engine 1": True,  # charged, and nothing was drawn yet
    "before make 1": True,
    "after make 1": False,  # the mark is there: noise may have been drawn
    "before _link 1": False,
    "after _link 1": False,
    "before _link 2": False,
    "after _link 2": True,
    "after run_engine 1": True,
    "before keep 1": True,
    "after keep 1": True,
    "before record 1": True,
    "before succeed 1": True,
    "after succeed 1": True,
    "after record 1": True,  # answered: the transaction is committed
}


def prepare_engine(note: Path) -> None:
    """The same for the engine's process."""
    from worker.process import files as opened_files
    from worker.process.drawn import Mark

    Mark.make = mortal(Mark.make, "make", note)  # type: ignore[method-assign]
    opened_files.Files._link = mortal(opened_files.Files._link, "_link", note)  # type: ignore[method-assign]


def prepare(note: Path) -> None:
    """Have this process die at the point that the note names; the note is gone then."""
    from stewardapp.actions import audit, ledger, queries, runs
    from stewardapp.models.job import JobQuerySet
    from worker.jobs import query as asking
    from worker.jobs import run as anonymizing
    from worker.process import engines

    watched: tuple[tuple[Any, str], ...] = (
        (engines, "keep"),
        (runs, "record"),
        (queries, "record"),
        (JobQuerySet, "succeed"),
        (ledger, "charge_run"),
        (ledger, "charge_query"),
        (anonymizing, "run_engine"),
        (asking, "run_engine"),
    )
    for owner, name in watched:
        setattr(owner, name, mortal(getattr(owner, name), name, note))
    audit.record = mortal(audit.record, "record_event", note)


def mortal(function: Callable[..., Any], name: str, note: Path) -> Callable[..., Any]:
    """The same function with a point before and after each of its calls since the note was left."""
    calls, left = 0, ""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls, left
        said = text_of(note)
        calls, left = (calls + 1 if said == left else 1), said
        die_if(f"before {name} {calls}", note)
        result = function(*args, **kwargs)
        die_if(f"after {name} {calls}", note)
        return result

    return call


def die_if(point: str, note: Path) -> None:
    if text_of(note) == point:
        note.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


def text_of(note: Path) -> str:
    """What the note says; nothing once somebody else has died of it."""
    try:
        return note.read_text()
    except FileNotFoundError:
        return ""
