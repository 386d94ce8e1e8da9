"""What is done ahead comes in order, and a refusal in its turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from worker.engine.io.ahead import THREADS, ahead


def test_results_come_in_the_order_of_what_was_given() -> None:
    held = threading.Event()

    def work(one: int) -> int:
        if one == 0:
            assert held.wait(5)  # the first one is ready last
        if one == 1:
            held.set()
        return one * one

    assert list(ahead(work, range(20))) == [one * one for one in range(20)]


def taken(results: Iterator[int], into: list[int]) -> None:
    """Whatever comes before the refusal."""
    into.extend(results)


def test_a_refusal_of_the_work_waits_for_earlier_results() -> None:
    def work(one: int) -> int:
        if one == 3:
            raise ValueError("three")
        return one

    before: list[int] = []
    with pytest.raises(ValueError, match="three"):
        taken(ahead(work, range(9)), before)
    assert before == [0, 1, 2]


def test_a_refusal_of_the_source_waits_for_everything_before_it() -> None:
    def source() -> Iterator[int]:
        yield from range(4)
        raise LookupError("no more")

    before: list[int] = []
    with pytest.raises(LookupError, match="no more"):
        taken(ahead(int, source()), before)
    assert before == [0, 1, 2, 3]


def test_it_looks_only_a_little_ahead() -> None:
    asked: list[int] = []

    def source() -> Iterator[int]:
        for one in range(100):
            asked.append(one)
            yield one

    results = ahead(int, source())
    assert next(results) == 0
    assert len(asked) <= THREADS + 2


def test_one_thread_does_one_after_the_other() -> None:
    busy = threading.Lock()

    def work(one: int) -> bool:
        alone = busy.acquire(blocking=False)
        threading.Event().wait(0.001)
        if alone:
            busy.release()
        return alone

    assert all(ahead(work, range(30), threads=1))
