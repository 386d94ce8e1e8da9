"""What `manage.py run` begins with."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from stewardapp.management.commands import run


def holds(database: Path) -> list[tuple[int]]:
    with closing(sqlite3.connect(database)) as opened:
        return opened.execute("SELECT number FROM made").fetchall()


def make(database: Path, number: int) -> Path:
    with closing(sqlite3.connect(database)) as opened, opened:
        opened.execute("PRAGMA journal_mode=WAL")
        opened.execute("CREATE TABLE made (number)")
        opened.execute("INSERT INTO made VALUES (?)", (number,))
    return database


@pytest.fixture
def own(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    database = tmp_path / "steward.sqlite3"
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", "django.db.backends.sqlite3")
    monkeypatch.setitem(settings.DATABASES["default"], "NAME", str(database))
    return database


def test_a_new_desk_begins_with_the_database_of_the_installation(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "EMPTY", make(tmp_path / "empty.sqlite3", 1))
    run.ready_made_database()
    assert holds(own) == [(1,)]


def test_a_database_that_is_there_is_left_alone(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(own, 2)
    monkeypatch.setattr(run, "EMPTY", make(tmp_path / "empty.sqlite3", 1))
    run.ready_made_database()
    assert holds(own) == [(2,)]


def test_without_one_all_is_migrated(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "EMPTY", tmp_path / "empty.sqlite3")
    run.ready_made_database()
    assert not own.exists()


def test_the_demo_is_loaded_beside_until_it_is_complete(settings: Any, tmp_path: Path) -> None:
    settings.STEWARD_DATA = tmp_path
    assert [service.name for service in run.services()] == ["web", "worker"]
    (tmp_path / "demo-unfinished").touch()
    (demo,) = (service for service in run.services() if service.name == "demo")
    assert demo.once
