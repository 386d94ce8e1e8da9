"""What the real actions made once in this process is put back, row by row, into every empty database."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import connection

from stewardapp import keyring
from stewardapp.models import AuditHead, User

T = TypeVar("T")
SEAL = "audit log"


@dataclass(frozen=True)
class Made:
    """The rows by table, the key that seals their log, and what the maker returned."""

    rows: dict[str, list[tuple[Any, ...]]]
    seal: bytes
    returned: bytes


_made: dict[str, Made] = {}


def once(name: str, make: Callable[[], T]) -> T:
    """What `make` returns and writes; made anew where something was written before, or under another key."""
    if connection.vendor != "sqlite" or User.objects.exists() or AuditHead.objects.exists():
        return make()
    kept = _made.get(name)
    if kept is not None and keyring.seal_of(SEAL) == kept.seal:
        put(kept.rows)
        returned: T = pickle.loads(kept.returned)
        return returned
    before = dict(counted())
    made = make()
    rows = {table: rows_of(table) for table, number in counted() if number != before[table]}
    if all(before[table] == 0 for table in rows):
        _made[name] = Made(rows, keyring.seal_of(SEAL), pickle.dumps(made))
    return made


def counted() -> Iterator[tuple[str, int]]:
    """Every table and how many rows it has."""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT count(*) FROM "{table}"')
            yield table, cursor.fetchone()[0]


def rows_of(table: str) -> list[tuple[Any, ...]]:
    """All rows of a table as the database has them."""
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT * FROM "{table}"')
        return list(cursor.fetchall())


def put(rows: dict[str, list[tuple[Any, ...]]]) -> None:
    """Write these rows; references between them are checked at the end of the transaction."""
    with connection.cursor() as cursor:
        for table, lines in rows.items():
            places = ", ".join(["%s"] * len(lines[0]))
            cursor.executemany(f'INSERT INTO "{table}" VALUES ({places})', lines)
