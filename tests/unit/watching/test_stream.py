"""What is said on one line, and when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from stewardapp.reads.changes import Standing, Topic
from stewardapp.watching import stream as module
from stewardapp.watching.sitting import Sitting
from stewardapp.watching.stream import Stream, event

RUN, PREVIEW = Topic("run", uuid4()), Topic("preview", uuid4())
SOMEBODY = Sitting("somebody", "session")


async def said(line: AsyncIterator[bytes]) -> str:
    """The next word, without its frame."""
    text = (await asyncio.wait_for(anext(line), 5)).decode()
    assert text.startswith("retry: 2000\n")
    return text.removeprefix("retry: 2000\n").strip()


def changed(*topics: Topic) -> str:
    return "event: changed\ndata: " + ",".join(map(str, sorted(topics)))


def test_a_change_of_state_is_told_at_once_and_once() -> None:
    async def listen() -> None:
        stream = Stream(SOMEBODY, [RUN, PREVIEW])
        line = stream.events()
        stream.tell({RUN: Standing("queued"), PREVIEW: Standing("queued")}, 100.0)
        assert await said(line) == "event: begun\ndata:"
        stream.tell({RUN: Standing("running"), PREVIEW: Standing("queued")}, 100.1)
        assert await said(line) == changed(RUN)
        stream.tell({RUN: Standing("running"), PREVIEW: Standing("queued")}, 100.2)
        stream.tell({RUN: Standing("running")}, 100.3)
        assert await said(line) == changed(PREVIEW), "what is gone has changed too"

    asyncio.run(listen())


def test_progress_is_told_each_second_and_never_lost() -> None:
    async def listen() -> None:
        stream = Stream(SOMEBODY, [RUN])
        line = stream.events()
        stream.tell({RUN: Standing("running", "1")}, 100.0)
        await said(line)
        stream.tell({RUN: Standing("running", "2")}, 100.1)
        assert await said(line) == changed(RUN)
        stream.tell({RUN: Standing("running", "3")}, 100.5)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(waiting := asyncio.ensure_future(anext(line))), 0.05)
        stream.tell({RUN: Standing("running", "3")}, 101.2)
        assert (await waiting).decode().strip().endswith(changed(RUN))
        stream.tell({RUN: Standing("succeeded", "3")}, 101.3)
        assert await said(line) == changed(RUN), "how it ended does not wait"

    asyncio.run(listen())


def test_a_slow_reader_is_told_once_of_many_changes() -> None:
    async def listen() -> None:
        stream = Stream(SOMEBODY, [RUN])
        line = stream.events()
        for number in range(100):
            stream.tell({RUN: Standing(str(number))}, 100.0 + number)
        assert await said(line) == "event: begun\ndata:"
        assert await said(line) == changed(RUN)
        stream.end()
        with pytest.raises(StopAsyncIteration):
            await anext(line)

    asyncio.run(listen())


def test_a_silent_line_says_that_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ALIVE_EVERY", 0.01)

    async def listen() -> None:
        line = Stream(SOMEBODY, [RUN]).events()
        assert [await said(line), await said(line)] == ["event: alive\ndata:"] * 2

    asyncio.run(listen())


def test_who_is_told_after_the_loop_has_ended_is_told_nothing() -> None:
    async def make() -> Stream:
        return Stream(SOMEBODY, [RUN])

    stream = asyncio.run(make())
    stream.tell({}, 100.0)
    stream.end()


def test_an_event_is_three_lines_and_an_empty_one() -> None:
    assert event("changed", "run:1") == b"retry: 2000\nevent: changed\ndata: run:1\n\n"
