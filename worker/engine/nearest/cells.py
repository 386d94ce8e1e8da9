"""Rows of several tables as cells on one scale, so that all distances are of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.arrays import Longs
from worker.engine.io.kinds import date_forms
from worker.engine.tables.column import SUPPRESSED, Codes, Column, Floats, Mask, marks, parse_numbers
from worker.engine.tables.kinds import NUMERIC, Kind
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Field, Table

ORDERED = NUMERIC | {Kind.DATE}
ISO = "%Y-%m-%d"
DAY = 86_400.0
NUMBER = -1
"""The code of a cell that is a number."""

Rows = Longs | Mask | slice


@dataclass(frozen=True)
class Cells:
    """Rows × columns: numbers in parts of their column's range in the original, or codes of texts.

    Whatever is no number – a category, a missing value, `*` – has a code of its own, the same in all tables.
    """

    numbers: Floats
    codes: Codes

    def __len__(self) -> int:
        return len(self.numbers)

    def beside(self, other: Cells) -> Cells:
        """The rows of both."""
        return Cells(*(np.concatenate(pair) for pair in zip(self._parts, other._parts, strict=True)))

    def take(self, rows: Rows) -> Cells:
        """Some rows."""
        return Cells(self.numbers[rows], self.codes[rows])

    def only(self, columns: Sequence[int]) -> Cells:
        """Some columns."""
        parts = (one[:, list(columns)] for one in self._parts)
        return Cells(*(np.ascontiguousarray(one) for one in parts))

    @property
    def _parts(self) -> tuple[Any, Any]:
        return self.numbers, self.codes


@dataclass(frozen=True)
class Scale:
    """How the values of a column are read: from its original values, so that all tables are read alike."""

    kind: Kind
    span: float = 1.0
    """From the smallest number or day to the largest; 1 where there is but one, or no order."""
    dates: str | None = None
    """How the original writes dates."""

    @classmethod
    def of(cls, field: Field, original: Sequence[Statistics]) -> Scale:
        """From all values that the original has in a column."""
        if field.kind not in ORDERED:
            return cls(field.kind)
        domains = [side.distinct(field.name) for side in original]
        labels = pa.concat_arrays([one.arrow.cast(pa.string()) for one in domains])
        missing = np.concatenate([one.missing for one in domains])
        forms = _forms(labels, missing) if field.kind is Kind.DATE else ()
        scale = cls(field.kind, dates=forms[0] if forms else None)
        found = scale.numbers(labels, missing)
        known = found[~np.isnan(found)]
        span = float(known.max() - known.min()) if len(known) else 0.0
        return replace(scale, span=span) if np.isfinite(span) and span > 0 else scale

    def numbers(self, labels: pa.Array, missing: Mask) -> Floats:
        """The number or day of each label; NaN for one that is neither, and where there is no order."""
        if self.kind not in ORDERED:
            return np.full(len(labels), np.nan)
        found = self._days(labels, missing) if self.kind is Kind.DATE else parse_numbers(labels)
        found[missing] = np.nan
        return found

    def _days(self, labels: pa.Array, missing: Mask) -> Floats:
        """Days since 1970, in the original's form of dates, or in its own where a release has another."""
        forms = _forms(labels, missing)
        if not forms:
            return np.full(len(labels), np.nan)
        form = self.dates if self.dates in forms else forms[0]
        texts = labels.cast(pa.string())
        if form == ISO:  # a time of day may follow
            texts = pc.utf8_slice_codeunits(texts, 0, 10)
        times: Any = pc.strptime(texts, format=form, unit="s", error_is_null=True)
        seconds = pc.cast(pc.cast(times, pa.int64()), pa.float64()).to_numpy(zero_copy_only=False)
        return np.array(seconds, np.float64) / DAY


def _forms(labels: pa.Array, missing: Mask) -> tuple[str, ...]:
    """In which ways of writing dates all labels are one; `*` is none in any."""
    return date_forms(labels.filter(pa.array(~missing & ~marks(labels, frozenset({SUPPRESSED})))))


def laid_out(tables: Sequence[Table], names: Sequence[str], scales: Sequence[Scale]) -> list[Cells]:
    """The same columns of several tables as cells."""
    shapes = [(table.rows, len(names)) for table in tables]
    numbers = [np.zeros(shape) for shape in shapes]
    codes: list[Codes] = [np.zeros(shape, np.int32) for shape in shapes]
    for at, (name, scale) in enumerate(zip(names, scales, strict=True)):
        known: dict[str, int] = {}
        for table, some, others in zip(tables, numbers, codes, strict=True):
            some[:, at], others[:, at] = _read(table[name], scale, known)
    return [Cells(*one) for one in zip(numbers, codes, strict=True)]


def _read(column: Column, scale: Scale, known: dict[str, int]) -> tuple[Floats, Codes]:
    """The cells of one column; texts that no table had before take the next code."""
    some = column.compact()
    found = scale.numbers(some.labels, some.missing)
    codes = np.full(len(found), NUMBER, np.int32)
    for at in np.flatnonzero(np.isnan(found)).tolist():
        codes[at] = known.setdefault(some.label_texts[at], len(known))
    scaled = np.nan_to_num(found) / scale.span
    return (scaled[some.codes], codes[some.codes]) if len(found) else (np.empty(0), codes)
