"""Classifications that everybody uses, as small tables: countries, occupations, diseases, and the like.

Each file begins with what it is, its source and its licence, how values are matched – by name, by the range
or by the beginning of a code –, and the words by which a column of such values is called. Each further line
holds what is matched and the labels from fine to coarse.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Path_ = tuple[str, ...]
UNKNOWN = "not classified"
ENOUGH = 0.8
"""A classification is proposed when it knows this share of the values."""


@dataclass(frozen=True)
class Classification:
    """One table."""

    slug: str
    title: str
    source: str
    licence: str
    words: frozenset[str]
    match: str
    width: int
    steps: tuple[int, ...]
    pattern: str
    lines: tuple[tuple[str, Path_], ...]

    def path(self, value: str) -> Path_ | None:
        """The labels of a value from fine to coarse; None when it is not known."""
        if self.match == "names":
            return self._names.get(plain(value))
        code = value.strip().upper()
        if not re.fullmatch(self.pattern, code):
            return None
        code = code.replace(".", "")
        top = self._top(code[: self.width])
        return None if top is None else (*(code[:step] for step in self.steps), *top)

    @property
    def _names(self) -> Mapping[str, Path_]:
        return _names_of(self)

    def _top(self, start: str) -> Path_ | None:
        for keys, labels in self.lines:
            low, _, high = keys.partition("-")
            if low <= start <= (high or low):
                return labels
        return None

    def rows(self, values: Collection[str]) -> list[Path_]:
        """A hierarchy over the values; what is not known stays apart until the root."""
        height = len(self.lines[0][1]) + len(self.steps)
        return [(value, *(self.path(value) or (UNKNOWN,) * height), "*") for value in sorted(values)]

    def knows(self, values: Collection[str]) -> float:
        """The share of values that are known."""
        return sum(self.path(value) is not None for value in values) / max(len(values), 1)


@cache
def _names_of(table: Classification) -> Mapping[str, Path_]:
    return {plain(name): labels for names, labels in table.lines for name in names.split("|")}


def plain(text: str) -> str:
    """Letters and digits alone, in one case, without accents."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if char.isalnum())


@cache
def classifications() -> tuple[Classification, ...]:
    """Every table that is shipped."""
    return tuple(_read(path) for path in sorted(Path(__file__).parent.glob("*.csv")))


def _read(path: Path) -> Classification:
    said: dict[str, str] = {}
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            name, colon, rest = line.lstrip("# ").partition(": ")
            key = name if colon and name in _SAID else "title"
            said[key] = rest if key == name else line.lstrip("# ")
            continue
        [[keys, *labels]] = csv.reader([line], delimiter=";")
        lines.append((keys, tuple(labels)))
    match, _, width = said["match"].partition(" ")
    steps = tuple(map(int, said.get("steps", "").split()))
    words = frozenset(said["words"].split())
    return Classification(
        path.stem, said["title"], said["source"], said["licence"], words, match, int(width or 0), steps,
        said.get("pattern", ""), tuple(lines),
    )  # fmt: skip


_SAID = ("source", "licence", "match", "steps", "pattern", "words")
