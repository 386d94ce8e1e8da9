"""What the audit log said, noted outside the database: one line for each event, added after its commit.

<data>/audit/<host>.notes holds `number hash mark`. A file is only added to, by every process of its host, in
one write and without a lock; a line begins with its line break, so that one that was torn spoils no other.
Notes may lack an event (a process may die between commit and note), but an event that was noted was there. So
nothing is flushed to the disk for them: what a machine that lost its power forgets makes no false alarm.
"""

from __future__ import annotations

import hmac
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.db import transaction

from stewardapp import keyring, storage

FOLDER, SUFFIX = "audit", ".notes"
PURPOSE = "audit notes"
LINE = re.compile(rb"([0-9]{1,18}) ([0-9a-f]{64}) ([0-9a-f]{64})")
ODD = re.compile(r"[^A-Za-z0-9-]")


class Note(NamedTuple):
    """An event that was in the log once."""

    number: int
    hash: str


def note_after_commit(number: int, hash: str) -> None:
    """Note an event once it is in the log for good; a disk that is full must not undo what was done."""
    transaction.on_commit(lambda: note(number, hash), robust=True)


def note(number: int, hash: str) -> None:
    """Add a line to the file of this host."""
    line = f"\n{number} {hash} {_mark(number, hash)}".encode()
    try:
        descriptor = os.open(_file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except FileNotFoundError:
        _file().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(_file(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


class Noted:
    """All notes there are now; later ones are not read."""

    def __init__(self) -> None:
        self._files = [(path, path.stat().st_size) for path in sorted(_folder().glob(f"*{SUFFIX}"))]
        self.unreadable = 0
        """Lines without our mark, counted while reading: torn, damaged or forged."""

    def __iter__(self) -> Iterator[Note]:
        self.unreadable = 0
        for path, size in self._files:
            for line in _lines(path, size):
                if (found := _read(line)) is not None:
                    yield found
                else:
                    self.unreadable += 1


def _lines(path: Path, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        for line in file:
            size -= len(line)
            if size < 0:
                return
            if line := line.strip():
                yield line


def _read(line: bytes) -> Note | None:
    if (parts := LINE.fullmatch(line)) is None:
        return None
    number, hash, mark = int(parts[1]), parts[2].decode(), parts[3].decode()
    return Note(number, hash) if hmac.compare_digest(mark, _mark(number, hash)) else None


def _mark(number: int, hash: str) -> str:
    return hmac.digest(keyring.seal_of(PURPOSE), f"{number} {hash}".encode(), "sha256").hex()


def _folder() -> Path:
    return storage.root() / FOLDER


def _file() -> Path:
    return _folder() / f"{ODD.sub('-', socket.gethostname())}{SUFFIX}"
