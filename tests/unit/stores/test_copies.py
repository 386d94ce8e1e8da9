"""Copies of files from far away: bounded, whole, gone when nobody uses them."""

import errno
import os
from pathlib import Path

import pytest

from stewardapp.stores.copies import Copies


def bring(copies: Copies, name: str, content: bytes = b"12345") -> bytes:
    with copies.bring(name, len(content), [content[:2], content[2:]]) as copy:
        return copy.read()


def has(copies: Copies, name: str) -> bool:
    with copies.opened(name) as copy:
        return copy is not None


def names(copies: Copies) -> list[str]:
    return sorted(path.name for path in copies.folder.iterdir())


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    copies = Copies(tmp_path / "copies", 10)
    for number, name in enumerate(["a/old", "a/used"]):
        assert bring(copies, name) == b"12345"
        os.utime(copies._path(name), (number, number))
    assert has(copies, "a/old")  # and it is used now
    bring(copies, "a/new")
    assert names(copies) == ["a-new", "a-old"]


def test_an_open_copy_stays_readable(tmp_path: Path) -> None:
    copies = Copies(tmp_path / "copies", 5)
    bring(copies, "first")
    with copies.opened("first") as copy:
        assert copy is not None
        bring(copies, "second")
        assert copy.read() == b"12345"
    assert names(copies) == ["second"]


def test_half_a_copy_is_none(tmp_path: Path) -> None:
    copies = Copies(tmp_path / "copies", 10)

    def breaking() -> object:
        yield b"12"
        raise OSError(errno.EIO, "the line broke")

    with pytest.raises(OSError, match="broke"), copies.bring("half", 5, breaking()):  # type: ignore[arg-type]
        pass
    assert names(copies) == []


def test_a_file_that_is_here_anyway_is_a_copy(tmp_path: Path) -> None:
    copies, file = Copies(tmp_path / "copies", 10), tmp_path / "file"
    file.write_bytes(b"123")
    copies.take(file, "name")
    assert has(copies, "name")
    copies.remove("name")
    assert not has(copies, "name")


def test_what_nobody_uses_is_tidied_up(tmp_path: Path) -> None:
    copies = Copies(tmp_path / "copies", 10)
    bring(copies, "used")
    bring(copies, "unused")
    os.utime(copies._path("unused"), (0, 0))
    (copies.folder / ".begun").touch()
    assert copies.tidy(3600) == 1
    assert copies.tidy(0) == 1
    assert names(copies) == ["used"]


def test_what_is_done_once_in_a_while(tmp_path: Path) -> None:
    copies = Copies(tmp_path / "copies", 10)
    assert copies.first("listed")
    assert not copies.first("listed")
    assert copies.tidy(3600) == 0
    assert not copies.first("listed")
    copies.tidy(0)
    assert copies.first("listed")


def test_no_copy_is_begun_without_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = Copies(tmp_path / "copies", 10)
    monkeypatch.setattr(Copies, "_free", lambda self: 4)
    with pytest.raises(OSError, match="no room") as refused:
        bring(copies, "name")
    assert refused.value.errno == errno.ENOSPC
