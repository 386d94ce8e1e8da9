"""A release laid beside its original: each row of the original with what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.information.bins import ORDERED, Bins
from worker.engine.tables.column import SUPPRESSED, Column, Mask
from worker.engine.tables.dense import FIRST_OTHER, Numbers
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.questions import CountsOf, distinct_of
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Chunk, Field, Rows, Schema, Table

_BINS = "-bin"


def original(name: str) -> str:
    """What a column is called as it was."""
    return f"original {name}"


def released(name: str) -> str:
    """What it is called as it is released."""
    return f"released {name}"


def exactly(name: str) -> CountsOf:
    """How often each value became each reading."""
    return CountsOf((original(name), released(name)))


def in_bins(name: str) -> CountsOf:
    """The same, numbers and dates in bins of the original."""
    return CountsOf((f"original{_BINS} {name}", f"released{_BINS} {name}"))


class SideBySide:
    """Both sides as one table; a row that was left out is `*` in every released column."""

    def __init__(self, before: Statistics, after: Statistics, rows: int) -> None:
        self.rows = rows
        self._before, self._after = before, after
        shared = [field for field in before.schema if field.name in after.schema]
        self._parts = {
            f"{side}{bins} {field.name}": (side == "original", bool(bins), field)
            for side in ("original", "released")
            for bins in ("", _BINS)
            for field in shared
        }
        self._bins: Callable[[Field], Bins] = cache(self._bins_of)

    @property
    def schema(self) -> Schema:
        """Each column as it was and as it is, exactly and in bins."""
        kinds = (
            (name, Kind.CATEGORICAL if bins else field.kind) for name, (_, bins, field) in self._parts.items()
        )
        return Schema(tuple(Field(name, kind) for name, kind in kinds))

    def chunks(self, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of the original in order."""
        wanted = [self._parts[name] for name in columns]
        for _, bins, field in wanted:
            if bins and field.kind in ORDERED:
                self._bins(field)  # asked before the rows are gone through
        was = [field.name for mine, _, field in wanted if mine]
        became = [field.name for mine, _, field in wanted if not mine]
        for here, there in _by_block(self._before.chunks(was), self._after.chunks(became)):
            made = (self._made(name, here, there) for name in columns)
            yield Table(made, here.first_row, here.rows, None if here.is_contiguous else here.row_ids)

    def _made(self, name: str, here: Chunk, there: Chunk | None) -> Column:
        mine, bins, field = self._parts[name]
        column = here[field.name] if mine else _beside(here.row_ids, field, there)
        if bins and field.kind in ORDERED:
            column = self._bins(field).placed(column)
        return _called(name, column)

    def _bins_of(self, field: Field) -> Bins:
        return Bins.of(self._before.answer(distinct_of(field.name)), field.kind)


def _by_block(left: Iterable[Chunk], right: Iterable[Chunk]) -> Iterator[tuple[Chunk, Chunk | None]]:
    """The rows of one table with what the other holds of them; None where it holds nothing.

    What is left of a block may lie in several pieces, because rows that are gone move all later ones: the
    block is cut where they are.
    """
    there = _blocks(right)
    held = next(there, None)
    nothing = None if held is None else held[1].filter(np.zeros(held[1].rows, bool))
    for number, here in _blocks(left):
        pieces: list[Chunk] = []
        while held is not None and held[0] <= number:
            pieces += [held[1]] if held[0] == number else []
            held = next(there, None)
        yield from _cut(here, pieces) if pieces else ((here, nothing),)


def _cut(here: Chunk, pieces: Sequence[Chunk]) -> Iterator[tuple[Chunk, Chunk]]:
    """A block up to the last row of each piece, and all that is left of it with the last one."""
    ends = [int(np.searchsorted(here.row_ids, piece.row_ids[-1], side="right")) for piece in pieces[:-1]]
    for start, end, piece in zip((0, *ends), (*ends, here.rows), pieces, strict=True):
        yield _part(here, slice(start, end), here.is_contiguous), piece


def _blocks(chunks: Iterable[Chunk]) -> Iterator[tuple[int, Chunk]]:
    for chunk in chunks:
        for number, where in chunk.blocks():
            yield number, _part(chunk, where, chunk.is_contiguous)


def _part(chunk: Chunk, where: slice, contiguous: bool) -> Chunk:
    ids = chunk.row_ids[where]
    cut = (column.take(where) for column in chunk.columns)
    return Table(cut, int(ids[0]) if len(ids) else chunk.first_row, len(ids), None if contiguous else ids)


def _beside(ids: Rows, field: Field, there: Chunk | None) -> Column:
    """A released column for the rows of the original: `*` where a row is gone."""
    if there is None:
        return Column(field.name, field.kind, np.zeros(len(ids), np.int32), pa.array([SUPPRESSED]))
    column = there[field.name]
    held = column.decimals if isinstance(column, NumberColumn) else column
    if np.array_equal(ids, there.row_ids):
        return _with_star(held) if isinstance(held, Numbers) else held
    places = np.searchsorted(ids, there.row_ids)
    known = places < len(ids)
    known[known] = ids[places[known]] == there.row_ids[known]
    return _spread(held, places[known], known, len(ids))


def _with_star(column: Numbers) -> Numbers:
    """Ready to hold a `*`, so that all pieces share one list."""
    if pc.index(column.others, SUPPRESSED).as_py() >= 0:
        return column
    others = pa.concat_arrays([column.others.cast(pa.string()), pa.array([SUPPRESSED])])
    return Numbers(column.name, column.kind, column.values, others)


def _spread(column: Column, places: Rows, known: Mask, rows: int) -> Column:
    if isinstance(column, Numbers):
        ready = _with_star(column)
        star = FIRST_OTHER + pc.index(ready.others, SUPPRESSED).as_py()
        values = np.full(rows, star, np.int64)
        values[places] = ready.values[known]
        return Numbers(column.name, column.kind, values, ready.others)
    labels = pa.concat_arrays([column.labels.cast(pa.string()), pa.array([SUPPRESSED])])
    codes = np.full(rows, len(labels) - 1, np.int32)
    codes[places] = column.codes[known]
    return Column(column.name, column.kind, codes, labels, np.append(column.missing, False))


def _called(name: str, column: Column) -> Column:
    """The same rows under another name."""
    if isinstance(column, Numbers):
        return Numbers(name, column.kind, column.values, column.others)
    return Column(name, column.kind, column.codes, column.labels, column.missing)
