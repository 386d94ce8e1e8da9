"""A secret is made once, whoever starts first, and nobody else can read it."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from stewardapp.secrets_file import keep_first, read_or_create, write_private


def test_processes_that_start_together_agree(tmp_path: Path) -> None:
    barrier, path = threading.Barrier(8), tmp_path / "new" / "key"

    def start(_: int) -> str:
        barrier.wait(30)
        return read_or_create(path)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(start, range(8)))) == 1
    assert [one.name for one in path.parent.iterdir()] == ["key"]


def test_only_the_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "key"
    assert len(read_or_create(path, length=16)) == 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700 & ~os.umask(os.umask(0))


def test_the_first_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "key"
    assert keep_first(path, "one")
    assert not keep_first(path, "two")
    assert read_or_create(path) == "one"


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("one")
    with pytest.raises(FileExistsError):
        write_private(tmp_path / "key", "two")
