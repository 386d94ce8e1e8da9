"""The cells of a table, from what the steward declared and never from the data.

A column's cells are its declared categories, or the bins of its declared bounds and width, and on request
one for any other value and one for none. Because they do not depend on anybody's data, publishing them tells
nothing, and an empty cell gets noise like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from worker.engine.dp.meaning import READERS, meaning, spelled
from worker.engine.errors import EngineError
from worker.engine.tables.column import Codes, Column, Floats, Mask
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.dense import Numbers
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.wording import thousands

MOST_CELLS = 1_000_000
MISSING = ""
OTHER = "any other value"
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
    other: bool = False
    """Whether the label after those declared is the cell of any other value."""
    kind: Kind | None = None
    """The declared kind: categories of numbers are compared as numbers, of days as days."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def named(self) -> tuple[str, ...]:
        """The labels that were declared."""
        return self.labels[: len(self.labels) - self.other - self.missing]

    @property
    def nowhere(self) -> int:
        """The code of values that are in no cell."""
        return len(self.labels)

    def codes(self, column: Column) -> Codes:
        """The cell of each row; `nowhere` for rows in none."""
        if self.edges and isinstance(column, NumberColumn | Numbers):
            return self._binned(column.numbers, column.missing_rows)
        to = self.of_labels(column)
        return to[column.codes] if len(to) else np.zeros(len(column), np.int32)

    def of_labels(self, column: Column) -> Codes:
        """The cell of each label of a column."""
        if self.edges:
            return self._binned(column.label_numbers, column.missing)
        texts, index, beside = column.label_texts, self._index, self._other_code
        spelled = (meaning(text, self.kind) for text in texts)
        found = np.fromiter((index.get(text, beside) for text in spelled), np.int32, len(texts))
        found[column.missing] = self._missing_code
        return found

    @cached_property
    def _index(self) -> dict[str, int]:
        return {meaning(label, self.kind): code for code, label in enumerate(self.named)}

    @property
    def _missing_code(self) -> int:
        return len(self.labels) - 1 if self.missing else self.nowhere

    @property
    def _other_code(self) -> int:
        """The cell of what was not declared."""
        return len(self.named) if self.other else self.nowhere

    @cached_property
    def _bounds(self) -> Floats:
        return np.array([float(edge) for edge in self.edges])

    def _binned(self, numbers: Floats, missing: Mask) -> Codes:
        """Half-open bins; comparing with the edges themselves, because a division would round. What is no
        number counts as missing, unless other values have a cell."""
        bins = len(self.edges) - 1
        found = np.searchsorted(self._bounds, numbers, side="right").astype(np.int32) - 1
        if self.closed:
            found[numbers == self._bounds[-1]] = bins - 1
        if self.nearest:
            found = np.clip(found, 0, bins - 1)
        found[(found < 0) | (found >= bins) | np.isnan(numbers)] = self._other_code
        found[missing if self.other else np.isnan(numbers)] = self._missing_code
        return found

    def recoded(self, column: Column, unknown: bool = False) -> Column:
        """The column with the label of its cell in each row, missing where it is in none; with `unknown`
        a value that nobody declared stays itself."""
        if unknown and not self.edges:
            return self._spelled(column)
        labels = pa.array([*self.labels, NOWHERE], pa.string())
        nowhere = np.arange(len(labels)) == self.nowhere
        return Column(column.name, Kind.TEXT, self.codes(column), labels, nowhere)

    def _spelled(self, column: Column) -> Column:
        """Each value in the spelling in which it was declared, others in one of their own."""
        if self.kind not in READERS:
            return column
        declared = {meaning(label, self.kind): label for label in self.named}
        said = (meaning(text, self.kind) for text in column.label_texts)
        return column.relabelled([declared.get(one, one) for one in said])


@dataclass(frozen=True)
class Choice:
    """What a method decides about values that fit no cell."""

    nearest: bool = False
    missing: bool = False
    other: bool = False

    @property
    def beside(self) -> tuple[str, ...]:
        """The labels of the cells beside those declared."""
        return (*([OTHER] if self.other else []), *([MISSING] if self.missing else []))


def declared_cells(name: str, said: Declaration, choice: Choice) -> Cells | None:
    """The cells a declaration gives; None when it declares neither categories nor bins."""
    if said.categories and set(said.categories) != {MISSING}:
        _refuse_repeats(name, said)
        labels = tuple(label for label in said.categories if label != MISSING)
        if choice.other and OTHER in labels:
            text = f"declares {OTHER!r}, which is the name of the cell of all others. Ask for one of them."
            raise _bad(f"columns.{name}.categories", text)
        return _made(name, said, choice, "declared categories", labels)
    if said.bounds is None or said.bin_width is None or said.kind is Kind.DATE:
        return None  # days are counted by declared categories
    edges = _edges(name, said.bounds, said.bin_width)
    told = "declared bounds and bin width"
    if said.kind is Kind.INTEGER and _whole(edges):  # every whole number from bound to bound
        labels, edges = tuple(spelled(edge) for edge in edges), (*edges, edges[-1] + 1)
        return _made(name, said, choice, told, labels, edges, closed=False)
    last = len(edges) - 2
    labels = tuple(interval(edges[i], edges[i + 1], closed=i == last) for i in range(last + 1))
    return _made(name, said, choice, told, labels, edges)


def _made(
    name: str,
    said: Declaration,
    choice: Choice,
    told: str,
    labels: tuple[str, ...],
    edges: tuple[Decimal, ...] = (),
    closed: bool = True,
) -> Cells:
    return Cells(
        name,
        (*labels, *choice.beside),
        edges,
        closed,
        nearest=bool(edges) and choice.nearest,
        missing=choice.missing,
        provenance=_origin(told, said),
        other=choice.other,
        kind=said.kind,
    )


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


def _refuse_repeats(name: str, said: Declaration) -> None:
    distinct = {meaning(one, said.kind) for one in said.categories or ()}
    if len(distinct) < len(said.categories or ()):
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
        raise _bad(
            f"columns.{name}.bin_width", f"makes more than {thousands(MOST_CELLS)} bins. Take a wider one."
        )
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


def interval(low: Decimal, high: Decimal, closed: bool) -> str:
    """Half-open as everywhere, unless it holds its upper edge too."""
    return f"[{spelled(low)}, {spelled(high)}{']' if closed else '['}"


@dataclass(frozen=True)
class Grid:
    """The cells of several columns together, the last column running fastest."""

    columns: tuple[Cells, ...]
    shape: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", tuple(len(cells) for cells in self.columns))
        if self.size > MOST_CELLS:
            text = (
                f"columns: together they have {thousands(self.size)} cells, above the limit of "
                f"{thousands(MOST_CELLS)}."
            )
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
