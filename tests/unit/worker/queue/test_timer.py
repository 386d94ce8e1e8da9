"""The worker's own clock goes on whatever its duties do."""

import logging
import threading

import pytest

from tests.site import until
from worker.queue import reaper, timer


def test_a_failing_duty_ends_neither_the_others_nor_the_clock(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []

    def failing() -> None:
        raise RuntimeError("canary-3b1a")

    def working() -> None:
        done.append("working")

    clock = timer.Timer((failing, working), 0.01)
    with caplog.at_level(logging.WARNING):
        clock.start()
        until(lambda: len(done) >= 3, 5)
        clock.stop()
        clock.join(5)
    assert not clock.is_alive()
    complaints = [record for record in caplog.records if record.name == "worker.queue.timer"]
    assert len(complaints) == 1, "said once, not at every tick"
    assert "canary" not in str(complaints[0].__dict__)


def test_a_duty_that_works_again_may_complain_again(caplog: pytest.LogCaptureFixture) -> None:
    answers = iter([True, False, True])

    def sometimes() -> None:
        if next(answers):
            raise RuntimeError

    clock = timer.Timer((sometimes,), 1)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            clock.tick()
    assert len(caplog.records) == 2


def test_sweeping_is_done_at_start_and_then_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    swept: list[str] = []
    monkeypatch.setattr(reaper, "sweep", lambda: swept.append("files"))
    monkeypatch.setattr(reaper, "expire", lambda: swept.append("data"))
    sweeping = timer.Sweeping()
    sweeping()
    sweeping()
    assert swept == ["data", "files"]


def test_no_process_is_forked_during_a_tick() -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        inside.set()
        go_on.wait(5)

    clock = timer.Timer((slow,), 0.0)
    clock.start()
    assert inside.wait(5)
    assert timer._quiet.locked()
    clock.stop()
    go_on.set()
    clock.join(5)
    assert not timer._quiet.locked()


def test_the_clock_is_a_part_of_every_worker() -> None:
    assert timer.Tending in timer.app.steps["worker"]
    step = timer.Tending(None)
    step.start(None)
    assert step._timer.is_alive()
    step.stop(None)
    step._timer.join(5)
