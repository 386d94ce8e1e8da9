"""Which role a column probably has, and why: a hint for a person who decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import add
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.io.words import KEY_WORDS, NAME_WORDS, PERSON_WORDS, Hint, hint_of, says, words_of
from worker.engine.tables.kinds import NUMERIC, Kind, Role

_DISEASES = (
    "(?i)(cancer|diabet|asthma|hepatit|hypertens|depress|pneumon|influenza|gastr|arthrit|migraine|bronchit"
    "|tumou?r|infect|syndrome|disease)"
)
_DIRECT, _SENSITIVE, _QUASI = Role.DIRECT_IDENTIFIER, Role.SENSITIVE, Role.QUASI_IDENTIFIER
_LOOKS: tuple[tuple[str, Hint], ...] = (
    (r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$", Hint(_DIRECT, "looks like e-mail addresses")),
    (r"^(https?://|www\.)", Hint(_DIRECT, "looks like web addresses")),
    (r"^([0-9]{1,3}\.){3}[0-9]{1,3}$", Hint(_DIRECT, "looks like internet addresses")),
    (r"^[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?$", Hint(_DIRECT, "looks like bank accounts")),
    (r"^(\+|00)[1-9][0-9 ()/.-]{6,}$", Hint(_DIRECT, "looks like telephone numbers")),
    (r"^[0-9]{3}-[0-9]{2}-[0-9]{4}$", Hint(_DIRECT, "looks like social security numbers")),
    (r"(?i)^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", Hint(_DIRECT, "looks like random identifiers")),
    (r"^[A-TV-Z][0-9][0-9A-Z]\.[0-9A-Z]{1,4}$", Hint(_SENSITIVE, "looks like codes of diagnoses")),
    (_DISEASES, Hint(_SENSITIVE, "medical terms")),
    (r"^[0-9]{4,5}$", Hint(_QUASI, "looks like postal codes")),
    (r"^[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}$", Hint(_QUASI, "looks like postal codes")),
)
_MOSTLY, _SOME = 0.9, 0.25
PIVOT = 68
"""Two-digit years up to this one are those of 2000, as in POSIX, unless somebody says otherwise."""
SAMPLE = 2_000
"""So many texts of each batch are looked at."""


@dataclass(frozen=True)
class Looks:
    """Which patterns the distinct texts of a column fit; what was seen of two parts adds up."""

    seen: int = 0
    fits: tuple[int, ...] = (0,) * len(_LOOKS)
    words: float = 0.0
    longest: int = 0

    @classmethod
    def at(cls, texts: pa.Array) -> Self:
        """Look at some of the texts."""
        texts = texts.slice(0, SAMPLE)
        if not len(texts):
            return cls()
        fits = tuple(pc.sum(pc.match_substring_regex(texts, pattern)).as_py() for pattern, _ in _LOOKS)
        words = pc.sum(pc.count_substring(texts, " ")).as_py()
        return cls(len(texts), fits, words, pc.max(pc.utf8_length(texts)).as_py())

    def __add__(self, other: Self) -> Self:
        fits = tuple(map(add, self.fits, other.fits))
        longest = max(self.longest, other.longest)
        return type(self)(self.seen + other.seen, fits, self.words + other.words, longest)

    @property
    def hint(self) -> Hint | None:
        """What the values look like."""
        for fitting, (pattern, hint) in zip(self.fits, _LOOKS, strict=True):
            if self.seen and fitting / self.seen >= (_SOME if pattern is _DISEASES else _MOSTLY):
                return hint
        return None

    @property
    def is_prose(self) -> bool:
        """Whether these are sentences rather than labels."""
        return self.seen > 0 and (self.words / self.seen > 4 or self.longest > 200)


@dataclass(frozen=True)
class Seen:
    """What is known of a column when a role is suggested."""

    name: str
    kind: Kind
    distinct: int
    rows: int
    all_differ: bool
    unique_share: float
    looks: Looks
    date_forms: tuple[str, ...] = ()


def suggest(column: Seen) -> Hint | None:
    """A role and its reason; None when nothing points anywhere."""
    if not column.distinct:
        return Hint(Role.DROPPED, "holds no value at all")
    looks = column.looks.hint
    if column.kind in NUMERIC and looks and looks.role is not Role.DIRECT_IDENTIFIER:
        looks = None  # plain numbers look like codes of many kinds
    if looks and looks.role is Role.DIRECT_IDENTIFIER:
        return looks
    return _dated(_by_name(column) or looks or _by_content(column), column)


def alone(hints: Mapping[str, Hint | None], distinct: Mapping[str, int]) -> dict[str, Hint | None]:
    """The same hints, but no role twice that only one column may have: the finest one keeps it."""
    told = dict(hints)
    for role in (Role.HOUSEHOLD_KEY, Role.PERSON_KEY, Role.WEIGHT, Role.CONSENT):
        alike = [name for name, hint in hints.items() if hint is not None and hint.role is role]
        best = max(alike, key=lambda name: distinct[name], default=None)
        told |= dict.fromkeys((name for name in alike if name != best), None)
    return told


def _by_name(column: Seen) -> Hint | None:
    """What the column is called, as far as the values do not speak against it."""
    is_text = column.kind in (Kind.TEXT, Kind.CATEGORICAL)
    hint = hint_of(column.name)
    if is_text and hint is None and says(column.name, NAME_WORDS):
        return Hint(Role.DIRECT_IDENTIFIER, "called like a name")
    if _names_persons(column.name) and column.all_differ:
        return Hint(Role.DIRECT_IDENTIFIER, "called like the number of a person")
    if _names_persons(column.name) and column.distinct > column.rows / 20:
        return Hint(Role.PERSON_KEY, "the same person in several rows")
    several = column.rows >= 10 and column.kind not in (Kind.DECIMAL, Kind.DATE)
    if hint is None and several and column.all_differ and says(column.name, KEY_WORDS):
        return Hint(Role.DIRECT_IDENTIFIER, "called like a number of its own, and every value differs")
    return _checked(hint, column)


def _dated(hint: Hint | None, column: Seen) -> Hint | None:
    """With what must be said of dates: which century, and which number is the day."""
    if hint is None or column.kind is not Kind.DATE:
        return hint
    said = [hint.reason]
    if any("%y" in form for form in column.date_forms):
        said.append(f"two-digit years: 00 to {PIVOT} are taken as 20…, the others as 19…")
    if len(column.date_forms) > 1:
        said.append("day and month could be either way: say which where the dates are read")
    return Hint(hint.role, "; ".join(said))


def _names_persons(name: str) -> bool:
    """`patient`, `patient_id`, but not `patient_age`."""
    return says(name, PERSON_WORDS) and (len(words_of(name)) == 1 or says(name, KEY_WORDS))


def _checked(hint: Hint | None, column: Seen) -> Hint | None:
    """A name's hint, unless the values speak against it."""
    if hint is None:
        return None
    if hint.role is Role.WEIGHT and column.kind not in NUMERIC:
        return None
    if hint.role is Role.CONSENT and column.distinct > 5:
        return None
    return hint


def _by_content(column: Seen) -> Hint | None:
    if column.looks.is_prose:
        return Hint(Role.DROPPED, "free text, which may hold anything")
    if column.kind is Kind.DATE:
        return Hint(Role.QUASI_IDENTIFIER, "dates, which others may know")
    if column.rows >= 10 and column.unique_share > 0.9 and column.kind not in NUMERIC:
        return Hint(Role.QUASI_IDENTIFIER, "nearly every value differs: whoever knows it finds the row")
    return None
