"""Kept columns that nobody else could know, and why: what is looked up in releases does not count them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stewardapp.access.verdict import Invalid
from stewardapp.domain.text import required
from worker.engine.tables.kinds import Role

if TYPE_CHECKING:
    from stewardapp.models.column import Column

REASONS: Mapping[str, str] = {
    "measured-here": "measured only here",
    "never-shared": "internal number, never shared",
    "means-nothing": "no meaning outside",
    "other": "other",
}
LONGEST = 300


@dataclass(frozen=True)
class Unknown:
    """Why others could not know a column: a reason of the list, and in words."""

    because: str
    words: str

    @classmethod
    def of(cls, because: str, words: str) -> Unknown:
        """Both are asked for: who reviews the release reads them beside what the column would add."""
        if because not in REASONS:
            raise Invalid("no-reason", "Choose why others could not know it.", "because")
        return cls(because, required(words, "words", LONGEST))


def why(column: Column) -> str:
    """The reason as recipes and reports spell it; nothing where others could know the column."""
    if column.role != Role.OTHER or not column.unknown_because:
        return ""
    told = REASONS.get(column.unknown_because, column.unknown_because)
    return f"{told}: {column.unknown_words}"
