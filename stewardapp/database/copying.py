"""The database as one file and back: by its own means, so that a copy is of one moment while others write."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from django.db import connection

from stewardapp.env import inherited

SECONDS = 24 * 3600


class Unable(Exception):
    """The database cannot be copied or filled; says why."""


def dump(target: Path) -> None:
    """Write the database to a new file."""
    target.touch(mode=0o600, exist_ok=False)
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(target)) as copy:
            connection.connection.backup(copy)
        return
    _run("pg_dump", "--format=custom", "--no-owner", f"--file={target}", _name())


def load(source: Path) -> None:
    """Fill the empty database from such a file."""
    if connection.introspection.table_names():
        raise Unable("The database is not empty. Name an empty one: nothing is ever overwritten.")
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(source)) as copy:
            copy.backup(connection.connection)
        return
    _run(
        "pg_restore",
        "--exit-on-error",
        "--no-owner",
        "--single-transaction",
        f"--dbname={_name()}",
        str(source),
    )


def _name() -> str:
    return str(connection.settings_dict["NAME"])


def _run(program: str, *arguments: str) -> None:
    """One of PostgreSQL's own programs; the password is no argument, which others could read."""
    if (path := shutil.which(program)) is None:
        raise Unable(f"{program} is not there: install the client programs of PostgreSQL.")
    done = subprocess.run(
        [path, *arguments], env=_environment(), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if done.returncode:
        said = next(iter(done.stderr.strip().splitlines()), "it does not say why")
        raise Unable(f"{program} failed: {said}")


def _environment() -> dict[str, str]:
    """Where the server is, as our own connection found it."""
    connection.ensure_connection()
    info = connection.connection.info
    named = {"PGHOST": info.host, "PGPORT": info.port, "PGUSER": info.user, "PGPASSWORD": info.password}
    return inherited({name: str(value) for name, value in named.items() if value})
