"""Large files: memory stays where it was, a broken line loses nothing, limits are said before and held."""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.functional.desk import Desk, until
from tests.functional.wire import Wire

MEGABYTE = 2**20
SIZE = 1024 * MEGABYTE
ALLOWED_GROWTH = 32 * MEGABYTE
ROW = b"P0000001;2010;some words to fill the line\n"


def resident(pid: int) -> int:
    """Bytes of memory a process holds."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS")), 0)


class Memory(threading.Thread):
    """Looks at the web processes again and again."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.pids = desk.tree("stewardapp.entrance")
        self.start_at = self.peak = self.now()
        self.ended = threading.Event()

    def now(self) -> int:
        return sum(map(resident, self.pids))

    def run(self) -> None:
        while not self.ended.wait(0.02):
            self.peak = max(self.peak, self.now())


@contextmanager
def measured(desk: Desk) -> Iterator[Memory]:
    """How much memory the web processes take meanwhile."""
    memory = Memory(desk)
    memory.start()
    try:
        yield memory
    finally:
        memory.ended.set()
        memory.join(30)


@pytest.fixture
def wire(desk: Desk) -> Wire:
    return Wire(desk, "steward")


@pytest.fixture
def dataset(wire: Wire) -> str:
    return wire.dataset(f"Large {secrets.token_hex(3)}")


def multipart(content: bytes, boundary: str = "xxboundaryxx") -> tuple[bytes, bytes, str]:
    """What stands before and after a file in a form, and the type of the form."""
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="survey.csv"\r\n\r\n'
    return (
        head.encode() + content,
        f"\r\n--{boundary}--\r\n".encode(),
        f"multipart/form-data; boundary={boundary}",
    )


def test_memory_does_not_grow_with_the_file(desk: Desk, wire: Wire, dataset: str) -> None:
    piece = os.urandom(MEGABYTE)  # what it is does not matter here: it is refused quickly when it is read
    upload = wire.begin(dataset, SIZE).location
    expected = hashlib.sha256()
    with measured(desk) as memory:
        connection = wire.piece(upload, 0, SIZE)
        for _ in range(SIZE // MEGABYTE):
            connection.send(piece)
            expected.update(piece)
        assert wire.answer(connection).status == 204
    assert memory.peak - memory.start_at < ALLOWED_GROWTH
    version = wire.get(upload).location
    assert expected.hexdigest() in wire.get(version).text
    until(lambda: "The file could not be read." in wire.get(version).text, 120, "it is refused in words")


def test_one_request_with_the_whole_file_takes_no_more(desk: Desk, wire: Wire, dataset: str) -> None:
    content = os.urandom(MEGABYTE)
    head, tail, kind = multipart(b"")
    pieces = 128
    size = len(head) + pieces * len(content) + len(tail)
    with measured(desk) as memory:
        path = f"/datasets/{dataset}/upload/"
        connection = wire.open("POST", path, **{"Content-Type": kind, "Content-Length": str(size)})
        for part in (head, *[content] * pieces, tail):
            connection.send(part)
        answer = wire.answer(connection)
    assert answer.status == 302, answer.text
    assert memory.peak - memory.start_at < ALLOWED_GROWTH
    sha256 = hashlib.sha256(content * pieces).hexdigest()
    assert sha256 in wire.get(answer.location).text


def arrived(wire: Wire, upload: str, least: int) -> bool:
    return wire.offset(upload) >= least


def test_a_broken_line_loses_nothing(wire: Wire, dataset: str) -> None:
    content = b"person;year;remark\n" + ROW * (12 * MEGABYTE // len(ROW))
    upload = wire.begin(dataset, len(content)).location
    offset = 0
    for sent in (5 * MEGABYTE + 77_777, 3 * MEGABYTE - 1):
        with closing(wire.piece(upload, offset, len(content) - offset)) as connection:
            connection.send(content[offset : offset + sent])
        least = offset + sent - MEGABYTE
        until(partial(arrived, wire, upload, least), 60, "all but the last piece of what was sent is kept")
        offset = wire.offset(upload)
    assert wire.patch(upload, offset - 1, content[offset - 1 : offset + 99]).status == 409
    assert wire.patch(upload, offset, content[offset:]).status == 204
    assert hashlib.sha256(content).hexdigest() in wire.get(wire.get(upload).location).text


def test_limits_are_refused_before_the_first_byte_with_the_number(wire: Wire, dataset: str) -> None:
    too_much = 20 * 2**30 + 1
    answer = wire.begin(dataset, too_much)
    assert answer.status == 400
    assert answer.text == "The file is larger than the limit of 21.5\u00a0GB."
    _, _, kind = multipart(b"")
    headers = {"Content-Type": kind, "Content-Length": str(too_much + 2**20)}
    form = wire.answer(wire.open("POST", f"/datasets/{dataset}/upload/", **headers))
    assert form.status == 413
    assert "at most 21.5\u00a0GB can be uploaded" in form.text


def test_more_than_announced_is_refused(wire: Wire, dataset: str) -> None:
    upload = wire.begin(dataset, 10).location
    assert wire.patch(upload, 0, b"a,b\n1,2\n3,4\n").status == 400


@pytest.mark.parametrize("length", ["", "-1", "many", "1e3"])
def test_an_announcement_without_a_length_is_refused_in_words(wire: Wire, dataset: str, length: str) -> None:
    answer = wire.send("POST", "/uploads/", [], **{"Tus-Resumable": "1.0.0", "Upload-Length": length})
    assert answer.status in {400, 404}
    assert "Traceback" not in answer.text


def chunks(*parts: bytes) -> Iterator[bytes]:
    """A body whose length nobody says before."""
    for part in (*parts, b""):
        yield f"{len(part):x}\r\n".encode() + part + b"\r\n"


def test_a_body_without_a_length_is_refused_in_words(wire: Wire, dataset: str) -> None:
    content = b"person;year;remark\n" + ROW * 20
    upload = wire.begin(dataset, len(content)).location
    piece = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
    head, tail, kind = multipart(content)
    path = f"/datasets/{dataset}/upload/"
    chunked = {"Content-Type": kind, "Transfer-Encoding": "chunked"}
    for answer in (
        wire.send("PATCH", upload, chunks(content), **piece, **{"Transfer-Encoding": "chunked"}),
        wire.send("POST", path, chunks(head, tail), **chunked),
        wire.answer(wire.open("POST", path, **{"Content-Type": kind})),
    ):
        assert answer.status == 411
        assert "does not say how long it is" in answer.text
