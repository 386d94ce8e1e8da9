"""What a place for sealed files can do. It sees neither a key nor a plain byte."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol


class Store(Protocol):
    """Sealed files by name. What lies under a name never becomes something else."""

    def send(self, path: Path, place: str) -> str:
        """Bring a finished file there, which may take long; the name that it is going to have.

        The file itself stays where it is until it is kept.
        """

    def put(self, path: Path, name: str) -> None:
        """Bring a file back under the name it had; it stays where it is."""

    def keep(self, path: Path, name: str) -> None:
        """Take the file that was sent away from its place; quick, in the transaction that refers to it."""

    def opened(self, name: str) -> AbstractContextManager[BinaryIO]:
        """The sealed bytes as a file of this machine, whose descriptor another process can be handed."""

    def reading(self, name: str) -> AbstractContextManager[BinaryIO]:
        """The sealed bytes, seekable; only what is asked for is brought here."""

    def remove(self, name: str) -> None:
        """Have it gone; what is not there is gone already."""

    def due(self) -> bool:
        """Whether it is time to look through everything; of those who ask at once one is told so."""

    def found(self) -> Iterator[tuple[str, float]]:
        """Everything that lies there, each with its age in seconds."""

    def tidy(self, grace_seconds: float) -> int:
        """Remove what was begun and never finished; how much."""

    def check(self) -> None:
        """Raise OSError unless it answers."""
