"""How a column's values look, for making up new ones: numbers on a grid, or categories.

Nothing rare is remembered: a category of fewer rows than `smallest` is forgotten, and numbers are kept
as means of at least so many values.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from worker.engine.errors import NoSolution
from worker.engine.tables.column import Column, Floats, Mask
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import Codes

FEW_VALUES = 50
MOST_FORGOTTEN = 0.05
"""Numbers of few values are made up like categories unless more rows than this would be forgotten."""
MOST_KNOTS = 200
_DAY = "datetime64[D]"


@dataclass(frozen=True)
class Numbers:
    """Numbers, or dates as days, in steps of `step` / 10^`places`. `knots` are rising means of groups."""

    name: str
    kind: Kind
    places: int
    step: int
    missing: float
    knots: Floats

    def read(self, column: Column) -> Floats:
        """The number in each row; NaN where there is none."""
        return days_of(column) if self.kind is Kind.DATE else column.numbers

    def write(self, numbers: Floats) -> Column:
        """Numbers as a column: rounded as the original ones."""
        rounded = np.rint(numbers * 10.0**self.places / self.step) * self.step / 10.0**self.places
        if self.kind is not Kind.DATE:
            return NumberColumn(self.name, self.kind, rounded, self.places)
        distinct, codes = np.unique(rounded, return_inverse=True)
        gone = np.isnan(distinct)
        days = np.where(gone, 0, distinct).astype(np.int64).astype(_DAY)
        texts = ["" if none else str(day) for none, day in zip(gone.tolist(), days, strict=True)]
        return Column.of_domain(self.name, self.kind, codes.reshape(-1).astype(np.int32), texts, gone)


@dataclass(frozen=True)
class Categories:
    """Texts in an order, the missing one last, with their shares."""

    name: str
    kind: Kind
    texts: tuple[str, ...]
    shares: Floats

    def read(self, column: Column) -> Codes:
        """The place of each row's text; −1 for one that is forgotten."""
        index = {text: i for i, text in enumerate(self.texts)}
        some = column.compact()
        labels = zip(some.label_texts, some.missing.tolist(), strict=True)
        table = np.array([index.get("" if gone else text, -1) for text, gone in labels], dtype=np.int32)
        return table[some.codes] if len(table) else np.zeros(len(column), np.int32)

    def write(self, codes: Codes) -> Column:
        """Places as a column."""
        missing: Mask = np.array([text == "" for text in self.texts], dtype=bool)
        return Column.of_domain(self.name, self.kind, codes.astype(np.int32), self.texts, missing)

    def ordered_by(self, codes: Codes, numbers: Floats) -> Categories:
        """The same in ascending order of the mean number of their rows."""
        totals = np.bincount(codes[codes >= 0], weights=numbers[codes >= 0], minlength=len(self.texts))
        rows = np.bincount(codes[codes >= 0], minlength=len(self.texts))
        order = np.argsort(totals / np.maximum(rows, 1), kind="stable")
        return replace(self, texts=tuple(self.texts[i] for i in order), shares=self.shares[order])

    @property
    def ends(self) -> Floats:
        """Where each category ends when all are laid out from 0 to 1."""
        ends: Floats = np.cumsum(self.shares)
        return ends / ends[-1] if len(ends) else ends


Shape = Numbers | Categories


def shape_of(column: Column, declared: Declaration, smallest: int) -> Shape:
    """What is remembered of a column of which some rows are at hand."""
    if column.is_numeric or column.kind is Kind.DATE:
        numbers = days_of(column) if column.kind is Kind.DATE else column.numbers
        known = np.sort(numbers[~np.isnan(numbers)])
        some = column.kind is Kind.DATE or _of_many_values(known, smallest)
        if some and len(known) >= max(1, smallest):
            missing = 1.0 - len(known) / max(1, len(numbers))
            places = 0 if column.kind in (Kind.DATE, Kind.INTEGER) else column.places()
            step = _step(known, places)
            return Numbers(column.name, column.kind, places, step, missing, _knots(known, smallest))
    return _categories(column, declared, smallest)


def _of_many_values(known: Floats, smallest: int) -> bool:
    rows = np.unique(known, return_counts=True)[1]
    return len(rows) > FEW_VALUES or int(rows[rows < smallest].sum()) > MOST_FORGOTTEN * len(known)


def days_of(column: Column) -> Floats:
    """Dates as days since 1970; NaN for anything that is no ISO date."""
    some = column.compact()
    days = np.array([_day(text) for text in some.label_texts], dtype=np.float64)
    return days[some.codes] if len(days) else np.empty(0)


def _day(text: str) -> float:
    try:
        return float(np.datetime64(text, "D").astype(np.int64)) if text else np.nan
    except ValueError:
        return np.nan


def _step(known: Floats, places: int) -> int:
    """The largest whole number of last digits that divides all values, such as 100 for full hundreds."""
    whole = np.rint(known * 10.0**places)
    if not len(whole) or np.abs(whole).max() >= 2.0**62:
        return 1
    return max(1, int(np.gcd.reduce(whole.astype(np.int64))))


def _knots(known: Floats, smallest: int) -> Floats:
    groups = int(np.clip(len(known) // max(1, smallest), 1, MOST_KNOTS))
    means: Floats = np.array([part.mean() for part in np.array_split(known, groups)])
    return means


def _categories(column: Column, declared: Declaration, smallest: int) -> Categories:
    counts: dict[str, int] = {}
    totals = np.bincount(column.codes, minlength=len(column.labels)).tolist() if len(column.labels) else []
    for text, gone, rows in zip(column.label_texts, column.missing.tolist(), totals, strict=True):
        if rows:
            counts["" if gone else text] = counts.get("" if gone else text, 0) + rows
    kept = {text: rows for text, rows in counts.items() if rows >= smallest}
    if counts and not any(kept):
        text = (
            f"columns: no value of column {column.name!r} occurs in {smallest} rows or more, so nothing "
            "can be made up for it. Generalize it first, or leave it out."
        )
        raise NoSolution("all-rare", text, param="columns")
    order = sorted(kept, key=_order(column, declared))
    total = max(1, sum(kept.values()))
    return Categories(column.name, column.kind, tuple(order), np.array([kept[t] / total for t in order]))


def _order(column: Column, declared: Declaration) -> Any:
    """Missing last; else by number, as declared, or by text."""
    places = {text: i for i, text in enumerate(declared.categories or ())}
    if column.is_numeric:
        values = dict(zip(column.label_texts, column.label_numbers.tolist(), strict=True))
        return lambda text: (text == "", values.get(text, 0.0), text)
    return lambda text: (text == "", places.get(text, len(places)), text)
