"""What the broker's address means, and when a process of a worker knows that it has to end."""

import os

import pytest

from worker.queue import app


def test_an_address_says_which_broker_it_is() -> None:
    spool, redis, other = (app.broker(f"{one}://host/folder") for one in ("spool", "redis", "amqp"))
    assert spool["broker_url"] == "spool://localhost"
    assert spool["broker_transport_options"]["data_folder_in"].startswith("/folder")
    assert redis["broker_url"] == "redis://host/folder"
    assert redis["broker_transport_options"]["socket_timeout"] == app.SILENT_BROKER_SECONDS
    assert other == {"broker_url": "amqp://host/folder"}


def test_a_worker_that_shuts_down_is_stopping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_stopping", bytearray(1))
    assert not app.is_stopping()
    app._note_stopping()
    assert app.is_stopping()


def test_a_process_whose_parent_died_is_stopping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_stopping", bytearray(1))
    monkeypatch.setattr(app, "_started_by", [])
    app._note_parent()
    assert app._started_by == [os.getppid()]
    assert not app.is_stopping()
    monkeypatch.setattr(os, "getppid", lambda: app._started_by[0] + 1)
    assert app.is_stopping()


def test_a_bell_rings_once_and_is_not_rung_again_by_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[tuple[object, ...], dict[str, object]]] = []
    monkeypatch.setattr(app.app, "send_task", lambda *given, **named: sent.append((given, named)))
    app.send("run", "an id")
    assert sent == [((app.PERFORM,), {"args": ("run", "an id"), "queue": app.QUEUE, "retry": False})]
