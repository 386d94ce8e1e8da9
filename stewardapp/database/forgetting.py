"""Making the database forget: what was changed or deleted is not to stand in its files any longer.

What counts is that values and keys are never written there in clear; this clears what earlier versions of
the product wrote, and what is deleted anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from django.db import OperationalError
from django.db import connection as default
from django.db.backends.base.base import BaseDatabaseWrapper

PATIENCE_MS = 200  # a page that is being read keeps the log from being cut; the next destruction cuts it


def rewrite(connection: BaseDatabaseWrapper, tables: Sequence[str]) -> None:
    """Write the tables anew without what was in them before; outside of any transaction."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA secure_delete=ON")
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        else:
            for table in tables:
                cursor.execute(f"VACUUM FULL {connection.ops.quote_name(table)}")


def cut_log() -> None:
    """Empty SQLite's write-ahead log, which keeps pages as they were; PostgreSQL does so by itself."""
    if default.vendor != "sqlite":
        return
    with default.cursor() as cursor, suppress(OperationalError):
        cursor.execute("PRAGMA busy_timeout")
        (before,) = cursor.fetchone()
        cursor.execute(f"PRAGMA busy_timeout={PATIENCE_MS}")
        try:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            cursor.execute(f"PRAGMA busy_timeout={before}")
