"""From a connection to a thread and back: who holds what, for how long, and what is refused."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.contrib.auth.decorators import login_not_required
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path

from stewardapp.entrance import bridge
from stewardapp.entrance.admission import SMALL, Admission
from stewardapp.uploadhandler import FOLLOWS
from tests.site import until
from tests.unit.entrance.serving import heard, opened

GET = b"GET /page HTTP/1.1\r\nHost: desk\r\nConnection: close\r\n\r\n"
HEALTH = GET.replace(b"/page", b"/healthz")


def answered(response: HttpResponse | StreamingHttpResponse, start: Any) -> Any:
    start(f"{response.status_code} {response.reason_phrase}", list(response.items()))
    return response


def echo(environ: dict[str, Any], start: Any) -> Any:
    """Say what arrived."""
    body = environ["wsgi.input"].read()
    facts = f"{environ['REQUEST_METHOD']} {environ.get('CONTENT_LENGTH', '-')} {len(body)} {body[-20:]!r}"
    return answered(HttpResponse(facts, headers={"Content-Length": str(len(facts))}), start)


def post(length: int, *more: bytes) -> bytes:
    head = [b"POST /page HTTP/1.1", b"Host: desk", b"Connection: close", b"Content-Length: %d" % length]
    return b"\r\n".join([*head, *more, b"", b""])


@pytest.fixture
def roomy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody may send a megabyte."""
    monkeypatch.setattr(bridge, "admission", lambda _: Admission(1 << 20, False))


def test_a_small_body_a_body_in_chunks_and_none() -> None:
    with opened(echo) as door:
        assert door.ask(GET).endswith(b"GET - 0 b''")
        assert door.ask(post(0)).endswith(b"POST 0 0 b''")
        assert door.ask(post(5) + b"hello").endswith(b"POST 5 5 b'hello'")
        chunks = b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
        head = post(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        assert door.ask(head + chunks).endswith(b"POST 11 11 b'hello world'")


@pytest.mark.usefixtures("roomy")
def test_a_large_body_is_whole_before_a_thread_sees_it(tmp_path: Any, settings: Any) -> None:
    settings.STEWARD_DATA = tmp_path
    size = 300_000
    with opened(echo) as door:
        with door.connect(post(size)) as line:
            line.sendall(b"x" * (size - 10))
            until(lambda: list(tmp_path.glob("temporary/*")), 5, "it is being received")
            assert door.entrance.jobs == 0
            line.sendall(b"0123456789")
            assert heard(line).endswith(b"POST 300000 300000 b'xxxxxxxxxx0123456789'")
        until(lambda: not list(tmp_path.glob("temporary/*")), 5, "it is gone")


@pytest.mark.usefixtures("roomy")
@pytest.mark.parametrize("size", [1 << 21, 20 * 2**30])
def test_what_is_too_large_is_refused_before_its_first_byte(size: int) -> None:
    with opened(echo) as door:
        assert b"413" in door.ask(post(size)).partition(b"\r\n")[0]


def test_a_body_in_chunks_may_be_small_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "admission", lambda _: Admission(SMALL, False))
    head = post(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    with opened(echo) as door:
        assert b"413" in door.ask(head + (b"4000\r\n" + b"x" * 0x4000 + b"\r\n") * 5).partition(b"\r\n")[0]


@pytest.mark.usefixtures("roomy")
def test_who_asks_before_sending_is_told_to_go_on_only_where_it_will_be_read() -> None:
    expecting = b"Expect: 100-continue"
    with opened(echo) as door:
        with door.connect(post(100_000, expecting)) as line:
            assert line.recv(100).startswith(b"HTTP/1.1 100")
            line.sendall(b"x" * 100_000)
            assert b"POST 100000 100000" in heard(line)
        refused = door.ask(post(1 << 22, expecting))
        assert refused.startswith(b"HTTP/1.1 413")
        assert b"100 Continue" not in refused


def test_who_sends_nothing_is_not_waited_for() -> None:
    with opened(echo, patience=0.4) as door:
        begun = [door.connect(), door.connect(b"GET /page HT"), door.connect(GET[:-2])]
        sent = door.connect(post(5000) + b"some")
        assert heard(sent).startswith(b"HTTP/1.1 408")
        assert [heard(line) for line in begun] == [b"", b"", b""]
        for line in (sent, *begun):
            line.close()
        assert door.ask(GET).startswith(b"HTTP/1.1 200")


def test_of_too_many_that_wait_the_oldest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stewardapp.entrance.server.MOST_WAITING", 3)
    with opened(echo) as door:
        waiting = [door.connect() for _ in range(4)]
        assert heard(waiting[0]) == b""
        waiting[-1].sendall(GET)
        assert heard(waiting[-1]).startswith(b"HTTP/1.1 200")
        for line in waiting:
            line.close()


def test_health_is_answered_while_every_thread_is_busy_and_no_more_wait_than_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bridge, "QUEUE", 1)
    go_on = threading.Event()

    def slow(environ: dict[str, Any], start: Any) -> Any:
        go_on.wait(20)
        return echo(environ, start)

    with opened(slow, threads=1) as door:
        lines = [door.connect(GET) for _ in range(2)]
        until(lambda: door.entrance.jobs == 2, 5, "one at work, one waiting")
        assert door.ask(HEALTH).endswith(b"ok\n")
        refused = door.ask(GET)
        assert refused.startswith(b"HTTP/1.1 503")
        assert b"retry-after: 5" in refused
        go_on.set()
        assert all(heard(line).startswith(b"HTTP/1.1 200") for line in lines)
        for line in lines:
            line.close()


