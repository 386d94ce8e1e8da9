"""A real store, over a line that breaks: nothing is lost, nothing is there twice, nobody waits for ever."""

from __future__ import annotations

import errno
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stewardapp.full_disk import is_disk_full
from stewardapp.store_away import StoreAway
from stewardapp.stores import bucket as stores
from stewardapp.stores import remote
from stewardapp.stores.bucket import Account, Bucket
from stewardapp.stores.copies import Copies
from tests import s3
from tests.s3 import Line

LONG = os.urandom(11 << 20)


def bucket(address: str, copies: Path, **more: Any) -> Bucket:
    facts = s3.wanted(address) | more
    account = Account(
        facts["STEWARD_STORE_ENDPOINT"], "us-east-1",
        facts["STEWARD_STORE_KEY"], facts["STEWARD_STORE_SECRET"], facts["STEWARD_STORE_PATIENCE"],
    )  # fmt: skip
    return Bucket(account, *facts["STEWARD_STORE"], "blobs", Copies(copies, 1 << 30))


@pytest.fixture
def line(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    """Parts of five megabytes, the smallest there are."""
    monkeypatch.setattr(stores, "PART", 5 << 20)
    monkeypatch.setattr(remote, "PAUSE", 0.01)
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # between tries
    with Line(s3_server).open() as line:
        yield line


@pytest.fixture
def store(line: Line, tmp_path: Path) -> Bucket:
    return bucket(line.address, tmp_path / "copies")


def send(store: Bucket, folder: Path, content: bytes = LONG) -> str:
    file = folder / "file"
    file.write_bytes(content)
    return store.send(file, "blobs/key/hash")


def content(store: Bucket, name: str) -> bytes:
    with store.reading(name) as file:
        return file.read()


def unfinished(store: Bucket) -> int:
    said = store.account.client().list_multipart_uploads(Bucket=s3.BUCKET, Prefix=store.prefix)
    return len(said.get("Uploads", ()))


@pytest.mark.parametrize("fault", ["away", "500", "lost"])
@pytest.mark.parametrize("part", ["?uploads", "partNumber=2", "?uploadId="])
def test_a_part_that_fails_is_sent_again(
    store: Bucket, line: Line, tmp_path: Path, fault: str, part: str
) -> None:
    line.once("PUT" if part == "partNumber=2" else "POST", fault, part=part)
    name = send(store, tmp_path)
    assert fault in {said for _, _, said in line.asked}
    assert content(store, name) == LONG
    assert [found for found, _ in store.found()] == [name]


@pytest.mark.parametrize("fault", ["away", "500", "lost"])
def test_a_small_file_that_fails_is_sent_again(store: Bucket, line: Line, tmp_path: Path, fault: str) -> None:
    line.once("PUT", fault)
    name = send(store, tmp_path, b"small")
    assert content(store, name) == b"small"
    assert [found for found, _ in store.found()] == [name]


def test_what_arrived_was_sent_although_no_answer_ever_came(
    store: Bucket, line: Line, tmp_path: Path
) -> None:
    line.rule = lambda method, path: "lost" if method == "PUT" else ""
    name = send(store, tmp_path, b"small")
    assert content(store, name) == b"small"
    assert [found for found, _ in store.found()] == [name]


def test_a_store_that_is_away_leaves_nothing_half(store: Bucket, line: Line, tmp_path: Path) -> None:
    line.rule = lambda method, path: "away" if method == "PUT" else ""
    with pytest.raises(StoreAway):
        send(store, tmp_path)
    assert (list(store.found()), unfinished(store)) == ([], 0)
    line.rule = lambda method, path: ""
    assert content(store, send(store, tmp_path)) == LONG


def test_an_upload_whose_sender_died_is_swept(store: Bucket, line: Line, tmp_path: Path) -> None:
    line.rule = lambda method, path: "" if method == "POST" and "?uploads" in path else "away"
    with pytest.raises(StoreAway):
        send(store, tmp_path)
    line.rule = lambda method, path: ""
    assert unfinished(store) == 1
    assert store.tidy(3600) == 0
    assert store.tidy(0) == 1
    assert unfinished(store) == 0


def test_a_store_without_room_is_a_full_disk(store: Bucket, line: Line, tmp_path: Path) -> None:
    line.rule = lambda method, path: "full" if method == "PUT" else ""
    with pytest.raises(OSError, match="room") as refused:
        send(store, tmp_path, b"small")
    assert is_disk_full(refused.value)


@pytest.mark.parametrize("fault", ["away", "500", "lost", "cut"])
def test_reading_goes_on_where_the_line_broke(store: Bucket, line: Line, tmp_path: Path, fault: str) -> None:
    name, asked = send(store, tmp_path), itertools.count()
    line.rule = lambda method, path: fault if method == "GET" and next(asked) % 2 else ""
    assert content(store, name) == LONG
    with store.opened(name) as copy:
        assert copy.read() == LONG


def test_a_silent_store_is_given_up(store: Bucket, line: Line, tmp_path: Path) -> None:
    name = send(store, tmp_path, b"small")
    line.rule = lambda method, path: "away"
    for ask in (
        store.check,
        lambda: store.remove(name),
        lambda: list(store.found()),
        lambda: content(store, name),
    ):
        with pytest.raises(StoreAway):
            ask()
    with pytest.raises(StoreAway), store.opened(name):
        pass
    line.rule = lambda method, path: ""
    assert content(store, name) == b"small"


def test_an_answer_that_comes_too_late_is_asked_for_again(s3_server: str, tmp_path: Path) -> None:
    with Line(s3_server).open() as line:
        store = bucket(line.address, tmp_path / "copies", STEWARD_STORE_PATIENCE=0.5)
        line.once("PUT", "slow")
        name = send(store, tmp_path, b"small")
        line.once("GET", "slow")
        assert content(store, name) == b"small"


def test_nobody_listens(tmp_path: Path) -> None:
    with pytest.raises(StoreAway):
        bucket("http://127.0.0.1:9", tmp_path).check()


def test_a_stranger_is_refused(s3_server: str, tmp_path: Path) -> None:
    with pytest.raises(StoreAway):
        bucket(s3_server, tmp_path, STEWARD_STORE_SECRET="guessed").check()


def test_what_was_read_lately_needs_no_store(store: Bucket, line: Line, tmp_path: Path) -> None:
    name = send(store, tmp_path)
    with store.opened(name) as copy:
        assert copy.read() == LONG
    line.rule = lambda method, path: "away"
    with store.opened(name) as copy:
        assert copy.read() == LONG
    assert content(store, name) == LONG


def test_of_a_long_file_only_what_is_asked_for_comes(store: Bucket, line: Line, tmp_path: Path) -> None:
    name = send(store, tmp_path)
    line.asked.clear()
    with store.reading(name) as file:
        file.seek(-44, os.SEEK_END)
        assert file.read() == LONG[-44:]
        file.seek(6 << 20)
        assert file.read(1000) == LONG[6 << 20 :][:1000]
    assert len(line.asked) == 3


def test_no_room_for_a_copy_is_a_full_disk(
    store: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = send(store, tmp_path, b"small")
    monkeypatch.setattr(Copies, "_free", lambda self: 4)
    with pytest.raises(OSError, match="room") as refused, store.opened(name):
        pass
    assert refused.value.errno == errno.ENOSPC
