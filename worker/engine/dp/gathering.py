"""From rows to bounded tuples of (group, value): conditions, samples, perturbed copies, bounding.

All rows are counted, those that a condition leaves out too, and these are put aside afterwards: how long it
takes to filter rows would tell how many are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from worker.engine.dp.bounding import bounded
from worker.engine.dp.cells import Cells
from worker.engine.dp.conditions import satisfied
from worker.engine.dp.scales import Scale
from worker.engine.randomness import Source, fresh_key
from worker.engine.tables.column import Column, Mask
from worker.engine.tables.counting import Counter
from worker.engine.tables.frequency import Counts, Domain, FrequencyTable
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import Chunk, Codes

if TYPE_CHECKING:
    from worker.engine.dp.answering import Asked, Tuples

PERSON = "\x00person"
VALUE = "\x00value"
MEANT = "\x00meant"


def gathered(chunks: Iterable[Chunk], asked: Asked, person: str | None, source: Source) -> Tuples:
    """Distinct (group, value) with at most so many rows of a person."""
    from worker.engine.dp.answering import Tuples

    names = [cells.name for cells in asked.grid.columns]
    wanted = [*names, VALUE, MEANT, *([PERSON] if person else [])]
    counter = Counter([(name, Kind.TEXT) for name in wanted], None, None)
    for chunk, meant in prepared(chunks, asked, source):
        columns = {cells.name: cells.recoded(chunk[cells.name]) for cells in asked.grid.columns}
        columns |= {VALUE: _value(chunk, asked), MEANT: _marked(meant)}
        counter.add(columns | ({PERSON: chunk[person]} if person else {}), chunk.rows)
    table, aside = _parted(counter.table(), [*names, VALUE, MEANT])
    cells, rows = _bounded(table, asked, person)
    _bounded(aside, asked, person)  # for the time it takes: both together take the same, whatever was meant
    groups = np.zeros(len(rows), np.int64)
    for one, codes in zip(asked.grid.columns, cells, strict=False):
        groups = groups * len(one) + _codes(table.domain(one.name), one)[codes]
    return Tuples(groups, _numbers(table.domain(VALUE))[cells[len(names)]], rows)


def _marked(meant: Mask) -> Column:
    """Which rows are meant, as a column: no value in the others."""
    return Column(MEANT, Kind.TEXT, meant.astype(np.int32), pa.array(["", "1"], pa.string()))


def _bounded(table: FrequencyTable, asked: Asked, person: str | None) -> tuple[Sequence[Codes], Counts]:
    if person is None:
        return table.codes, table.counts
    return bounded(table, PERSON, fresh_key(), asked.question.rows_per_person)


def prepared(chunks: Iterable[Chunk], asked: Asked, source: Source) -> Iterator[tuple[Chunk, Mask]]:
    """Every row, of a perturbed copy when that was asked for, and which of them are meant: those that
    satisfy the conditions, and of a sample those that are in it."""
    for chunk in chunks:
        meant = np.ones(chunk.rows, bool)
        if asked.question.on == "sample":
            meant = _draws(chunk, source, "\x00sample") < float(asked.question.sample_share)
        if asked.disturbed:
            amount = float(asked.question.disturbance)
            ways = asked.disturbed.items()
            chunk = chunk.with_columns(*(_disturbed(chunk, name, way, amount, source) for name, way in ways))
        yield chunk, meant & satisfied(chunk, asked.question.where)


def _draws(chunk: Chunk, source: Source, purpose: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """A number from 0 to 1 for every row, the same for any cutting of the rows."""
    found = np.empty(chunk.rows)
    for block, rows in chunk.blocks():
        at = chunk.row_ids[rows] % 65_536
        found[rows] = source.stream(purpose, block).random(int(at[-1]) + 1)[at]
    return found


def _disturbed(chunk: Chunk, name: str, way: Scale | Cells, amount: float, source: Source) -> Column:
    """Numbers moved evenly within a share of their range, or categories changed with a probability."""
    column = chunk[name]
    if isinstance(way, Scale):
        reach = amount * float(way.value(way.high - way.low))
        moved = column.numbers + (2 * _draws(chunk, source, f"\x00move {name}") - 1) * reach
        return NumberColumn(name, Kind.DECIMAL, moved)
    codes = way.codes(column)
    changed = (_draws(chunk, source, f"\x00change {name}") < amount) & (codes != way.nowhere)
    other = (_draws(chunk, source, f"\x00other {name}") * len(way)).astype(np.int32)
    labels = [*_values(way), ""]
    texts = [labels[code] for code in np.where(changed, other, codes).tolist()]
    return Column.of_texts(name, texts, column.kind)


def _values(cells: Cells) -> list[str]:
    """A value in each cell: the category, or the lower edge of the bin; of any other value its name."""
    named = [f"{edge:f}" for edge in cells.edges[:-1]] if cells.edges else list(cells.named)
    return [*named, *cells.labels[len(named) :]]


def _value(chunk: Chunk, asked: Asked) -> Column:
    """What is counted or added up: the cell, the number in units, or nothing but the row."""
    name = asked.question.counted_column
    if name is None:
        return Column.of_texts(VALUE, ["0"]).take(np.zeros(chunk.rows, np.int64))
    if asked.question.ask in ("histogram", "most-common", "top-k"):
        assert asked.cells is not None
        codes = asked.cells.codes(chunk[name]).astype(float)
        return NumberColumn(VALUE, Kind.INTEGER, np.where(codes == asked.cells.nowhere, np.nan, codes))
    assert isinstance(asked.scale, Scale)
    return NumberColumn(VALUE, Kind.INTEGER, asked.scale.units(chunk[name]))


def _parted(table: FrequencyTable, names: list[str]) -> tuple[FrequencyTable, FrequencyTable]:
    """Tuples that are meant and in a cell, and apart from them the others: those would use up a person's
    bound."""
    kept = np.ones(len(table), bool)
    for name in names:
        kept &= ~table.domain(name).missing[table.column(name)] if len(table) else kept
    return _only(table, kept), _only(table, ~kept)


def _only(table: FrequencyTable, which: Mask) -> FrequencyTable:
    return FrequencyTable(table.domains, tuple(codes[which] for codes in table.codes), table.counts[which])


def _codes(domain: Domain, cells: Cells) -> Codes:
    index = {label: code for code, label in enumerate(cells.labels)}
    return np.fromiter((index.get(text, 0) for text in domain.texts), np.int32, len(domain))


def _numbers(domain: Domain) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    found = np.nan_to_num(domain.numbers)
    return found.astype(np.int64)
