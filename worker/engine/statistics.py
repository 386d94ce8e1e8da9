"""What a method may ask about a whole dataset: statistics that can be added up over its pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from worker.engine.column import Column, Floats
from worker.engine.counting import Counter, NumberCounter
from worker.engine.declared import Declaration
from worker.engine.dense import Numbers
from worker.engine.dp.answering import Asked
from worker.engine.dp.answering import Tuples as AskedTuples
from worker.engine.dp.cells import Cells
from worker.engine.dp.counting import BoundedCounts, CellRows, bounded_counts, bounded_rows
from worker.engine.dp.gathering import gathered
from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.fields import Kind, Role
from worker.engine.frequency import Domain, FrequencyTable
from worker.engine.long_table import LongTable, Tuples, most_tuples
from worker.engine.randomness import Source
from worker.engine.replay import Replay
from worker.engine.reporting import Reporter
from worker.engine.summaries import Covariance, Features, Spread, chosen_rows, joined_table, numbers_of
from worker.engine.table import WHOLE_CELL, Chunk, Schema, Table

HELD = 32
"""Bytes that a tuple takes in a table held whole, with what it is made from."""
LEAST_CLASSES = 1 << 12
"""So many classes may be held however little memory there is."""


class Data(Protocol):
    """Chunks that can be read again and again, with the output of earlier steps replayed."""

    @property
    def schema(self) -> Schema:
        """The columns, with kinds and roles."""

    @property
    def rows(self) -> int:
        """How many rows there are before anything is left out."""

    def chunks(self, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows in order."""


@dataclass(frozen=True)
class Moments:
    """Count, mean and variance (divisor n − 1) of the numbers in one column."""

    count: int
    missing: int
    mean: float
    variance: float
    minimum: float
    maximum: float


