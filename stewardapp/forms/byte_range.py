"""Which part of a file a request asks for (RFC 9110, 14): one part, or the whole."""

from __future__ import annotations

import re
from typing import NamedTuple

ONE_PART = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")


class Unsatisfiable(Exception):
    """The file has no such part (416)."""


class Part(NamedTuple):
    """Some bytes of a file: where they begin, how many."""

    start: int
    length: int

    def of(self, size: int) -> str:
        """As an answer names it."""
        return f"bytes {self.start}-{self.start + self.length - 1}/{size}"


def part_of(header: str, size: int) -> Part | None:
    """The part a `Range` names; None for the whole, also where it names several or none."""
    found = ONE_PART.fullmatch(header.strip())
    first, last = found.groups() if found else ("", "")
    if not (first or last) or (first and last and int(last) < int(first)):
        return None
    start = int(first) if first else max(size - int(last), 0)
    end = min(int(last) + 1, size) if first and last else size
    if start >= end:
        raise Unsatisfiable
    return Part(start, end - start)
