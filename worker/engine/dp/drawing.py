"""The moment before the first noise is drawn: whoever carries out a recipe may want to note it.

From then on an answer exists that must not be drawn a second time, even if nobody has seen it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_note: ContextVar[Callable[[], None] | None] = ContextVar("what to do before noise is drawn", default=None)


@contextmanager
def noted_by(note: Callable[[], None]) -> Iterator[None]:
    """Call this before every draw inside the block; what it raises keeps the noise from being drawn."""
    token = _note.set(note)
    try:
        yield
    finally:
        _note.reset(token)


def about_to_draw() -> None:
    """Said by the samplers."""
    if (note := _note.get()) is not None:
        note()
