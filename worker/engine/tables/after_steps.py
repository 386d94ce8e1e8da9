"""The frequency table after some steps, made from the table before them instead of from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from worker.engine.randomness import Source
from worker.engine.tables.counting import Counter
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.kinds import Kind
from worker.engine.tables.long_table import Tuples
from worker.engine.tables.questions import CountsOf, Question
from worker.engine.tables.table import BLOCK, Chunk, Schema, Table

if TYPE_CHECKING:
    from worker.engine.tables.statistics import Statistics

TUPLES_AT_ONCE = 4 * BLOCK


class Changing(Protocol):
    """What a method says of the columns it changes."""

    @property
    def per_tuple(self) -> bool:
        """Whether it decides each row by its values alone."""

    @property
    def drops_rows(self) -> bool:
        """Whether fewer rows may be left."""

    def changes(self, schema: Schema) -> tuple[str, ...]:
        """The columns it changes."""

    def touches(self, schema: Schema) -> tuple[str, ...]:
        """The columns it looks at or changes."""

    def transform(self, chunk: Chunk, plan: Any, source: Source) -> Chunk:
        """A piece of the rows after it."""


class Step(Protocol):
    """A method with its decision."""

    @property
    def method(self) -> Changing:
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
        self.before = before
        self._steps = tuple(steps)
        self._possible = all(step.method.per_tuple for step in self._steps)
        self._drops = any(step.method.drops_rows for step in self._steps)
        self._changed = {name for step in steps for name in step.method.changes(step.schema)}
        self._touched = {name for step in steps for name in step.method.touches(step.schema)}

    def untouched(self, question: Question) -> bool:
        """Whether no step did anything to the rows and columns it is about."""
        names = self._names(question)
        return not self._drops and not names & self._changed and names <= set(self.before.schema.names)

    def asks(self, question: Question) -> Question | None:
        """What has to be known of the rows before the steps; None where only those after them can tell."""
        if self.untouched(question):
            return question
        names = self._names(question)
        if not names <= set(self.before.schema.names):
            return None
        if not self._possible or not isinstance(question, CountsOf) or not question.is_plain:
            return None
        needed = tuple(one for one in self.before.schema.names if one in names | self._touched)
        if len(needed) > 1 and any(map(self.before.is_dense, needed)):
            return None
        return CountsOf(needed)

    def counts(self, question: CountsOf, schema: Schema) -> Tuples | None:
        """The table of these columns; None where only the rows can tell."""
        asked = self.asks(question)
        if asked is None:
            return None
        found: Tuples = self.before.answer(asked)
        kinds = [(name, schema[name].kind) for name in question.columns]
        return found if self.untouched(question) else self._applied(found, kinds)

    def _names(self, question: Question) -> set[str]:
        """The columns it is about, with keys and weights."""
        if not isinstance(question, CountsOf):
            return set(question.names)
        beside = (self.before.person_key, question.persons), (self.before.weight, question.weights)
        return {*question.names, *(name for name, wanted in beside if name and wanted)}

    def _applied(self, table: Tuples, columns: Sequence[tuple[str, Kind]]) -> Tuples:
        counter = Counter(columns, None, None, None, self.before.most_tuples(len(columns)))
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