class Download:
    """An answer of many pieces that counts what was asked of it."""

    PIECE, PIECES = b"x" * 65536, 2000

    def __init__(self) -> None:
        self.made, self.closed = 0, False

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        if environ["PATH_INFO"] != "/page":
            return echo(environ, start)
        response = StreamingHttpResponse(self.pieces())
        response._resource_closers.append(self.close)  # type: ignore[attr-defined]
        return answered(response, start)

    def pieces(self) -> Iterator[bytes]:
        for _ in range(self.PIECES):
            self.made += 1
            yield self.PIECE

    def close(self) -> None:
        self.closed = True


def settled(download: Download) -> int:
    """How much was made when nothing more is: the line took what it takes."""
    seen: list[int] = []

    def same_again() -> bool:
        seen.append(download.made)
        return len(seen) > 25 and seen[-1] == seen[-25] > 0

    until(same_again, 20, "nothing more is made")
    return seen[-1]


def test_a_reader_who_does_not_read_holds_neither_thread_nor_memory() -> None:
    download = Download()
    with opened(download, threads=1) as door:
        lines = [door.connect(GET, buffer=4096) for _ in range(3)]
        made = settled(download)
        assert made > 10
        assert door.entrance.jobs == 0
        assert made < 3 * download.PIECES / 4
        assert door.ask(GET.replace(b"/page", b"/other")).startswith(b"HTTP/1.1 200")
        assert download.made == made
        for line in lines:
            line.close()
        until(lambda: download.closed and door.entrance.jobs == 0, 10, "who has left is noticed")
        assert download.made < made + 20


def test_a_piece_that_is_being_made_is_finished_before_the_download_is_closed() -> None:
    making, go_on, seen = threading.Event(), threading.Event(), []

    def pieces() -> Iterator[bytes]:
        try:
            yield b"x" * 65536
            making.set()
            go_on.wait(20)
            seen.append("made")
            yield b"x" * 65536
        finally:
            seen.append("closed")

    def pages(_: dict[str, Any], start: Any) -> Any:
        response = StreamingHttpResponse(pieces())
        response._resource_closers.append(lambda: seen.append("ended"))  # type: ignore[attr-defined]
        return answered(response, start)

    with opened(pages) as door:
        with door.connect(GET):
            assert making.wait(10)
        until(lambda: not door.connections, 5, "the reader has left")
        assert door.ask(HEALTH).endswith(b"ok\n")  # and that has been noticed by now
        assert seen == []
        go_on.set()
        until(lambda: door.entrance.jobs == 0 and "ended" in seen, 10, "it ends")
    assert seen == ["made", "closed", "ended"]


