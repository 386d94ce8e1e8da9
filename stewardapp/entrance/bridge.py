"""From one connection to Django's threads and back.

A body is received first, by the event loop; then a thread of the pool runs Django on it; then the answer goes
out piece by piece, each made in the pool when the one before was sent. So a thread is held while Django
works, and never while somebody sends or reads. An answer whose content is an asynchronous iterator – a stream
of events – holds none at all.
"""

from __future__ import annotations

import asyncio
import contextvars
import io
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import StreamingHttpResponse
from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, HTTPScope, Scope

from stewardapp.entrance.admission import SMALL, admission
from stewardapp.entrance.arriving import Arriving, Body, Gone, Refusal, SealedBody, TooSlow
from stewardapp.entrance.origin import Environ, Proxies, environ_of
from stewardapp.uploadhandler import FOLLOWS, PIECE_TYPE
from worker.sealed import FRAME_BYTES

P = ParamSpec("P")
R = TypeVar("R")

HEALTH = "/healthz"  # answered here: the process lives even when all its threads are busy
PIECE = 4 * FRAME_BYTES
PIECE_SECONDS = 5.0  # what came in this time is stored, so that little is lost with the line
MOST_LARGE = 32  # bodies beyond a small one that are received at once: this bounds the memory
MOST_LARGE_EACH = 8  # of one person: others have to find room too
MOST_HELD = 128 << 20  # bytes of small bodies
QUEUE = 256  # requests that wait for a thread
SLICE = 64 * 1024


class Busy(Refusal):
    """There is no room for one more."""

    status, words = 503, "The desk is busy. Please try again in a moment."


class BusyWithYours(Busy):
    """One person takes up no more room than this."""

    words = "You are sending several files already. Please try again when one of them has arrived."


class NoPath(Refusal):
    """What a proxy might be asked, not a site."""

    status, words = 400, "The request names no path of this site."


class TooLarge(Refusal):
    """More than this address takes from this person."""

    status, words = 413, "The request is larger than what may be sent to this address."


class Entrance:
    """The ASGI application: a pool of threads around Django, and how many wait for one."""

    def __init__(self, pages: WSGIHandler, threads: int = 8) -> None:
        self.pages = pages
        self.proxies = Proxies(tuple(settings.STEWARD_TRUSTED_PROXIES))
        self.pool = ThreadPoolExecutor(threads, "pages")
        self.sealing = ThreadPoolExecutor(2, "sealing")
        self.most_jobs = threads + QUEUE
        self.jobs = self.held = 0
        self.large: Counter[str] = Counter()  # by whom
        self.listening: set[asyncio.Future[None]] = set()  # who reads a stream of events, until they leave

    async def __call__(self, scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] == "http":
            await Visit(self, scope, receive, send).answer()

    def end_streams(self) -> None:
        """Hang up on whoever reads a stream of events: it would not end by itself."""
        for reader in self.listening:
            reader.cancel()


class Answer:
    """What Django answers, and how to go on with it."""

    def __init__(self, pages: WSGIHandler, environ: Environ) -> None:
        self.status, self.headers = 500, [(b"", b"")][:0]
        self.response: Any = pages(environ, self._start)
        self._pieces: Iterator[bytes] = iter(())
        self.streams = isinstance(self.response, StreamingHttpResponse) and self.response.is_async
        if not self.streams:
            self._pieces = iter(self.response)

    def _start(self, status: str, headers: list[tuple[str, str]], *_: object) -> Any:
        self.status = int(status[:3])
        self.headers = [
            (name.lower().encode("latin-1"), text.strip().encode("latin-1")) for name, text in headers
        ]

    def more(self) -> bytes:
        """The next piece; empty at the end. Small ones go together: each takes its turn in the pool."""
        gathered = bytearray()
        for piece in self._pieces:
            gathered += piece
            if len(gathered) >= SLICE:
                break
        return bytes(gathered)

    def close(self) -> None:
        """Django's request ends here."""
        self.response.close()


def begun(pages: WSGIHandler, environ: Environ) -> tuple[Answer, bytes]:
    """Run Django up to the first piece; an answer of one piece is closed in the same breath."""
    answer = Answer(pages, environ)
    if answer.streams:
        return answer, b""
    try:
        first = answer.more()
    except BaseException:
        answer.close()
        raise
    if not isinstance(answer.response, StreamingHttpResponse):
        answer.close()
    return answer, first


