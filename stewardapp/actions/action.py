"""What every action is: one transaction that leaves exactly one audit event, or nothing at all."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import models, transaction

P = ParamSpec("P")
R = TypeVar("R")
Row = TypeVar("Row", bound=models.Model)

_events: ContextVar[list[int] | None] = ContextVar("events of the current action", default=None)


class AuditMissing(AssertionError):
    """An action is written wrongly: it did not leave exactly one audit event. Everything was undone."""


def action(function: Callable[P, R]) -> Callable[P, R]:
    """Run the function in one transaction and refuse to commit it without its one audit event."""

    @wraps(function)
    def in_one_transaction(*args: P.args, **kwargs: P.kwargs) -> R:
        events: list[int] = []
        token = _events.set(events)
        try:
            with transaction.atomic():
                result = function(*args, **kwargs)
                if len(events) != 1:
                    raise AuditMissing(f"{function.__name__} left {len(events)} audit events")
        finally:
            _events.reset(token)
        return result

    in_one_transaction.__dict__["is_action"] = True
    return in_one_transaction


def count_event(number: int) -> None:
    """Tell the action that is running, if one is, that an audit event was written."""
    events = _events.get()
    if events is not None:
        events.append(number)


def locked(row: Row) -> Row:
    """The row as it is now, locked until the end of the transaction where the database locks rows."""
    return type(row)._default_manager.select_for_update(no_key=True).get(pk=row.pk)
