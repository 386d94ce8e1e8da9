"""The frequency table after some steps, made from the table before them instead of from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from worker.engine.counting import Counter
from worker.engine.fields import Kind
from worker.engine.frequency import FrequencyTable, NumberDomain
from worker.engine.long_table import Tuples
from worker.engine.randomness import Source
from worker.engine.table import BLOCK, Chunk, Schema, Table

if TYPE_CHECKING:
    from worker.engine.method import Method
    from worker.engine.statistics import Statistics

TUPLES_AT_ONCE = 4 * BLOCK


class Step(Protocol):
    """A method with its decision."""

    @property
    def method(self) -> Method:
        """The method."""

    @property
    def plan(self) -> Any:
        """What it decided."""

    @property
    def source(self) -> Source:
        """Its randomness."""

    @property
    def schema(self) -> Schema:
        """The columns before it."""


class Replay:
    """Steps that decide each row by its values alone can as well be applied to distinct tuples."""

    def __init__(self, before: Statistics, steps: Sequence[Step]) -> None:
        self._before = before
        self._steps = tuple(steps)
        self._possible = all(step.method.per_tuple for step in self._steps)
        self._drops = any(step.method.drops_rows for step in self._steps)
        self._changed = {name for step in steps for name in step.method.changes(step.schema)}
        self._touched = {name for step in steps for name in step.method.touches(step.schema)}

    def counts(
        self, columns: Sequence[tuple[str, Kind]], person: str | None, weight: str | None
    ) -> Tuples | None:
        """The table of these columns; None where only the rows can tell."""
        names = tuple(name for name, _ in columns)
        asked = {*names, *(name for name in (person, weight) if name)}
        if not self._possible or not asked <= set(self._before.schema.names):
            return None
        if not self._drops and not asked & self._changed:
            return self._before.tuples(names, persons=person is not None, weights=weight is not None)
        if person is not None or weight is not None:
            return None
        needed = [name for name in self._before.schema.names if name in asked | self._touched]
        if len(needed) > 1 and any(self._is_dense(name) for name in needed):
            return None
        return self._applied(self._before.tuples(needed), columns)

    def _is_dense(self, name: str) -> bool:
        return isinstance(self._before.distinct(name), NumberDomain)

    def _applied(self, table: Tuples, columns: Sequence[tuple[str, Kind]]) -> Tuples:
        counter = Counter(columns, None, None, None, self._before.most_tuples(len(columns)))
        for piece in table.pieces():
            for first in range(0, len(piece), TUPLES_AT_ONCE):
                chunk = self._stepped(_tuples(piece, first))
                rows = {name: chunk[name] for name, _ in columns}
                counter.add(rows, chunk.rows, piece.counts[chunk.row_ids])
        return counter.tuples()

    def _stepped(self, chunk: Chunk) -> Chunk:
        for step in self._steps:
            chunk = step.method.transform(chunk, step.plan, step.source)
        return chunk


def _tuples(table: FrequencyTable, first: int) -> Chunk:
    """Some distinct tuples as rows."""
    at = slice(first, first + TUPLES_AT_ONCE)
    columns = [domain.column(codes[at]) for domain, codes in zip(table.domains, table.codes, strict=True)]
    return Table(columns, first, len(table.counts[at]))