def test_a_download_arrives_whole() -> None:
    download = Download()
    download.PIECES = 40
    with opened(download, threads=1) as door:
        assert door.ask(GET).count(b"x") >= 40 * 65536


def test_who_stops_reading_for_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stewardapp.entrance.server.STALLED", 0.3)
    download = Download()
    with opened(download, threads=1) as door, door.connect(GET, buffer=4096):
        until(lambda: download.closed, 10, "the download ends")
        assert download.made < download.PIECES / 2


class Events:
    """An event stream: asynchronous, so that it costs no thread while nothing happens."""

    def __init__(self) -> None:
        self.ended = False

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        if environ["PATH_INFO"] != "/page":
            return echo(environ, start)
        return answered(StreamingHttpResponse(self.events(), content_type="text/event-stream"), start)

    async def events(self) -> AsyncIterator[bytes]:
        try:
            yield b"data: begun\n\n"
            await asyncio.sleep(3600)
        finally:
            self.ended = True


def test_event_streams_hold_no_thread_and_end_with_their_reader() -> None:
    events = Events()
    with opened(events, threads=1) as door:
        lines = [door.connect(GET) for _ in range(20)]
        for line in lines:
            received = b""
            while b"data: begun\n\n" not in received:
                received += line.recv(4096)
        assert door.entrance.jobs == 0
        assert door.ask(GET.replace(b"/page", b"/other")).startswith(b"HTTP/1.1 200")
        assert not events.ended
        for line in lines:
            line.close()
        until(lambda: events.ended, 5, "they end with their reader")


async def ticks() -> AsyncIterator[bytes]:
    for number in range(3):
        yield b"data: %d\n\n" % number
        await asyncio.sleep(0.01)


@login_not_required
def ticking(_: HttpRequest) -> StreamingHttpResponse:
    """What a view has to do for a stream of events."""
    return StreamingHttpResponse(ticks(), content_type="text/event-stream")


urlpatterns = [path("page", ticking)]


def test_a_view_may_answer_with_events_behind_all_middleware(settings: Any) -> None:
    settings.ROOT_URLCONF, settings.ALLOWED_HOSTS = __name__, ["desk"]
    with opened(WSGIHandler(), threads=1) as door:
        answer = door.ask(GET)
    assert b"content-type: text/event-stream" in answer
    assert b"x-frame-options: DENY" in answer
    assert all(b"data: %d\n\n" % number in answer for number in range(3))


def test_the_memory_of_small_bodies_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "MOST_HELD", 100_000)
    with opened(echo) as door:
        with door.connect(post(60_000) + b"some") as line:
            until(lambda: door.entrance.held == 60_000, 5, "the first is being received")
            assert door.ask(post(60_000) + b"x" * 60_000).startswith(b"HTTP/1.1 503")
            assert door.ask(GET).startswith(b"HTTP/1.1 200")
            line.sendall(b"x" * 59_996)
            assert heard(line).startswith(b"HTTP/1.1 200")
        until(lambda: door.entrance.held == 0, 5, "nothing is held")


