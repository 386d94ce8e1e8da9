"""What the texts of a column are: numbers, dates, truth values, categories or free text.

Strict: one text that does not fit ends a candidate. Digits with a leading zero are codes, not numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.tables.column import Mask
from worker.engine.tables.kinds import Kind

_YEAR, _MONTH, _DAY = "[0-9]{4}", "(0[1-9]|1[0-2])", "(0[1-9]|[12][0-9]|3[01])"
_LOOSE_MONTH, _LOOSE_DAY = "(0?[1-9]|1[0-2])", "(0?[1-9]|[12][0-9]|3[01])"
_TIME = "([T ][0-2][0-9]:[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"

INTEGER = "^[+-]?(0|[1-9][0-9]{0,17})$"
DECIMAL = "^[+-]?((0|[1-9][0-9]*)([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?$"
_SHORT_YEAR = "[0-9]{2}"
_SEPARATORS = {".": "[.]", "/": "/", "-": "-"}
DATES = {
    "%Y-%m-%d": f"^{_YEAR}-{_MONTH}-{_DAY}{_TIME}$",
    "%Y/%m/%d": f"^{_YEAR}/{_MONTH}/{_DAY}$",
} | {
    sign.join((*order, year)): f"^{one}{written}{other}{written}{digits}$"
    for sign, written in _SEPARATORS.items()
    for order, one, other in (
        (("%d", "%m"), _LOOSE_DAY, _LOOSE_MONTH),
        (("%m", "%d"), _LOOSE_MONTH, _LOOSE_DAY),
    )
    for year, digits in (("%Y", _YEAR), ("%y", _SHORT_YEAR))
}
"""Every way of writing a date by its `strptime` form. A column keeps to one."""
COMPACT_DATE = f"^(19|20)[0-9]{{2}}{_MONTH}{_DAY}$"
BOOLEANS = (
    frozenset({"true", "false"}), frozenset({"yes", "no"}), frozenset({"y", "n"}), frozenset({"t", "f"}),
    frozenset({"ja", "nein"}), frozenset({"oui", "non"}), frozenset({"sí", "no"}), frozenset({"si", "no"}),
    frozenset({"ja", "nej"}), frozenset({"ja", "nee"}), frozenset({"0", "1"}),
)  # fmt: skip
CATEGORY_LABELS = 1_000
CATEGORY_CHARACTERS = 60


def fits(texts: pa.Array, pattern: str) -> bool:
    """Whether every text matches."""
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


@dataclass(frozen=True, slots=True)
class Fitting:
    """What some texts can be."""

    patterns: frozenset[str]
    longest: int
    truths: frozenset[str] | None
    """Their words in small letters, unless there are too many for truth values."""


class KindGuess:
    """Narrows down what a column can be as its distinct texts go by."""

    def __init__(self) -> None:
        self._patterns: dict[str, str] = {"integer": INTEGER, "decimal": DECIMAL, "compact": COMPACT_DATE}
        self._patterns |= DATES
        self._truths: frozenset[str] | None = frozenset()
        self._longest = 0
        self.any = False

    def see(self, texts: pa.Array) -> None:
        """Distinct texts that are not missing codes; the same text may come again."""
        self.add(self.looked_at(texts))

    def looked_at(self, texts: pa.Array) -> Fitting | None:
        """What these texts can be of what is still possible: any thread may look, in any order."""
        if not len(texts):
            return None
        first = texts[0].as_py()
        patterns = frozenset(
            name for name, p in self._patterns.items() if re.match(p, first) and fits(texts, p)
        )
        longest = pc.max(pc.utf8_length(texts)).as_py()
        few = len(texts) <= 2
        truths = frozenset(text.lower() for text in texts.to_pylist()) if few else None
        return Fitting(patterns, longest, truths)

    def add(self, found: Fitting | None) -> None:
        """Take in what was found of some texts."""
        if found is None:
            return
        self.any = True
        self._patterns = {name: p for name, p in self._patterns.items() if name in found.patterns}
        self._longest = max(self._longest, found.longest)
        together = None if self._truths is None or found.truths is None else self._truths | found.truths
        self._truths = together if together and any(together <= pair for pair in BOOLEANS) else None

    @property
    def date_forms(self) -> tuple[str, ...]:
        """The forms of dates that all texts fit; two when the day could be the month."""
        return tuple(form for form in DATES if form in self._patterns) if self.any else ()

    def kind(self, distinct: float) -> Kind:
        """The narrowest kind that all texts fit; 0 with 1 are truth values, one of them alone is a number."""
        if not self.any:
            return Kind.TEXT
        if self._truths is not None and len(self._truths) == 2:
            return Kind.BOOLEAN
        if "compact" in self._patterns or self.date_forms:
            return Kind.DATE
        if "integer" in self._patterns:
            return Kind.INTEGER
        if "decimal" in self._patterns:
            return Kind.DECIMAL
        few = distinct <= CATEGORY_LABELS and self._longest <= CATEGORY_CHARACTERS
        return Kind.CATEGORICAL if few else Kind.TEXT


def kind_of_labels(labels: pa.Array, missing: Mask) -> Kind:
    """The kind of a column whose labels are all at hand."""
    guess = KindGuess()
    texts = labels.filter(pa.array(~missing))
    guess.see(texts)
    return guess.kind(len(texts))


def date_forms(texts: pa.Array) -> tuple[str, ...]:
    """The forms of dates that all of these texts fit."""
    guess = KindGuess()
    guess.see(texts)
    return guess.date_forms
