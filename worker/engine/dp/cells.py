"""The cells of a table, from what the steward declared and never from the data.

A column's cells are its declared categories, or the bins of its declared bounds and width. Because they
do not depend on anybody's data, publishing them tells nothing, and an empty cell gets noise like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from worker.engine.column import Codes, Column, Floats
from worker.engine.declared import Declaration
from worker.engine.dense import Numbers
from worker.engine.errors import EngineError
from worker.engine.fields import Kind
from worker.engine.numeric import NumberColumn

MOST_CELLS = 1_000_000
MISSING = ""
NOWHERE = "\x00nowhere"


@dataclass(frozen=True)
class Cells:
    """The cells of one column in declared order. A value outside them is in none."""

    name: str
    labels: tuple[str, ...]
    edges: tuple[Decimal, ...] = ()
    """For bins: one more than there are bins."""
    closed: bool = True
    """Whether the last bin holds its upper edge too."""
    nearest: bool = False
    """Whether numbers beyond the bounds count in the first or last bin."""
    missing: bool = False
    """Whether the last label is the cell of rows without a value."""
    provenance: str = ""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def nowhere(self) -> int:
        """The code of values that are in no cell."""
        return len(self.labels)

    def codes(self, column: Column) -> Codes:
        """The cell of each row; `nowhere` for rows in none."""
        if self.edges and isinstance(column, NumberColumn | Numbers):
            return self._binned(column.numbers)
        to = self.of_labels(column)
        return to[column.codes] if len(to) else np.zeros(len(column), np.int32)

    def of_labels(self, column: Column) -> Codes:
        """The cell of each label of a column."""
        if self.edges:
            return self._binned(column.label_numbers)
        texts = column.label_texts
        found = np.fromiter((self._index.get(text, self.nowhere) for text in texts), np.int32, len(texts))
        found[column.missing] = self._missing_code
        return found

    @cached_property
    def _index(self) -> dict[str, int]:
        return {label: code for code, label in enumerate(self.labels)}

    @property
    def _missing_code(self) -> int:
        return len(self.labels) - 1 if self.missing else self.nowhere

    @cached_property
    def _bounds(self) -> Floats:
        return np.array([float(edge) for edge in self.edges])

    def _binned(self, numbers: Floats) -> Codes:
        """Half-open bins; comparing with the edges themselves, because a division would round."""
        bins = len(self.edges) - 1
        found = np.searchsorted(self._bounds, numbers, side="right").astype(np.int32) - 1
        if self.closed:
            found[numbers == self._bounds[-1]] = bins - 1
        if self.nearest:
            found = np.clip(found, 0, bins - 1)
        found[(found < 0) | (found >= bins)] = self.nowhere
        found[np.isnan(numbers)] = self._missing_code
        return found

    def recoded(self, column: Column, unknown: bool = False) -> Column:
        """The column with the label of its cell in each row, missing where it is in none; with `unknown`
        a value that nobody declared stays itself."""
        if unknown and not self.edges:
            return column
        labels = pa.array([*self.labels, NOWHERE], pa.string())
        nowhere = np.arange(len(labels)) == self.nowhere
        return Column(column.name, Kind.TEXT, self.codes(column), labels, nowhere)


@dataclass(frozen=True)
class Choice:
    """What a method decides about values that fit no cell."""

    nearest: bool = False
    missing: bool = False


def declared_cells(name: str, said: Declaration, choice: Choice) -> Cells | None:
    """The cells a declaration gives; None when it declares neither categories nor bins."""
    extra = (MISSING,) if choice.missing else ()
    if said.categories and set(said.categories) != {MISSING}:
        _refuse_repeats(name, said.categories)
        labels = tuple(label for label in said.categories if label != MISSING)
        told = _origin("declared categories", said)
        return Cells(name, (*labels, *extra), missing=choice.missing, provenance=told)
    if said.bounds is None or said.bin_width is None or said.kind is Kind.DATE:
        return None  # days are counted by declared categories
    edges = _edges(name, said.bounds, said.bin_width)
    told = _origin("declared bounds and bin width", said)
    if said.kind is Kind.INTEGER and _whole(edges):  # every whole number from bound to bound
        labels, edges = tuple(plain(edge) for edge in edges), (*edges, edges[-1] + 1)
        return Cells(name, (*labels, *extra), edges, False, choice.nearest, choice.missing, told)
    last = len(edges) - 2
    labels = tuple(interval(edges[i], edges[i + 1], closed=i == last) for i in range(last + 1))
    return Cells(name, (*labels, *extra), edges, True, choice.nearest, choice.missing, told)


def _origin(what: str, said: Declaration) -> str:
    return f"{what} ({said.provenance})" if said.provenance else what


def _whole(edges: Sequence[Decimal]) -> bool:
    return edges[1] - edges[0] == 1 and all(edge == edge.to_integral_value() for edge in edges)


def require_cells(name: str, said: Declaration, choice: Choice) -> Cells:
    """The same, refusing a column of which nothing is declared."""
    found = declared_cells(name, said, choice)
    if found is None:
        where = f"columns.{name}.categories"
        text = (
            f"{where}: declare the categories of column {name!r}, or its bounds and bin width. They come from"
            " what is known about the column, not from the data; or allow unknown categories with a delta."
        )
        raise EngineError("no-cells", text, param=where)
    return found


def _refuse_repeats(name: str, categories: Sequence[str]) -> None:
    if len(set(categories)) < len(categories):
        where = f"columns.{name}.categories"
        raise EngineError("bad-cells", f"{where}: list every category once.", param=where)


def _edges(name: str, bounds: tuple[Any, Any], width: Any) -> tuple[Decimal, ...]:
    low, high = (decimal_of(bound, f"columns.{name}.bounds") for bound in bounds)
    step = decimal_of(width, f"columns.{name}.bin_width")
    if low >= high:
        raise _bad(f"columns.{name}.bounds", "the lower bound must lie below the upper one.")
    if step <= 0:
        raise _bad(f"columns.{name}.bin_width", "the width must be above 0.")
    if (high - low) / step > MOST_CELLS:
        raise _bad(f"columns.{name}.bin_width", f"makes more than {MOST_CELLS:,} bins. Take a wider one.")
    whole, rest = divmod(high - low, step)
    bins = int(whole) + (rest > 0)
    return (*(low + step * number for number in range(bins)), high)


def decimal_of(value: Any, where: str) -> Decimal:
    """A declared number without a detour over binary fractions."""
    try:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    except (InvalidOperation, TypeError, ValueError):
        raise _bad(where, "give numbers.") from None
    if isinstance(value, bool) or not number.is_finite() or abs(number.adjusted()) > 30:
        raise _bad(where, "give finite numbers.")
    return number


def _bad(where: str, what: str) -> EngineError:
    return EngineError("bad-cells", f"{where}: {what}", param=where)


def plain(number: Decimal) -> str:
    """A declared number without an exponent and without useless zeros."""
    text = f"{number:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) if number else "0"


def interval(low: Decimal, high: Decimal, closed: bool) -> str:
    """Half-open as everywhere, unless it holds its upper edge too."""
    return f"[{plain(low)}, {plain(high)}{']' if closed else '['}"


@dataclass(frozen=True)
class Grid:
    """The cells of several columns together, the last column running fastest."""

    columns: tuple[Cells, ...]
    shape: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(len(cells) for cells in self.columns))
        if self.size > MOST_CELLS:
            text = f"columns: together they have {self.size:,} cells, above the limit of {MOST_CELLS:,}."
            raise EngineError("too-many-cells", text + " Take fewer columns or wider bins.", param="columns")

    @property
    def size(self) -> int:
        """How many cells there are."""
        product = 1
        for one in self.shape:
            product *= one
        return product

    def codes(self, columns: Sequence[Column], rows: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The cell of each row; `size` for rows that are in none."""
        flat = np.zeros(rows, np.int64)
        outside = np.zeros(rows, bool)
        for cells, column in zip(self.columns, columns, strict=True):
            codes = cells.codes(column)
            outside |= codes == cells.nowhere
            flat *= max(len(cells), 1)
            flat += codes
        flat[outside] = self.size
        return flat

    def texts(self) -> tuple[list[str], ...]:
        """For each column, its label in every cell, in declared order."""
        found, repeats, times = [], self.size, 1
        for cells in self.columns:
            repeats //= max(len(cells), 1)
            found.append([label for _ in range(times) for label in cells.labels for _ in range(repeats)])
            times *= len(cells)
        return tuple(found)
