"""Installations for tests: on one machine (SQLite, spool) and as a site (PostgreSQL, Valkey).

The migrated databases that all of them begin with are made once for all test processes.
"""

import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.kept import kept
from tests.s3 import s3_server
from tests.services import TEMPLATE, fresh_database, postgres_server, valkey_server
from tests.site import Site, inhabited, migrated, sqlite_copy

__all__ = [
    "any_site",
    "django_db_keepdb",
    "django_db_modify_db_settings",
    "embedded_site",
    "one_day",
    "postgres_server",
    "s3_server",
    "server_site",
    "sqlite_template",
    "valkey_server",
]
NIGHT = 60
"""So many seconds before midnight a test of one day waits for the next one."""


@pytest.fixture
def one_day() -> None:
    """No midnight passes during the test: one that is near passes first."""
    left = 86_400 - time.time() % 86_400
    if left < NIGHT:
        time.sleep(left)


@pytest.fixture(scope="session")
def sqlite_template(django_db_blocker: Any) -> Path:
    """A migrated SQLite file to copy."""

    def make(place: Path) -> None:
        with django_db_blocker.unblock():
            migrated(f"sqlite:///{place}/steward.sqlite3")

    return kept("sqlite", make) / "steward.sqlite3"


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The database of tests in this process begins as a copy, below, and needs no migrating."""
    return True


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, sqlite_template: Path
) -> None:
    """Put the copy where this process expects its database."""
    database = Path(settings.DATABASES["default"]["TEST"]["NAME"])
    for old in database.parent.glob(f"{database.name}*"):
        old.unlink()
    shutil.copy(sqlite_template, database)


def new_site(kind: str, request: pytest.FixtureRequest, data: Path, stack: ExitStack) -> Site:
    """An installation of one kind, empty, which this process is part of until the stack ends."""
    data.mkdir()
    if kind == "embedded":
        database = sqlite_copy(request.getfixturevalue("sqlite_template"), data)
        broker = f"spool://{data}/spool"
    else:
        server = request.getfixturevalue("postgres_server")
        database = stack.enter_context(fresh_database(server, TEMPLATE))
        broker = request.getfixturevalue("valkey_server")()
    stack.enter_context(request.getfixturevalue("django_db_blocker").unblock())
    return stack.enter_context(inhabited(Site(data, database, broker)))


@pytest.fixture
def embedded_site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """One machine without servers."""
    with ExitStack() as stack:
        yield new_site("embedded", request, tmp_path / "data", stack)


@pytest.fixture
def server_site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """PostgreSQL and Valkey."""
    with ExitStack() as stack:
        yield new_site("server", request, tmp_path / "data", stack)


@pytest.fixture(params=["embedded", pytest.param("server", marks=pytest.mark.postgres)])
def any_site(request: pytest.FixtureRequest) -> Site:
    """Both, one after the other."""
    site: Site = request.getfixturevalue(f"{request.param}_site")
    return site
