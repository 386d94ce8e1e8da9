"""Sealed files in a folder of this machine."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast


@dataclass(frozen=True)
class Folder:
    """Files under one root; the part of it that is the store's own is `place`."""

    root: Path
    place: str

    def send(self, path: Path, place: str) -> str:
        """It is near enough: nothing is done before the end."""
        del path
        return place

    def put(self, path: Path, name: str) -> None:
        """A private copy."""
        target = self.root / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        target.chmod(0o600)

    def keep(self, path: Path, name: str) -> None:
        """Give it its final name, down to the disk."""
        target = self.root / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.replace(target)
        _sync(target.parent)

    @contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """The file itself."""
        with (self.root / name).open("rb", buffering=0) as file:
            yield cast(BinaryIO, file)

    reading = opened

    def remove(self, name: str) -> None:
        """Gone with its name."""
        (self.root / name).unlink(missing_ok=True)

    def due(self) -> bool:
        """A folder is looked through in no time."""
        return True

    def found(self) -> Iterator[tuple[str, float]]:
        """All files, as they are met."""
        for path in (self.root / self.place).glob("*/*"):
            with suppress(FileNotFoundError):  # removed in this moment
                yield path.relative_to(self.root).as_posix(), time.time() - path.stat().st_mtime

    def tidy(self, grace_seconds: float) -> int:
        """A file is here whole or not at all."""
        del grace_seconds
        return 0

    def check(self) -> None:
        """Nothing can be away that the door does not try by itself."""


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
