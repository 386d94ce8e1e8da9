"""Refusals the database itself makes, whoever writes to it.

A charge cannot be changed or removed, nor can an event of the audit log; the end of the log only moves on, by
one; what was spent of a limit never falls. Triggers are put up after every migration, because SQLite drops
those of a table it rebuilds. Emptying a table at once, as `flush` does, is refused too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connections

UNITS = ("epsilon_micro", "delta_femto")
# The only clauses that name both rows. A limit may move, and what is left with it.
REFUND = " OR ".join(f"NEW.limit_{u} - NEW.left_{u} < OLD.limit_{u} - OLD.left_{u}" for u in UNITS)
BACKWARDS = (
    "NEW.count NOT IN (OLD.count, OLD.count + 1) OR NEW.count = OLD.count AND NEW.hash <> OLD.hash "
    "OR NEW.sealed_count < OLD.sealed_count"
)
ALWAYS = "TRUE"
KEPT_VERBS = {"sqlite": ("DELETE",), "postgresql": ("DELETE", "TRUNCATE")}


@dataclass(frozen=True)
class Guard:
    """A table, which changes of a row are refused, in which words, and whether rows must stay."""

    table: str
    refused: str
    reason: str
    kept: bool


GUARDS = (
    Guard("stewardapp_charge", ALWAYS, "charges are only added to", kept=True),
    Guard("stewardapp_auditevent", ALWAYS, "the audit log is only added to", kept=True),
    Guard("stewardapp_audithead", BACKWARDS, "the end of the audit log only moves forward", kept=True),
    *(
        Guard(f"stewardapp_{purse}", REFUND, "what was spent is never given back", kept=False)
        for purse in ("population", "allotment", "allowance")
    ),
)


def install(using: str = "default", **_: Any) -> None:
    """Put the guards up; called after migrations."""
    connection = connections[using]
    if not _is_current(connection):
        return  # an older state of the schema
    with connection.cursor() as cursor:
        for guard in GUARDS:
            for statement in STATEMENTS[connection.vendor](guard):
                cursor.execute(statement)


def _is_current(connection: Any) -> bool:
    """Whether every table is there, with the columns that the guards look at."""
    with connection.cursor() as cursor:
        if not {guard.table for guard in GUARDS} <= set(connection.introspection.table_names(cursor)):
            return False
        described = connection.introspection.get_table_description(cursor, "stewardapp_audithead")
    return any(column.name == "sealed_count" for column in described)


def remove(using: str = "default") -> None:
    """Take the guards down: for tests in which somebody owns the database."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for guard in GUARDS:
            for verb in _verbs(guard, connection.vendor):
                on = f" ON {guard.table}" if connection.vendor == "postgresql" else ""
                cursor.execute(f"DROP TRIGGER IF EXISTS {_name(guard, verb)}{on}")


def _verbs(guard: Guard, vendor: str) -> tuple[str, ...]:
    """What a trigger waits for: where rows must stay, none may go either."""
    return ("UPDATE", *(KEPT_VERBS[vendor] if guard.kept else ()))


def _name(guard: Guard, verb: str) -> str:
    return f"{guard.table}_guard_{verb.lower()}"


def _sqlite(guard: Guard) -> Iterator[str]:
    for verb in _verbs(guard, "sqlite"):
        when = f"WHEN {guard.refused} " if verb == "UPDATE" and guard.refused != ALWAYS else ""
        yield f"DROP TRIGGER IF EXISTS {_name(guard, verb)}"
        yield (
            f"CREATE TRIGGER {_name(guard, verb)} BEFORE {verb} ON {guard.table} FOR EACH ROW {when}"
            f"BEGIN SELECT RAISE(ABORT, '{guard.reason}'); END"
        )


def _postgresql(guard: Guard) -> Iterator[str]:
    """The condition stands in the function: PostgreSQL reads one of a trigger anew for every statement."""
    for verb in _verbs(guard, "postgresql"):
        function = f"{guard.table}_guard" if verb == "UPDATE" else f"{guard.table}_kept"
        each = "STATEMENT" if verb == "TRUNCATE" else "ROW"
        yield (
            f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF {guard.refused if verb == 'UPDATE' else ALWAYS} THEN RAISE EXCEPTION '{guard.reason}' "
            "USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$"
        )
        yield (
            f"CREATE OR REPLACE TRIGGER {_name(guard, verb)} BEFORE {verb} ON {guard.table} "
            f"FOR EACH {each} EXECUTE FUNCTION {function}()"
        )


STATEMENTS = {"sqlite": _sqlite, "postgresql": _postgresql}
