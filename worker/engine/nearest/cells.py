"""Rows of several tables as cells on one scale, so that all distances are of one kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.arrays import Longs
from worker.engine.io.kinds import date_forms
from worker.engine.tables.column import Codes, Column, Floats, Mask, parse_numbers
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

    def take(self, rows: Rows) -> Cells:
        """Some rows."""
        return Cells(self.numbers[rows], self.codes[rows])

    def only(self, columns: Sequence[int]) -> Cells:
        """Some columns."""
        parts = (one[:, list(columns)] for one in (self.numbers, self.codes))
        return Cells(*(np.ascontiguousarray(one) for one in parts))  # type: ignore[arg-type]


def laid_out(tables: Sequence[Table], fields: Sequence[Field], ranges: Sequence[float]) -> list[Cells]:
    """The same columns of several tables as cells."""
    shapes = [(table.rows, len(fields)) for table in tables]
    numbers = [np.zeros(shape) for shape in shapes]
    codes: list[Codes] = [np.zeros(shape, np.int32) for shape in shapes]
    for at, (field, span) in enumerate(zip(fields, ranges, strict=True)):
        known: dict[str, int] = {}
        for table, some, others in zip(tables, numbers, codes, strict=True):
            some[:, at], others[:, at] = _read(table[field.name], field.kind, span, known)
    return [Cells(*one) for one in zip(numbers, codes, strict=True)]


def _read(column: Column, kind: Kind, span: float, known: dict[str, int]) -> tuple[Floats, Codes]:
    """The cells of one column; texts that no table had before take the next code."""
    some = column.compact()
    found = numbers_of(some.labels, some.missing, kind)
    codes = np.full(len(found), NUMBER, np.int32)
    for at in np.flatnonzero(np.isnan(found)).tolist():
        codes[at] = known.setdefault(some.label_texts[at], len(known))
    scaled = np.nan_to_num(found) / span
    return (scaled[some.codes], codes[some.codes]) if len(found) else (np.empty(0), codes)


def numbers_of(labels: pa.Array, missing: Mask, kind: Kind) -> Floats:
    """The number or day of each label; NaN for one that is neither, or that is no such thing in this kind."""
    if kind not in ORDERED:
        return np.full(len(labels), np.nan)
    found = _days(labels, missing) if kind is Kind.DATE else parse_numbers(labels)
    found[missing] = np.nan
    return found


def _days(labels: pa.Array, missing: Mask) -> Floats:
    """Days since 1970, in the form in which this table writes dates."""
    forms = date_forms(labels.filter(pa.array(~missing)))
    if not forms:
        return np.full(len(labels), np.nan)
    texts = labels.cast(pa.string())
    if forms[0] == ISO:  # a time of day may follow
        texts = pc.utf8_slice_codeunits(texts, 0, 10)
    times: Any = pc.strptime(texts, format=forms[0], unit="s", error_is_null=True)
    seconds = pc.cast(pc.cast(times, pa.int64()), pa.float64()).to_numpy(zero_copy_only=False)
    return np.array(seconds, np.float64) / DAY


def range_of(name: str, kind: Kind, original: Iterable[Statistics]) -> float:
    """From the smallest to the largest value of the original; 1 where there is but one, or no order."""
    if kind not in ORDERED:
        return 1.0
    domains = [side.distinct(name) for side in original]
    found = [numbers_of(one.arrow, one.missing, kind) for one in domains]
    known = np.concatenate([one[~np.isnan(one)] for one in found])
    span = float(known.max() - known.min()) if len(known) else 0.0
    return span if np.isfinite(span) and span > 0 else 1.0
