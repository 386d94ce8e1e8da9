"""Sites to break, which stand for all tests of this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.faults.standing import Standing, StandingSite
from tests.services import TEMPLATE, fresh_database
from tests.site import sqlite_copy

NewData = Callable[[], Path]


@pytest.fixture(scope="package")
def new_data(tmp_path_factory: pytest.TempPathFactory) -> NewData:
    """Makes data folders."""

    def made() -> Path:
        data = tmp_path_factory.mktemp("standing") / "data"
        data.mkdir()
        return data

    return made


@pytest.fixture(scope="package")
def embedded(sqlite_template: Path, new_data: NewData) -> Iterator[Standing]:
    """One machine without servers."""

    def make() -> StandingSite:
        data = new_data()
        return StandingSite(data, sqlite_copy(sqlite_template, data), f"spool://{data}/spool")

    standing = Standing(make)
    yield standing
    standing.leave()


@pytest.fixture(scope="package")
def server(postgres_server: str, valkey_server: Callable[[], str], new_data: NewData) -> Iterator[Standing]:
    """PostgreSQL and Valkey."""
    with ExitStack() as stack:

        def make() -> StandingSite:
            address = stack.enter_context(fresh_database(postgres_server, TEMPLATE))
            return StandingSite(new_data(), address, valkey_server())

        standing = Standing(make)
        stack.callback(standing.leave)
        yield standing


@pytest.fixture
def standing_embedded(embedded: Standing, django_db_blocker: Any) -> Iterator[StandingSite]:
    with django_db_blocker.unblock(), embedded.visited() as site:
        yield site


@pytest.fixture
def standing_server(server: Standing, django_db_blocker: Any) -> Iterator[StandingSite]:
    with django_db_blocker.unblock(), server.visited() as site:
        yield site


@pytest.fixture(params=["embedded", pytest.param("server", marks=pytest.mark.postgres)])
def standing(request: pytest.FixtureRequest) -> StandingSite:
    """Both, one after the other."""
    site: StandingSite = request.getfixturevalue(f"standing_{request.param}")
    return site