class Statistics:
    """Answers are kept: a question asked twice is read from the data once."""

    def __init__(
        self,
        data: Data,
        declared: Mapping[str, Declaration],
        reporter: Reporter,
        memory: int | None = None,
        replay: Replay | None = None,
    ) -> None:
        """With a `replay` of the steps so far, what it can tell is not read from the rows."""
        self._data = data
        self._replay = replay
        self.declared = declared
        self._reporter = reporter
        self._memory = memory
        self._tables: dict[tuple[tuple[str, ...], bool, bool], Tuples] = {}

    @property
    def schema(self) -> Schema:
        """The columns as they are at this step."""
        return self._data.schema

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns tagged quasi-identifier."""
        return self.schema.named(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns tagged sensitive."""
        return self.schema.named(Role.SENSITIVE)

    @property
    def person_key(self) -> str | None:
        """The column that tells persons apart."""
        return next(iter(self.schema.named(Role.PERSON_KEY)), None)

    @property
    def unit(self) -> str:
        """Whom a guarantee is about: the person, or the row where nothing tells persons apart."""
        return "person" if self.person_key else "row"

    @property
    def weight(self) -> str | None:
        """The column with sampling weights."""
        return next(iter(self.schema.named(Role.WEIGHT)), None)

    def declaration(self, column: str) -> Declaration:
        """What the steward declared of a column."""
        return self.declared.get(column, Declaration())

    def counts(self, columns: Sequence[str], persons: bool = False, weights: bool = False) -> FrequencyTable:
        """The frequency table of distinct tuples. `persons` and `weights` apply when such columns exist."""
        table = self.tuples(columns, persons, weights)
        if not isinstance(table, LongTable):
            return table
        self._afford(HELD * len(table), _combinations(columns))
        return table.whole()

    def tuples(self, columns: Sequence[str], persons: bool = False, weights: bool = False) -> Tuples:
        """The same for those who can add up over pieces: where memory does not allow more, a long table."""
        person = self.person_key if persons else None
        weight = self.weight if weights else None
        asked = (tuple(columns), person is not None, weight is not None)
        if asked not in self._tables:
            self._tables[asked] = self._count(tuple(columns), person, weight)
        return self._tables[asked]

    def bounded_counts(
        self, columns: Sequence[Cells], key: bytes, rows: int, unknown: bool = False
    ) -> BoundedCounts:
        """Rows per declared cell, at most `rows` per person, chosen by a keyed hash before counting.

        The only door for differentially private counts. Values of undeclared categories are kept apart,
        and only when `unknown` asks for them.
        """
        names = [cells.name for cells in columns]
        person = self.person_key
        read = self._read((*names, *([person] if person and person not in names else [])))
        return bounded_counts(read, columns, person, key, rows, unknown)

    def bounded_rows(self, columns: Sequence[Cells], key: bytes, rows: int) -> CellRows:
        """The same for several marginals of the same rows, bounded once."""
        names = [cells.name for cells in columns]
        person = self.person_key
        read = self._read((*names, *([person] if person else [])))
        return bounded_rows(read, columns, person, key, rows)

    def bounded_tuples(self, asked: Asked, source: Source) -> AskedTuples:
        """The same for a question: distinct (group, value) of the rows it is about, bounded per person."""
        names = [name for _, name, _ in asked.question.named_columns()]
        person = self.person_key
        read = self._read(tuple(dict.fromkeys([*names, *([person] if person else [])])))
        return gathered(read, asked, person, source)

    def most_tuples(self, columns: int) -> int | None:
        """How many distinct tuples of so many columns are held at once before they lie in parts."""
        return most_tuples(self._memory) if columns > 1 else None

    @property
    def most_classes(self) -> int | None:
        """How many classes of a release may be held at once where the data themselves do not fit."""
        most = most_tuples(self._memory)
        return None if most is None else max(most * 3 // 4, LEAST_CLASSES)

    def classes_table(self, columns: Iterable[str] = ()) -> FrequencyTable:
        """Counts of the quasi-identifiers and some more columns, with persons and weights."""
        return self.counts(self._classes_columns(columns), persons=True, weights=True)

    def classes_tuples(self, columns: Iterable[str] = ()) -> Tuples:
        """The same for those who can add up over pieces."""
        return self.tuples(self._classes_columns(columns), persons=True, weights=True)

    def _classes_columns(self, columns: Iterable[str]) -> tuple[str, ...]:
        more = [name for name in columns if name not in self.quasi_identifiers]
        return (*self.quasi_identifiers, *dict.fromkeys(more))

    def distinct(self, column: str) -> Domain:
        """The distinct values of a column."""
        return self.counts((column,)).domains[0]

    def rows(self) -> int:
        """How many rows there are now."""
        return sum(chunk.rows for chunk in self._data.chunks(()))

    def moments(self, column: str) -> Moments:
        """The same for any cutting of the rows: added up block by block, in order."""
        spread, low, high, rows = Spread(1), np.inf, -np.inf, 0
        for chunk in self._read((column,)):
            numbers = chunk[column].numbers
            rows += len(numbers)
            for _, where in chunk.blocks():
                block = numbers[where]
                spread.add(block[None, :])
                low, high = np.fmin(low, np.fmin.reduce(block)), np.fmax(high, np.fmax.reduce(block))
        found = spread.result()
        if not found.rows:
            return Moments(0, rows, np.nan, np.nan, np.nan, np.nan)
        mean, variance = float(found.mean[0]), float(found.matrix[0, 0])
        return Moments(found.rows, rows - found.rows, mean, variance, float(low), float(high))

    def covariance(self, columns: Sequence[str], features: Features = numbers_of) -> Covariance:
        """Means and covariances over the rows where all are known. `features` makes numbers of a block
        of rows, one row of the matrix each; by default they are the columns' own numbers."""
        spread: Spread | None = None
        for chunk in self._read(columns):
            for _, rows in chunk.blocks():
                block = features([chunk[name].take(rows) for name in columns])
                spread = spread or Spread(len(block))
                spread.add(block)
        return (spread or Spread(len(columns))).result()

    def places(self, column: str) -> int:
        """How many digits stand after the decimal point in any row, at most."""
        return max((chunk[column].places() for chunk in self._read((column,))), default=0)

    def table(self, columns: Sequence[str]) -> Table:
        """Whole columns in memory, which know their row numbers; refused above the memory limit."""
        names = ", ".join(repr(name) for name in columns)
        self._afford(WHOLE_CELL * self._data.rows * max(1, len(columns)), f"holding the whole of {names}")
        return joined_table(list(self._read(columns)), [(name, self.schema[name].kind) for name in columns])

    def sample(self, columns: Sequence[str], rows: int, source: Source) -> Table:
        """So many rows drawn at random without replacement, the same for any cutting of the rows."""
        chosen = chosen_rows(self._data.chunks(()), rows, source)
        pieces = [chunk.filter(np.isin(chunk.row_ids, chosen)) for chunk in self._read(columns)]
        return joined_table(pieces, [(name, self.schema[name].kind) for name in columns])

    def quantiles(self, column: str, shares: Sequence[float]) -> tuple[float, ...]:
        """The smallest number that at least this share of the rows does not exceed."""
        table = self.counts((column,))
        numbers, counts = table.domains[0].numbers[table.codes[0]], table.counts
        order = np.argsort(numbers, kind="stable")
        order = order[~np.isnan(numbers[order])]
        running = np.cumsum(counts[order])
        if not len(running):
            return tuple(np.nan for _ in shares)
        at = np.searchsorted(running, np.asarray(shares) * running[-1], side="left")
        return tuple(float(x) for x in numbers[order][np.minimum(at, len(order) - 1)])

    def column(self, name: str) -> Column:
        """A whole column in memory, one code per row; refused above the memory limit."""
        domain = self.distinct(name)
        self._afford(4 * self._data.rows, f"holding the whole column {name!r}")
        codes = [domain.translate(chunk[name]) for chunk in self._data.chunks((name,))]
        return domain.column(np.concatenate(codes) if codes else np.zeros(0, np.int32))

    def numbers(self, name: str) -> Floats:
        """A whole column of numbers; NaN where missing."""
        self._afford(8 * self._data.rows, f"holding the whole column {name!r}")
        found = [chunk[name].numbers for chunk in self._read((name,))]
        return np.concatenate(found) if found else np.empty(0)

    def require_values(self, column: str, param: str | None) -> None:
        """Refuse a column that has rows but no value in any of them."""
        rows = 0
        for chunk in self._read((column,)):
            rows += chunk.rows
            if chunk.rows and chunk[column].has_value():
                return
        if rows:
            text = f"Column {column!r} holds no value in any row. Choose another column or drop this one."
            raise EngineError("all-missing", text, param=param)

    def _read(self, columns: Sequence[str]) -> Iterator[Chunk]:
        for chunk in self._data.chunks(tuple(columns)):
            self._reporter.checkpoint()
            yield chunk

    def _count(self, columns: tuple[str, ...], person: str | None, weight: str | None) -> Tuples:
        named = [(name, self.schema[name].kind) for name in columns]
        if person is None and weight is None:
            whole = [table for table in self._tables.values() if isinstance(table, FrequencyTable)]
            larger = [t for t in whole if t.persons is None and set(columns) <= set(t.names)]
            if larger and columns:
                return min(larger, key=len).only(columns)
        replayed = self._replay.counts(named, person, weight) if self._replay else None
        return replayed or self._count_rows(named, person, weight)

    def _count_rows(self, named: list[tuple[str, Kind]], person: str | None, weight: str | None) -> Tuples:
        columns = tuple(name for name, _ in named)
        read = tuple(dict.fromkeys((*columns, *(name for name in (person, weight) if name))))
        dense = self._dense((*columns, *([person] if person else [])))
        if dense == [columns[0]] == list(read) if columns else False:
            return self._count_numbers(*named[0])
        known = {name: self.distinct(name) for name in dense}
        counter = Counter(named, person, weight, known, self.most_tuples(len(columns)))
        for chunk in self._data.chunks(read):
            self._reporter.checkpoint()
            counter.add({name: chunk[name] for name in read}, chunk.rows)
            self._afford(counter.held_bytes, _combinations(columns))
        return counter.tuples()

    def _dense(self, names: tuple[str, ...]) -> list[str]:
        """The columns that are held as numbers without a list of labels."""
        for chunk in self._data.chunks(names):
            return [name for name in dict.fromkeys(names) if isinstance(chunk[name], Numbers)]
        return []

    def _count_numbers(self, name: str, kind: Kind) -> FrequencyTable:
        counter = NumberCounter(name, kind)
        for chunk in self._data.chunks((name,)):
            self._reporter.checkpoint()
            column = chunk[name]
            assert isinstance(column, Numbers)
            counter.add(column)
            self._afford(counter.held_bytes, f"counting the distinct values of {name}")
        return counter.table()

    def _afford(self, size: int, what: str) -> None:
        if self._memory is not None and size > self._memory:
            text = (
                f"The memory limit does not allow {what}. Allow more memory, or use fewer or coarser columns."
            )
            raise LimitExceeded("memory", text)


def _combinations(columns: Sequence[str]) -> str:
    return "counting the distinct combinations of " + ", ".join(columns)
