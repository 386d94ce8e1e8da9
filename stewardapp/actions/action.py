"""What every action is: one transaction that leaves exactly one audit event, or nothing at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import connection, models, transaction

P = ParamSpec("P")
R = TypeVar("R")
Row = TypeVar("Row", bound=models.Model)

_events: ContextVar[list[int] | None] = ContextVar("events of the current action", default=None)


class AuditMissing(AssertionError):
    """An action is written wrongly: it did not leave exactly one audit event. Everything was undone."""


def action(function: Callable[P, R]) -> Callable[P, R]:
    """Run the function in one transaction and refuse to commit it without its one audit event."""
    return _with_one_event(function, transaction.atomic)


def brief_action(function: Callable[P, R]) -> Callable[P, R]:
    """The same for an action that is one statement on PostgreSQL: there the statement is the transaction.

    A transaction of ours would hold its locks until we have heard of the statement's end and answered.
    """
    return _with_one_event(function, _statement_or_transaction)


def is_one_statement() -> bool:
    """Whether the database does the whole of a brief action in one statement."""
    return connection.vendor == "postgresql"


def _statement_or_transaction() -> AbstractContextManager[None]:
    alone = is_one_statement() and not connection.in_atomic_block
    return nullcontext() if alone else transaction.atomic()


def _with_one_event(
    function: Callable[P, R], transacted: Callable[[], AbstractContextManager[None]]
) -> Callable[P, R]:
    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        events: list[int] = []
        token = _events.set(events)
        try:
            with transacted():
                result = function(*args, **kwargs)
                if len(events) != 1:
                    raise AuditMissing(f"{function.__name__} left {len(events)} audit events")
        finally:
            _events.reset(token)
        return result

    wrapped.__dict__["is_action"] = True
    return wrapped


def is_running() -> bool:
    """Whether an action runs, which will leave its audit event."""
    return _events.get() is not None


def count_event(number: int) -> None:
    """Tell the action that is running, if one is, that an audit event was written."""
    events = _events.get()
    if events is not None:
        events.append(number)


def locked(row: Row, *beside: str) -> Row:
    """The row as it is now, locked until the end of the transaction where the database locks rows.

    What it names is fetched `beside` it and not locked.
    """
    rows = type(row)._default_manager.select_for_update(no_key=True, of=("self",))
    return rows.select_related(*beside).get(pk=row.pk) if beside else rows.get(pk=row.pk)