def test_bodies_in_chunks_share_that_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "MOST_HELD", 2 * SMALL - 1)
    monkeypatch.setattr(bridge, "admission", lambda _: Admission(SMALL, False))
    head = post(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    with opened(echo) as door, door.connect(head + b"4\r\nsome\r\n") as line:
        until(lambda: door.entrance.held == SMALL, 5, "the first is being received")
        assert door.ask(head + b"0\r\n\r\n").startswith(b"HTTP/1.1 503")
        line.sendall(b"0\r\n\r\n")
        assert heard(line).endswith(b"4 4 b'some'")
        until(lambda: door.entrance.held == 0, 5, "nothing is held")


def test_nobody_takes_all_the_room_for_large_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(environ: dict[str, Any]) -> Admission:
        return Admission(1 << 20, False, environ["HTTP_X_WHO"])

    monkeypatch.setattr(bridge, "admission", asked)
    monkeypatch.setattr(bridge, "MOST_LARGE", bridge.MOST_LARGE_EACH + 1)
    size = 2 * SMALL
    one, other, third = (post(size, b"X-Who: " + who) for who in (b"one", b"other", b"third"))
    with opened(echo) as door, ExitStack() as lines:
        waiting = [lines.enter_context(door.connect(one)) for _ in range(bridge.MOST_LARGE_EACH)]
        until(lambda: door.entrance.large["one"] == len(waiting), 5, "they are being received")
        refused = door.ask(one)
        assert refused.startswith(b"HTTP/1.1 503")
        assert b"sending several files" in refused
        assert b"retry-after" in refused
        with door.connect(other) as late:
            until(lambda: door.entrance.large["other"] == 1, 5, "somebody else has room")
            assert b"The desk is busy" in door.ask(third)
            late.sendall(b"x" * size)
            assert heard(late).startswith(b"HTTP/1.1 200")
        waiting[0].close()
        until(lambda: door.entrance.large == {"one": len(waiting) - 1}, 5, "who has none is forgotten")
        assert door.ask(one + b"x" * size).startswith(b"HTTP/1.1 200")


def test_who_asks_what_may_be_sent_waits_in_the_same_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "admission", lambda _: pytest.fail("nobody asks"))
    with opened(echo) as door:
        door.entrance.most_jobs = 0
        assert door.ask(post(2 * SMALL)).startswith(b"HTTP/1.1 503")


PATCH = (
    b"PATCH /page HTTP/1.1\r\nHost: desk\r\nConnection: close\r\nUpload-Offset: 100\r\n"
    b"Content-Type: application/offset+octet-stream\r\nContent-Length: %d\r\n\r\n"
)


class Store:
    """Takes pieces of an upload; from `limit` on it refuses."""

    def __init__(self, limit: int = 1 << 40) -> None:
        self.pieces: list[tuple[int, int, int]] = []
        self.limit = limit

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        length, offset = len(environ["wsgi.input"].read()), int(environ["HTTP_UPLOAD_OFFSET"])
        assert length == int(environ["CONTENT_LENGTH"])
        self.pieces.append((offset, length, environ[FOLLOWS]))
        return answered(HttpResponse(status=204 if offset < self.limit else 409), start)


def test_a_long_piece_of_an_upload_is_stored_while_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "admission", lambda _: Admission(1 << 40, True))
    size, store = 10 << 20, Store()
    with opened(store) as door:
        assert door.ask(PATCH % size + b"x" * size).startswith(b"HTTP/1.1 204")
    offsets = [offset for offset, _, _ in store.pieces]
    assert offsets[0] == 100
    assert all(
        before[0] + before[1] == after for before, after in zip(store.pieces, offsets[1:], strict=False)
    )
    assert sum(length for _, length, _ in store.pieces) == size
    assert all(offset + length + rest == size + 100 for offset, length, rest in store.pieces)
    assert max(length for _, length, _ in store.pieces) <= bridge.PIECE
    assert {offset % (1 << 20) for offset in offsets[2:]} == {0}, "pieces end where a sealed frame ends"


def test_a_refused_piece_ends_the_upload_and_a_broken_line_keeps_what_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bridge, "admission", lambda _: Admission(1 << 40, True))
    size, refusing, store = 1 << 30, Store(limit=0), Store()
    with opened(refusing) as door, door.connect(PATCH % size + b"x" * SMALL) as line:
        assert line.recv(100).startswith(b"HTTP/1.1 409")
    assert len(refusing.pieces) == 1
    with opened(store) as door:
        with door.connect(PATCH % size + b"x" * 700_000):
            until(lambda: store.pieces, 5, "the first bytes are stored")
        until(lambda: sum(length for _, length, _ in store.pieces) == 700_000, 10, "all that came is stored")
