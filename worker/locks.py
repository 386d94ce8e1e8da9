"""A folder that one living process holds: the lock goes with the process, however it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One process at a time in the exchange tables of this folder."""
    with (folder / ".lock").open("ab") as file:
        flock(file, LOCK_EX)
        yield


def is_free(folder: Path) -> bool:
    """Whether no living process holds the lock of this folder."""
    with (folder / ".lock").open("ab") as file:
        try:
            flock(file, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            return False
    return True
