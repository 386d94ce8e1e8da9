"""Installations for tests: on one machine (SQLite, spool) and as a site (PostgreSQL, Valkey).

Import the fixtures into a conftest. The template databases are migrated once per test process.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.services import fresh_database, postgres_server, valkey_server
from tests.site import Site, inhabited, migrated, sqlite_copy

__all__ = [
    "any_site",
    "embedded_site",
    "postgres_server",
    "postgres_template",
    "server_site",
    "sqlite_template",
    "valkey_server",
]


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Path:
    """A migrated SQLite file to copy."""
    file = tmp_path_factory.mktemp("template") / "steward.sqlite3"
    with django_db_blocker.unblock():
        migrated(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str, django_db_blocker: Any) -> Iterator[str]:
    """Name of a migrated PostgreSQL database to copy."""
    template = fresh_database(postgres_server)
    with template as address:
        with django_db_blocker.unblock():
            migrated(address)
        yield template.name


@pytest.fixture
def embedded_site(sqlite_template: Path, tmp_path: Path, django_db_blocker: Any) -> Iterator[Site]:
    """One machine without servers."""
    data = tmp_path / "data"
    data.mkdir()
    site = Site(data, sqlite_copy(sqlite_template, data), f"spool://{data}/spool")
    with django_db_blocker.unblock(), inhabited(site):
        yield site


@pytest.fixture
def server_site(
    postgres_server: str,
    postgres_template: str,
    valkey_server: Callable[[], str],
    tmp_path: Path,
    django_db_blocker: Any,
) -> Iterator[Site]:
    """PostgreSQL and Valkey."""
    data = tmp_path / "data"
    data.mkdir()
    with ExitStack() as stack:
        address = stack.enter_context(fresh_database(postgres_server, postgres_template))
        stack.enter_context(django_db_blocker.unblock())
        yield stack.enter_context(inhabited(Site(data, address, valkey_server())))


@pytest.fixture(params=["embedded", pytest.param("server", marks=pytest.mark.postgres)])
def any_site(request: pytest.FixtureRequest) -> Site:
    """Both, one after the other."""
    site: Site = request.getfixturevalue(f"{request.param}_site")
    return site
