"""Which column a hierarchy file is for, told from its name: `adult_hierarchy_age.csv` is for `age`.

The name of the column is compared word by word. A file that fits several columns equally well, and a column
that several files fit, are for a person to decide: nothing is guessed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import IntEnum

CALLED = frozenset({"hierarchy", "hierarchies", "hier", "hierarchie"})
"""Words that say of a file what it is."""
ENDINGS = (".csv", ".tsv", ".txt", ".json")
_BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])")
Words = tuple[str, ...]


class Fit(IntEnum):
    """How well a name fits, the best last."""

    NONE = 0
    WITHIN = 1
    BESIDE = 2
    WHOLE = 3


@dataclass(frozen=True)
class Match:
    """A file and the columns it may be for: one, several, or none."""

    file: str
    columns: tuple[str, ...]

    @property
    def column(self) -> str | None:
        """The one column it is for."""
        return self.columns[0] if len(self.columns) == 1 else None


def matches(files: Iterable[str], columns: Collection[str]) -> list[Match]:
    """The columns that each file fits best."""
    return [Match(file, columns_of(file, columns)) for file in files]


def columns_of(file: str, columns: Collection[str]) -> tuple[str, ...]:
    """The columns that a file of this name fits best; the longest name wins among equal fits."""
    known = words(_stem(file))
    fits = {column: (fit, len(words(column))) for column in columns if (fit := _fit(known, words(column)))}
    best = max(fits.values(), default=None)
    return tuple(column for column, found in fits.items() if found == best)


def words(name: str) -> Words:
    """A name cut at marks and where the case rises, without accents and case."""
    plain = unicodedata.normalize("NFKD", _BREAK.sub(" ", name)).casefold()
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return tuple(re.findall(r"[^\W_]+", letters))


def _stem(file: str) -> str:
    """Without the ending, whatever the case of it."""
    for ending in ENDINGS:
        if file.casefold().endswith(ending):
            return file[: -len(ending)]
    return file


def _fit(file: Words, column: Words) -> Fit:
    if not column:
        return Fit.NONE
    if "".join(file) == "".join(column):
        return Fit.WHOLE
    if "".join(column) in {"".join(rest) for rest in _beside(file)}:
        return Fit.BESIDE
    within = any(file[at : at + len(column)] == column for at in range(len(file)))
    return Fit.WITHIN if within else Fit.NONE


def _beside(file: Words) -> list[Words]:
    """What stands before and behind a word such as `hierarchy`."""
    places = [at for at, word in enumerate(file) if word in CALLED]
    return [part for at in places for part in (file[:at], file[at + 1 :]) if part]
