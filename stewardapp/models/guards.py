"""Refusals the database itself makes, whoever writes to it.

A charge cannot be changed or removed, and what was spent of a limit never falls. Triggers are put up after
every migration, because SQLite drops those of a table it rebuilds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import connections

KEPT = "stewardapp_charge"
PURSES = ("stewardapp_population", "stewardapp_allotment", "stewardapp_allowance")
UNITS = ("epsilon_micro", "delta_femto")
# The only clause that names both rows: a limit may move, and what is left with it.
REFUND = " OR ".join(f"NEW.limit_{u} - NEW.left_{u} < OLD.limit_{u} - OLD.left_{u}" for u in UNITS)


def install(using: str = "default", **_: Any) -> None:
    """Put the guards up; called after migrations."""
    connection = connections[using]
    if KEPT not in connection.introspection.table_names():
        return  # an older state of the schema
    with connection.cursor() as cursor:
        for statement in STATEMENTS[connection.vendor]():
            cursor.execute(statement)


def remove(using: str = "default") -> None:
    """Take the guards down: for emptying a test's database."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for table, condition, _ in _guarded():
            for name, _ in _triggers(table, condition):
                on = f" ON {table}" if connection.vendor == "postgresql" else ""
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}{on}")


def _guarded() -> Iterator[tuple[str, str, str]]:
    """Table, condition, what is said."""
    yield KEPT, "", "charges are only added to"
    for table in PURSES:
        yield table, REFUND, "what was spent is never given back"


def _triggers(table: str, condition: str) -> Iterator[tuple[str, str]]:
    """Name and verb of each trigger of a table: where nothing may change, nothing may go either."""
    for verb in ("UPDATE",) if condition else ("UPDATE", "DELETE"):
        yield f"{table}_guard_{verb.lower()}", verb


def _sqlite() -> Iterator[str]:
    for table, condition, reason in _guarded():
        for name, verb in _triggers(table, condition):
            when = f"WHEN {condition} " if condition else ""
            yield f"DROP TRIGGER IF EXISTS {name}"
            yield (
                f"CREATE TRIGGER {name} BEFORE {verb} ON {table} FOR EACH ROW {when}"
                f"BEGIN SELECT RAISE(ABORT, '{reason}'); END"
            )


def _postgresql() -> Iterator[str]:
    """The condition stands in the function: PostgreSQL reads one of a trigger anew for every statement."""
    for table, condition, reason in _guarded():
        yield (
            f"CREATE OR REPLACE FUNCTION {table}_guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF {condition or 'TRUE'} THEN RAISE EXCEPTION '{reason}' "
            "USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$"
        )
        for name, verb in _triggers(table, condition):
            yield (
                f"CREATE OR REPLACE TRIGGER {name} BEFORE {verb} ON {table} "
                f"FOR EACH ROW EXECUTE FUNCTION {table}_guard()"
            )


STATEMENTS = {"sqlite": _sqlite, "postgresql": _postgresql}
