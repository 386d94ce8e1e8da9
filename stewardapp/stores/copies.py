"""Sealed files that were brought here from a store far away: the latest ones, within bounds."""

from __future__ import annotations

import errno
import os
import shutil
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

UNUSED_SECONDS = 24 * 3600.0
BEGUN = "."


@dataclass(frozen=True)
class Copies:
    """A folder of files that can be brought again; what was not used for longest goes first.

    A file that somebody has open stays readable for him, whatever becomes of its name.
    """

    folder: Path
    most: int

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO | None]:
        """The copy, if there is one."""
        with suppress(FileNotFoundError), self._path(name).open("rb", buffering=0) as file:
            os.utime(file.fileno())
            yield cast(BinaryIO, file)
            return
        yield None

    @contextmanager
    def bring(self, name: str, size: int, pieces: Iterable[bytes]) -> Iterator[BinaryIO]:
        """Make the copy, whole or not at all."""
        self.make_room(size)
        begun = self.folder / f"{BEGUN}{uuid.uuid4().hex}"
        try:
            with os.fdopen(os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.writelines(pieces)
            with begun.open("rb", buffering=0) as copy:
                begun.replace(self._path(name))
                yield cast(BinaryIO, copy)
        finally:
            begun.unlink(missing_ok=True)

    def take(self, path: Path, name: str) -> None:
        """A file that lies here anyway is the copy of what was sent; without room for it, none is needed."""
        try:
            self.make_room(path.stat().st_size, on_disk=False)
            path.replace(self._path(name))
        except OSError:
            path.unlink(missing_ok=True)

    def remove(self, name: str) -> None:
        """Have no copy of it."""
        self._path(name).unlink(missing_ok=True)

    def tidy(self, grace_seconds: float) -> int:
        """Remove what a killed process began, and what nobody used for a day; how many."""
        now, removed = time.time(), 0
        for path in self._all():
            allowed = grace_seconds if path.name.startswith(BEGUN) else UNUSED_SECONDS
            with suppress(FileNotFoundError):
                if now - path.stat().st_mtime >= allowed:
                    path.unlink()
                    removed += 1
        return removed

    def first(self, what: str) -> bool:
        """Whether nobody asked this since it was tidied up."""
        self._all()
        try:
            os.close(os.open(self.folder / f"{BEGUN}{what}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return False
        return True

    def make_room(self, size: int, *, on_disk: bool = True) -> None:
        """Let older copies go until this much fits within the bound, and on the disk."""
        there = sorted(self._sizes())
        held = sum(one for _, one, _ in there)
        for _, one, path in there:
            if held + size <= self.most and (not on_disk or self._free() >= size):
                return
            path.unlink(missing_ok=True)
            held -= one
        if on_disk and self._free() < size:
            raise OSError(errno.ENOSPC, "no room for a copy of a stored file")

    def _sizes(self) -> Iterator[tuple[float, int, Path]]:
        for path in self._all():
            with suppress(FileNotFoundError):
                facts = path.stat()
                if not path.name.startswith(BEGUN):
                    yield facts.st_mtime, facts.st_size, path

    def _all(self) -> list[Path]:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return list(self.folder.iterdir())

    def _free(self) -> int:
        return shutil.disk_usage(self.folder).free

    def _path(self, name: str) -> Path:
        return self.folder / name.replace("/", "-")
