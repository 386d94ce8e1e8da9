"""On a full disk every page still reads, and every write is refused with a sentence: nothing is half done."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
from django.core.signals import got_request_exception
from django.db import OperationalError, connection

from stewardapp import storage
from tests.integration.url_scene import PERSONAS, Asked, Scene, scene
from tests.integration.url_table import TABLE, Request
from tests.sampling import some
from tests.scenes import undone

__all__ = ["scene"]
pytestmark = pytest.mark.django_db
WRITING = ("INSERT", "UPDATE", "DELETE", "REPLACE")


def full_database() -> OperationalError:
    """What Django raises when SQLite finds no room."""
    said, raised = sqlite3.OperationalError("database or disk is full"), OperationalError("disk is full")
    said.sqlite_errorname = "SQLITE_FULL"
    raised.__cause__ = said
    return raised


@contextmanager
def full_disk() -> Iterator[None]:
    """Neither the database nor the storage takes a byte."""

    def refuse(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().upper().startswith(WRITING):
            raise full_database()
        return execute(sql, params, many, context)

    def no_room(*_: object, **__: object) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    def go_on(**_: object) -> None:
        connection.needs_rollback = False  # pages ask the database outside of any transaction

    got_request_exception.connect(go_on)
    try:
        with connection.execute_wrapper(refuse), mock.patch.object(storage, "_opened", no_room):
            yield
    finally:
        got_request_exception.disconnect(go_on)


def asked_twice(scene: Scene, name: str, label: str, method: str, persona: str) -> tuple[Asked, Asked]:
    """What a person is answered with room on the disk, and without."""
    with undone():
        request = Request.valid(scene, name, label, method)
        with undone():
            usual = request.by(persona)
        with full_disk():
            return usual, request.by(persona)


@pytest.mark.parametrize("name", some([name for name in TABLE if name != "readyz"], of=2))  # which says so
def test_pages_read_and_writes_are_refused(scene: Scene, name: str) -> None:
    row, wrong = TABLE[name], []
    label = row.places[-1]
    for method, door in row.doors(label).items():
        who = [one for one in PERSONAS if door.expected(one) == "yes"]
        for persona in who[-1:]:
            usual, found = asked_twice(scene, name, label, method, persona)
            status = found.answer.status_code
            expected = 507 if usual.writes else usual.answer.status_code
            if status not in (expected, 507) or (method == "get" and not usual.writes and status == 507):
                wrong.append((label, method, persona, status, expected))
            if status == 507 and method != "head" and "disk" not in found.answer.content.decode():
                wrong.append((label, method, persona, "no sentence"))
    assert wrong == []
