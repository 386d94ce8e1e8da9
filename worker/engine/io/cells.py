"""Cells of delimited text as bytes: labels that were quoted once, decimal codes, and both laid row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.io.formulas import defused, risky, risky_labels
from worker.engine.tables.column import Codes, Column, Mask
from worker.engine.tables.dense import FIRST_OTHER, Numbers, Texts, Values, string_parts
from worker.engine.tables.numeric import NumberColumn

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Listed:
    """Texts as they stand in the file."""

    texts: pa.Array

    @property
    def parts(self) -> tuple[Array, Array]:
        """All bytes, and where each text begins."""
        return string_parts(self.texts.cast(pa.large_string()))


class LabelCells:
    """Cells that are texts of a list."""

    def __init__(self, codes: Codes, listed: Listed) -> None:
        self._codes = codes
        self._data, self._offsets = listed.parts

    def measure(self, rows: slice, lengths: Array, after: int) -> None:
        """Add up how long each cell is."""
        from worker.engine.kernels.rows import add_labels

        add_labels(self._codes[rows], self._offsets, lengths, after)

    def put(self, rows: slice, out: Array, places: Array, after: int) -> None:
        """Write each cell at its row's place."""
        from worker.engine.kernels.rows import put_labels

        put_labels(self._codes[rows], self._data, self._offsets, out, places, after)


class NumberCells:
    """Cells that are decimal codes, or one of a few other texts."""

    def __init__(self, values: Values, others: Listed) -> None:
        self._values = values
        self._smallest = FIRST_OTHER + len(others.texts)
        self._data, self._offsets = others.parts

    def measure(self, rows: slice, lengths: Array, after: int) -> None:
        """Add up how long each cell is."""
        from worker.engine.kernels.rows import add_numbers

        add_numbers(self._values[rows], self._smallest, self._offsets, lengths, after)

    def put(self, rows: slice, out: Array, places: Array, after: int) -> None:
        """Write each cell at its row's place."""
        from worker.engine.kernels.rows import put_numbers

        put_numbers(self._values[rows], self._smallest, self._data, self._offsets, out, places, after)


Cells = LabelCells | NumberCells


def laid_out(cells: Sequence[Cells], rows: slice, delimiter: str) -> memoryview:
    """The bytes of some rows."""
    after = [ord(delimiter)] * (len(cells) - 1) + [ord("\n")]
    ends = np.zeros(rows.stop - rows.start + 1, np.int64)
    for column, mark in zip(cells, after, strict=True):
        column.measure(rows, ends[1:], mark)
    np.cumsum(ends, out=ends)
    out = np.empty(int(ends[-1]), np.uint8)
    places = ends[:-1].copy()
    for column, mark in zip(cells, after, strict=True):
        column.put(rows, out, places, mark)
    return out.data


class CellMaker:
    """Turns columns into cells; a list of labels met again is not quoted again."""

    def __init__(self, delimiter: str, nothing: str) -> None:
        """`nothing` is what stands for a missing value."""
        self._delimiter, self._nothing = delimiter, nothing
        self._known: dict[str, tuple[pa.Array, bool, Listed]] = {}

    def cells(self, column: Column) -> Cells:
        """Quoted, and defused where a spreadsheet would compute."""
        column = column.decimals if isinstance(column, NumberColumn) else column
        if isinstance(column, Numbers) and (column.is_numeric or not _any_negative(column)):
            gone = np.arange(len(column.others)) == 0
            return NumberCells(column.values, self._listed(column.others, gone, column.is_numeric))
        if isinstance(column, Texts):
            rows: Codes = np.arange(len(column), dtype=np.int32)
            return LabelCells(rows, self._listed(column.plain, column.missing_rows, column.is_numeric))
        known = self._known.get(column.name)
        if known is None or known[0] is not column.labels or known[1] != column.is_numeric:
            listed = self._listed(column.labels, column.missing, column.is_numeric)
            known = self._known[column.name] = (column.labels, column.is_numeric, listed)
        return LabelCells(column.codes, known[2])

    def _listed(self, texts: pa.Array, missing: Mask, numeric: bool) -> Listed:
        made = quoted(defused(texts, risky(texts, numeric)), self._delimiter)
        return Listed(pc.if_else(pa.array(missing), pa.scalar(self._nothing, made.type), made))


def quoted(texts: pa.Array, delimiter: str) -> pa.Array:
    """RFC 4180, where it is needed."""
    special = pc.match_substring_regex(texts, f'[{delimiter}"\r\n]')
    if not pc.any(special).as_py():
        return texts
    doubled = pc.replace_substring(texts, '"', '""')
    return pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), texts)


def formula_rows(column: Column) -> int:
    """How many rows hold a text that a spreadsheet would compute; a missing value is not written."""
    column = column.decimals if isinstance(column, NumberColumn) else column
    if isinstance(column, Numbers):
        found = _flags(risky(column.others, column.is_numeric))
        found[0] = False
        beside = column.values[column.values < column.smallest] - FIRST_OTHER
        negative = 0 if column.is_numeric else int(np.count_nonzero(_negative(column)))
        return int(np.count_nonzero(found[beside])) + negative
    if isinstance(column, Texts):
        return int(np.count_nonzero(_flags(risky(column.plain, column.is_numeric)) & ~column.missing_rows))
    marked = _flags(risky_labels(column)) & ~column.missing
    return int(np.count_nonzero(marked[column.codes])) if marked.any() else 0


def _flags(found: pa.Array) -> Mask:
    return np.array(found.to_numpy(zero_copy_only=False), bool)


def _negative(column: Numbers) -> Mask:
    below: Mask = (column.values < 0) & (column.values >= column.smallest)
    return below


def _any_negative(column: Numbers) -> bool:
    return bool(_negative(column).any())
