"""A file far away: what is read on and on streams, a jump costs one request, memory holds one frame."""

import io
import os

import pytest

from stewardapp.store_away import StoreAway
from stewardapp.stores import remote
from stewardapp.stores.remote import FIRST, Answered, Remote

CONTENT = os.urandom(9 << 20)


class Far:
    """Answers, and notes what it was asked for."""

    def __init__(self, content: bytes = CONTENT) -> None:
        self.content, self.asked = content, list[tuple[int, int]]()

    def get(self, start: int, length: int) -> Answered:
        self.asked.append((start, length))
        return Answered(io.BytesIO(self.content[start : start + length]), len(self.content))


def test_a_small_file_is_one_request() -> None:
    far = Far(b"small")
    file = Remote(far.get)
    file.seek(1)
    assert (file.read(), file.read(1), file.tell()) == (b"mall", b"", 5)
    assert far.asked == [(0, FIRST)]


def test_what_is_read_on_and_on_is_asked_for_in_longer_and_longer_parts() -> None:
    far = Far()
    file = Remote(far.get)
    while file.read(1 << 20):
        pass
    (*lengths, last) = (length for _, length in far.asked[1:])
    assert lengths == [1 << 20 << 2 * longer for longer in range(len(lengths))]
    assert sum(lengths) + last == len(CONTENT) - FIRST


def test_a_jump_asks_for_what_is_wanted() -> None:
    far = Far()
    file = Remote(far.get)
    file.seek(-10, os.SEEK_END)
    assert file.read(100) == CONTENT[-10:]
    file.seek(5 << 20)
    assert file.read(7) == CONTENT[5 << 20 :][:7]
    assert far.asked[1:] == [(len(CONTENT) - 10, 10), (5 << 20, 7)]
    file.close()


def test_all_of_it_at_once() -> None:
    far = Far()
    assert b"".join(Remote(far.get).pieces(1 << 20)) == CONTENT
    assert len(far.asked) == 2


def test_a_line_that_stays_broken_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "PAUSE", 0.0)
    far = Far()
    file = Remote(far.get)
    far.content = far.content[: 4 << 20]  # the answers end early
    assert len(file.read(FIRST)) == FIRST
    with pytest.raises(StoreAway):
        list(iter(lambda: file.read(1 << 20), b""))
    assert file.tell() == 4 << 20
