import pytest

from worker.queue import stopwatch


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(stopwatch.time, "monotonic", lambda: now[0])
    return now


def test_a_stage_that_comes_back_goes_on_being_counted(clock: list[float]) -> None:
    watch = stopwatch.Stopwatch()
    for at, name in ((101.0, "Counting"), (103.0, "Writing"), (104.0, ""), (106.0, "Counting")):
        clock[0] = at
        watch.stage(name)
    clock[0] = 106.5
    assert watch.laps() == [("Preparing", 1.0), ("Counting", 2.5), ("Writing", 3.0)]
