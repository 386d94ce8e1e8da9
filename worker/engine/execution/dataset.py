"""The rows that enter a run: tagged columns, granted consent, earlier steps replayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from worker.engine.contracts.facts import Changed, Facts, StepJson
from worker.engine.contracts.method import Method
from worker.engine.errors import EngineError
from worker.engine.io.kinds import KindGuess
from worker.engine.randomness import Source
from worker.engine.tables.column import Column, Floats, Mask, marks
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.dense import Numbers, Texts
from worker.engine.tables.kinds import NUMERIC, RELEASED, Kind, Role
from worker.engine.tables.numeric import differing
from worker.engine.tables.table import Chunk, Field, Schema, TableSource, Tallies, added, no_such_column
from worker.engine.wording import thousands

MANY = 1 << 16
"""A piece that is held without a list of labels counts as so many different ones."""


class DeclaredColumn(Protocol):
    """What the recipe says of a column, or the steps before left of it."""

    @property
    def role(self) -> Role | None:
        """Its role."""

    @property
    def kind(self) -> Kind | None:
        """Its kind, when the steward said so."""


@dataclass(frozen=True)
class Step:
    """A method with its decision."""

    method: Method
    plan: Any
    source: Source
    schema: Schema

    def tallied(self, before: Chunk, after: Chunk) -> Tallies:
        """What the method counted in a piece, and in how many cells of each column its values differ."""
        names = self.method.perturbs(self.schema)
        if not names:
            return dict(after.tallies)
        cells = [before.rows - int(np.count_nonzero(before[name].missing_rows)) for name in names]
        changed = [int(np.count_nonzero(differing(before[name], after[name]))) for name in names]
        return {**after.tallies, _CELLS: np.array(cells), _CHANGED: np.array(changed)}

    def concluded(self, tallies: Tallies) -> StepJson:
        """The facts that the tallies of all pieces add to the report."""
        own = {name: count for name, count in tallies.items() if name not in (_CELLS, _CHANGED)}
        facts = dict(self.method.conclude(self.plan, own))
        if names := self.method.perturbs(self.schema):
            none = np.zeros(len(names), np.int64)
            cells, changed = (tallies.get(one, none).tolist() for one in (_CELLS, _CHANGED))
            counted = Changed(dict(zip(names, cells, strict=True)), dict(zip(names, changed, strict=True)))
            facts |= Facts(changed=counted).entry()
        return facts


_CELLS, _CHANGED = "\x00cells", "\x00changed"


class Dataset:
    """Chunks of the tagged columns. Rows without a granted consent never come out of here."""

    def __init__(
        self,
        source: TableSource,
        columns: Mapping[str, DeclaredColumn],
        declared: Mapping[str, Declaration],
        missing_texts: frozenset[str] | None = None,
        strict: bool = True,
        read: Set[str] | None = None,
        blind: bool = False,
    ) -> None:
        """`strict` refuses columns that are not there and numbers that are none.

        `read` names the columns that anything is going to ask for; others are not looked into. `blind` lets
        no value decide anything: no kind is guessed and nothing is refused for what a row holds, because
        either would tell something exact about it.
        """
        self._source = source
        self._declared = declared
        self._missing = missing_texts
        self._strict = strict
        self._read = read
        self._told: dict[str, tuple[pa.Array, pa.Array, Mask]] = {}
        self.steps: tuple[Step, ...] = ()
        self._schema = self._tagged(columns, blind)
        self._schema = self._schema.with_kinds({} if blind else self._guessed(columns))
        self._first_schema = self._schema
        self.seconds: list[float] = []
        self.tallies: list[Tallies] | None = None
        if strict and not blind:
            self._refuse_wrong_numbers()

    @property
    def schema(self) -> Schema:
        """The tagged columns after the steps so far."""
        return self._schema

    @property
    def rows(self) -> int:
        """Rows of the file, with or without consent."""
        return self._source.rows

    @property
    def left_behind(self) -> tuple[str, ...]:
        """The columns of the file that do not enter: dropped, or tagged by nobody."""
        return tuple(name for name in self._source.schema.names if name not in self._first_schema)

    def released(self) -> tuple[str, ...]:
        """The columns that leave, in the order of the file."""
        return tuple(
            field.name
            for field in self._schema
            if field.role in RELEASED
            or (field.role is Role.WEIGHT and self._declared.get(field.name, Declaration()).release)
        )

    def with_step(self, method: Method, plan: Any, source: Source) -> Dataset:
        """The same rows after one more step."""
        after = Dataset.__new__(Dataset)
        after.__dict__.update(self.__dict__)
        after.steps = (*self.steps, Step(method, plan, source, self._schema))
        after._schema = method.output_schema(self._schema)
        after.seconds = [0.0] * len(after.steps)
        return after

    def counting(self) -> Dataset:
        """The same rows for one last pass, in which `tallies` keeps what each step counts."""
        last = Dataset.__new__(Dataset)
        last.__dict__.update(self.__dict__)
        last.tallies = [{} for _ in self.steps]
        return last

    def chunks(self, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows in order, only the columns asked for."""
        wanted = (*columns, *(name for step in self.steps for name in step.method.touches(step.schema)))
        wanted = tuple(name for name in wanted if name in self._first_schema)
        consent = self._first_schema.named(Role.CONSENT)
        read = tuple(dict.fromkeys((*wanted, *consent))) or self._any_column()
        for chunk in self._source.chunks(read):
            kept = self._consenting(self._described(chunk))
            yield self._stepped(kept).select(columns)

    def _any_column(self) -> tuple[str, ...]:
        """One column to know the rows by: one that is read anyway, if there is any."""
        names = self._first_schema.names
        return tuple(name for name in names if self._read is None or name in self._read)[:1] or names[:1]

    def rows_without_consent(self) -> int:
        """How many rows stay outside because consent was not granted."""
        if not self._first_schema.named(Role.CONSENT):
            return 0
        return self.rows - sum(chunk.rows for chunk in self.chunks(()))

    def _stepped(self, chunk: Chunk) -> Chunk:
        for number, step in enumerate(self.steps):
            began = perf_counter()
            after = step.method.transform(chunk, step.plan, step.source)
            self.seconds[number] += perf_counter() - began
            if self.tallies is not None:
                self.tallies[number] = added(self.tallies[number], step.tallied(chunk, after))
            chunk = after.untallied()
        return chunk

    def _described(self, chunk: Chunk) -> Chunk:
        return chunk.with_columns(*(self._named(column.compact()) for column in chunk.columns))

    def _named(self, column: Column) -> Column:
        """With its kind and missing values; a list of labels met again is not looked through again."""
        kind = self._first_schema[column.name].kind
        if isinstance(column, Numbers | Texts):
            return column.described(kind, self._missing)
        seen = self._told.get(column.name)
        if seen is None or seen[0] is not column.labels:
            made = column.described(kind, self._missing)
            self._told[column.name] = (column.labels, made.labels, made.missing)
            return made
        return Column(column.name, kind, column.codes, seen[1], seen[2])

    def _consenting(self, chunk: Chunk) -> Chunk:
        for name in self._first_schema.named(Role.CONSENT):
            granted = marks(chunk[name].labels, frozenset(self._declared[name].granted))
            chunk = chunk.filter(granted[chunk[name].codes] if len(granted) else np.zeros(chunk.rows, bool))
        return chunk

    def _tagged(self, columns: Mapping[str, DeclaredColumn], blind: bool) -> Schema:
        """The columns that the recipe names and does not drop, in the order of the file."""
        unsaid = {field.name: Kind.TEXT if blind else field.kind for field in self._source.schema}
        known = self._source.schema
        for name in columns:
            if name not in known and self._strict:
                error = no_such_column(name)
                raise EngineError(error.code, f"columns.{name}: {error.message}", param=f"columns.{name}")
        fields = (field for field in known if field.name in columns)
        tagged = [
            Field(field.name, columns[field.name].kind or unsaid[field.name], columns[field.name].role)
            for field in fields
            if columns[field.name].role is not Role.DROPPED
        ]
        if not tagged:
            text = "columns: no column is tagged to take part. Tag the columns that the release may hold."
            raise EngineError("no-columns", text, param="columns")
        return Schema(tuple(tagged))

    def _guessed(self, columns: Mapping[str, DeclaredColumn]) -> dict[str, Kind]:
        """Kinds from the texts themselves, where neither recipe nor file knows."""
        open_ones = [
            field.name
            for field in self._schema
            if columns[field.name].kind is None
            and field.kind is Kind.TEXT
            and (self._read is None or field.name in self._read)
        ]
        guesses = {name: KindGuess() for name in open_ones}
        sizes = dict.fromkeys(open_ones, 0)
        seen: dict[str, pa.Array] = {}
        for chunk in self._source.chunks(open_ones) if open_ones else ():
            for name in open_ones:
                column = chunk[name].compact().described(missing_texts=self._missing)
                if isinstance(column, Numbers | Texts):
                    guesses[name].see(_shapes(column))
                    sizes[name] += MANY
                    continue
                if name in seen and (column.labels is seen[name] or column.labels.equals(seen[name])):
                    continue
                seen[name] = column.labels
                texts = column.labels.filter(pa.array(~column.missing))
                guesses[name].see(texts)
                sizes[name] += len(texts)
        return {name: guess.kind(sizes[name]) for name, guess in guesses.items()}

    def _refuse_wrong_numbers(self) -> None:
        """A column declared as numbers must hold numbers; said once, before anything is computed."""
        names = [f.name for f in self._schema if f.kind in NUMERIC or f.role is Role.WEIGHT]
        for chunk in self._source.chunks(names) if names else ():
            for name in names:
                _check_numbers(
                    chunk[name].compact().described(missing_texts=self._missing), self._schema[name]
                )


