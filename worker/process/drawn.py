"""A mark beside an answer that was paid for: noise is being drawn, by this process and no other, once.

A run that was charged and bears no mark can be begun again under its charge, because nothing was drawn. With
the mark and without an answer it has to end, and its charge stays.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from worker.engine.dp.drawing import noted_by
from worker.engine.errors import EngineError

MARK = "drawn"


class Mark:
    """Made at most once in a folder, whoever tries."""

    def __init__(self, folder: str) -> None:
        self._folder, self._mine = folder, False

    def make(self) -> None:
        """Leave the mark for good, or refuse when another process was first."""
        if self._mine:
            return
        place = os.open(self._folder, os.O_RDONLY)
        try:
            os.close(os.open(MARK, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600, dir_fd=place))
            os.fsync(place)
        except FileExistsError:
            raise EngineError("charged-unanswered", TWICE) from None
        finally:
            os.close(place)
        self._mine = True


@contextmanager
def marked(folder: str | None) -> Iterator[None]:
    """Mark the folder before the first noise is drawn in the block, or at its end when none was."""
    if folder is None:
        yield
        return
    mark = Mark(folder)
    with noted_by(mark.make):
        yield
    mark.make()


TWICE = (
    "Another process was already drawing the noise that this charge paid for. "
    "The charge stays, because drawing it again would reveal more. Run or ask it anew if the budget allows: "
    "that has a price of its own."
)