class Visit:
    """One request and its answer."""

    def __init__(
        self, house: Entrance, scope: HTTPScope, receive: ASGIReceiveCallable, send: ASGISendCallable
    ) -> None:
        self.house, self.scope, self.send = house, scope, send
        self.body = Arriving(receive, settings.STEWARD_PATIENCE)
        self.context = contextvars.Context()

    async def answer(self) -> None:
        """Answer, whatever comes."""
        try:
            await self._answer()
        except Refusal as refusal:
            await self._say(refusal.status, refusal.words)
        finally:
            self.body.close()

    async def _answer(self) -> None:
        if not self.scope["raw_path"].startswith(b"/"):
            raise NoPath
        if self.scope["path"] == HEALTH and self.scope["method"] in ("GET", "HEAD"):
            return await self._say(200, "ok")
        environ = environ_of(self.scope, self.house.proxies)
        length = declared(environ)
        if length is not None and length <= SMALL:
            return await self._small(environ, length)
        await self._large(environ, length)

    async def _small(self, environ: Environ, length: int) -> None:
        """In memory, which is bounded: anybody may send this much, on any number of connections."""
        with self._holding(length):
            received = await self.body.read(length)
            if len(received) < length:
                raise Gone
            said = length if "CONTENT_LENGTH" in environ else None
            await self._with(environ, io.BytesIO(received), said)

    @contextmanager
    def _holding(self, length: int) -> Iterator[None]:
        if length and self.house.held + length > MOST_HELD:
            raise Busy
        self.house.held += length
        try:
            yield
        finally:
            self.house.held -= length

    # Large bodies

    async def _large(self, environ: Environ, length: int | None) -> None:
        self._require_a_place()
        allowed = await self._run(admission, environ)
        if length is None and not allowed.in_words:
            return await self._counted(environ)
        if length is None or length > allowed.room:
            if allowed.in_words:
                return await self._with(environ, io.BytesIO(), None)
            raise TooLarge
        with self._large_place(allowed.who):
            await (self._pieces if is_piece(environ) else self._sealed)(environ, length)

    @contextmanager
    def _large_place(self, who: str) -> Iterator[None]:
        large = self.house.large
        if large.total() >= MOST_LARGE:
            raise Busy
        if large[who] >= MOST_LARGE_EACH:
            raise BusyWithYours
        large[who] += 1
        try:
            yield
        finally:
            large[who] -= 1
            large += Counter()  # forgets who has none

    async def _counted(self, environ: Environ) -> None:
        """A body in chunks says its length by ending: until then it may become as long as it may."""
        with self._holding(SMALL):
            received = await self.body.read(SMALL + 1)
            if len(received) > SMALL:
                raise TooLarge
            if not self.body.complete:
                raise Gone
            await self._with(environ, io.BytesIO(received), len(received))

    async def _sealed(self, environ: Environ, length: int) -> None:
        """A large form: it is complete before a thread looks at it, and lies sealed until then."""
        loop, threads = asyncio.get_running_loop(), self.house.sealing
        kept = await loop.run_in_executor(threads, SealedBody)
        try:
            while piece := await self.body.read(FRAME_BYTES):
                await loop.run_in_executor(threads, kept.write, piece)
            if not self.body.complete:
                raise Gone
            await self._with(environ, await loop.run_in_executor(threads, kept.finished), length)
        finally:
            await loop.run_in_executor(threads, kept.close)

    async def _pieces(self, environ: Environ, length: int) -> None:
        """One long piece of an upload is so many short ones, each stored as it comes.

        The first is small: after it is known whether this person may go on. The others end where a sealed
        frame ends, so that none is sealed twice. What arrived before a line broke is stored too.
        """
        offset, size = int(environ["HTTP_UPLOAD_OFFSET"]), SMALL
        while True:
            piece = await self.body.read(size, PIECE_SECONDS)
            length -= len(piece)
            part = environ | {"HTTP_UPLOAD_OFFSET": str(offset), FOLLOWS: length}
            with io.BytesIO(piece) as body:  # closed, it frees the piece, whoever still knows the request
                answer, first = await self._asked(part, body, len(piece))
            offset += len(piece)
            if answer.status != 204 or self.body.over:
                return await self._deliver(answer, first)
            size = PIECE - offset % FRAME_BYTES

    # Django

    async def _with(self, environ: Environ, body: Body, length: int | None) -> None:
        answer, first = await self._asked(environ, body, length)
        await self._deliver(answer, first)

    async def _asked(self, environ: Environ, body: Body, length: int | None) -> tuple[Answer, bytes]:
        """Have Django look at a request whose body is here, or (None) at one that names no length."""
        asked = environ | {"wsgi.input": body}
        if length is not None:
            asked["CONTENT_LENGTH"] = str(length)
            asked.pop("HTTP_TRANSFER_ENCODING", None)
        self._require_a_place()
        return await self._run(begun, self.house.pages, asked)

    def _require_a_place(self) -> None:
        """In the queue for a thread."""
        if self.house.jobs >= self.house.most_jobs:
            raise Busy

    async def _run(self, job: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Do something in a thread of the pool; jobs of one request share what they know about it."""
        loop, house = asyncio.get_running_loop(), self.house
        house.jobs += 1
        try:
            return await loop.run_in_executor(house.pool, lambda: self.context.run(job, *args, **kwargs))
        finally:
            house.jobs -= 1

    # The answer

    async def _deliver(self, answer: Answer, first: bytes) -> None:
        streaming = isinstance(answer.response, StreamingHttpResponse)
        try:
            await self._begin(answer.status, answer.headers)
            if self.scope["method"] != "HEAD":
                await self._content(answer, first, streaming)
            await self.send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            if streaming:
                await self._run(answer.close)

    async def _content(self, answer: Answer, first: bytes, streaming: bool) -> None:
        await self._out(first)
        if not streaming:
            while piece := answer.more():
                await self._out(piece)
            return
        pieces = self._events(answer.response) if answer.streams else self._further(answer)
        left = asyncio.ensure_future(self.body.gone())
        if answer.streams:
            self.house.listening.add(left)
        try:
            await self._until(left, pieces, answer.streams)
        finally:
            self.house.listening.discard(left)
            left.cancel()

    async def _further(self, answer: Answer) -> AsyncIterator[bytes]:
        while piece := await self._run(answer.more):
            yield piece

    async def _events(self, response: StreamingHttpResponse) -> AsyncIterator[bytes]:
        async for piece in response:
            yield piece

    async def _until(
        self, left: asyncio.Future[None], pieces: AsyncIterator[bytes], ends_at_once: bool
    ) -> None:
        """Send what comes until it ends or the reader has left."""
        while not left.done():
            upcoming: asyncio.Future[bytes | None] = asyncio.ensure_future(anext(pieces, None))
            both: set[asyncio.Future[Any]] = {upcoming, left}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if not upcoming.done():
                if ends_at_once:  # a thread cannot be interrupted: its piece is waited for
                    upcoming.cancel()
                await asyncio.wait({upcoming})
                return
            if (piece := upcoming.result()) is None:
                return
            await self._out(piece)

    async def _begin(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        if not self.body.complete and "expect" in self._names():
            headers = [*headers, (b"connection", b"close")]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})

    def _names(self) -> set[str]:
        return {name.decode("latin-1") for name, _ in self.scope["headers"]}

    async def _out(self, piece: bytes) -> None:
        """In slices: each waits until the one before has left."""
        for start in range(0, len(piece), SLICE):
            body = piece[start : start + SLICE]
            await self.send({"type": "http.response.body", "body": body, "more_body": True})

    async def _say(self, status: int, words: str) -> None:
        body = f"{words}\n".encode()
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        if status == Busy.status:
            headers.append((b"retry-after", b"5"))
        if status == TooSlow.status:
            headers.append((b"connection", b"close"))
        await self._begin(status, headers)
        await self.send({"type": "http.response.body", "body": body, "more_body": False})


def declared(environ: Environ) -> int | None:
    """The length of the body as the request says it; None when it comes in chunks."""
    if "HTTP_TRANSFER_ENCODING" in environ:
        return None
    return int(environ.get("CONTENT_LENGTH") or 0)


def is_piece(environ: Environ) -> bool:
    """Whether this is a piece of a resumable upload that says where it belongs."""
    return (
        environ["REQUEST_METHOD"] == "PATCH"
        and environ.get("CONTENT_TYPE") == PIECE_TYPE
        and environ.get("HTTP_UPLOAD_OFFSET", "").isdecimal()
        and len(environ["HTTP_UPLOAD_OFFSET"]) < 18
    )
