"""What a worker does when it starts."""

from typing import Any

import pytest

from worker.process import engines, ready
from worker.process import parent as process
from worker.queue import runner, tasks


@pytest.mark.parametrize("wanted", [True, False])
def test_a_process_that_does_jobs_keeps_an_engine_loaded_where_that_is_wanted(
    wanted: bool, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []
    monkeypatch.setattr(ready, "keep", lambda: kept.append("one"))
    settings.STEWARD_READY_ENGINE = wanted
    tasks._keep_ready()
    assert kept == ["one"] * wanted


def test_a_worker_compiles_ahead_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(engines, "scratch_root", lambda: "here")
    monkeypatch.setattr(process, "start_warming", started.append)
    tasks._warm()
    assert started == ["here"]


def test_a_message_names_a_job_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[tuple[str, str]] = []
    monkeypatch.setattr(runner, "perform", lambda *named: done.append(named))
    tasks.perform("run", "an id")
    assert done == [("run", "an id")]
