"""Pieces of pages that are written once: what stands in one follows from what it is given, and nothing else.

A piece is found by the hash of its template and of everything it is given. So whoever may not know of
something, for whom a page gives a piece less, never meets what was written for somebody else. It knows no
request: no person, no token, no address that was asked for.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Mapping
from hashlib import sha256
from threading import Lock

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

MOST_CHARACTERS = 16 * 2**20
SECONDS = 600
"""So long a piece is kept: what it was made of may be destroyed."""


class Kept:
    """Texts by their keys; the oldest make room, and go after a while."""

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self.most, self.characters = most, 0
        self._texts: dict[bytes, tuple[float, SafeString]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._texts)

    def get(self, key: bytes) -> SafeString | None:
        """A text that is not too old."""
        with self._lock:
            made, text = self._texts.get(key, (0.0, None))
            return None if made < time.monotonic() - SECONDS else text

    def put(self, key: bytes, text: SafeString) -> None:
        """Keep a text, unless it alone takes a quarter of the room."""
        if len(text) > self.most // 4:
            return
        with self._lock:
            self._drop(key)
            self._texts[key] = (time.monotonic(), text)
            self.characters += len(text)
            while self.characters > self.most or self._oldest < time.monotonic() - SECONDS:
                self._drop(next(iter(self._texts)))

    @property
    def _oldest(self) -> float:
        return next(iter(self._texts.values()))[0]

    def _drop(self, key: bytes) -> None:
        _, text = self._texts.pop(key, (0.0, ""))
        self.characters -= len(text)


pieces = Kept()
"""Those of this process; they never leave it."""


def piece(template: str, given: Mapping[str, object]) -> SafeString:
    """What a template makes of what it is given."""
    key = sha256(pickle.dumps((template, tuple(given.items())), pickle.HIGHEST_PROTOCOL)).digest()
    text = pieces.get(key)
    if text is None:
        text = render_to_string(template, dict(given))
        pieces.put(key, text)
    return text