def _check_numbers(column: Column, field: Field) -> None:
    numbers = _looked_at(column)
    wrong = int(np.isnan(numbers).sum())
    where = f"columns.{field.name}.kind"
    if wrong:
        text = (
            f"{where}: column {field.name!r} is to hold numbers, but {thousands(wrong)} of its "
            "distinct values are none. Correct the kind, or declare the texts that mean missing."
        )
        raise EngineError("not-numbers", text, param=where)
    if field.role is Role.WEIGHT and (column.missing_rows.any() or not (numbers > 0).all()):
        text = f"columns.{field.name}: a weight must be a number above 0 in every row."
        raise EngineError("bad-weight", text, param=f"columns.{field.name}")


def _looked_at(column: Column) -> Floats:
    """A number for each text that occurs and is not missing; NaN for a text that is none."""
    if isinstance(column, Numbers):
        return column.numbers[~column.missing_rows]
    used = np.zeros(len(column.labels), bool)
    used[column.codes] = True
    return column.label_numbers[used & ~column.missing]


def _shapes(column: Numbers | Texts) -> pa.Array:
    """Texts that show what all texts of this piece can be."""
    if isinstance(column, Texts):
        return column.plain.filter(pa.array(~column.missing_rows))
    plain = column.values[column.values >= column.smallest]
    typical = ["1"] * bool((plain & 7 == 0).any()) + ["1.5"] * bool((plain & 7 > 0).any())
    return pa.concat_arrays([pa.array(typical, pa.string()), column.used_others.cast(pa.string())])
