"""What a method may ask about a whole dataset: statistics that can be added up over its pieces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.after_steps import Replay
from worker.engine.tables.answers import BYTES_PER_TEXT, LITTLE, Answers, size_of
from worker.engine.tables.column import Column, Floats, Mask
from worker.engine.tables.counting import marginal
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.dense import Numbers
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.kinds import Role
from worker.engine.tables.long_table import LongTable, Tuples, most_tuples
from worker.engine.tables.passes import (
    CountsTally,
    Moments,
    NumbersTally,
    Tally,
    carried_out,
    combinations,
    simple,
    unaffordable,
)
from worker.engine.tables.questions import CountsOf, CovarianceOf, MomentsOf, Question, distinct_of
from worker.engine.tables.summaries import Covariance, Features, Spread, chosen_rows, joined_table, numbers_of
from worker.engine.tables.table import WHOLE_CELL, Chunk, Schema, Table

BYTES_PER_NUMBER = 32
"""What a distinct number takes in a table of one column, and while it is counted."""
FEW_TEXTS = 1 << 17
"""A column with more texts than this is rare: its table may be larger than was thought."""
HELD = 32
"""Bytes that a tuple takes in a table held whole, with what it is made from."""
LARGE_SHARE = 16
"""An answer is large that takes this part of the room for answers."""
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
class SomeRows:
    """The rows of the input that are marked."""

    data: Data
    marked: Mask

    @property
    def schema(self) -> Schema:
        """The columns, with kinds and roles."""
        return self.data.schema

    @property
    def rows(self) -> int:
        """How many rows there are before anything is left out."""
        return self.data.rows

    def chunks(self, columns: Sequence[str]) -> Iterator[Chunk]:
        """The marked rows in order."""
        for chunk in self.data.chunks(columns):
            yield chunk.filter(self.marked[chunk.row_ids])


class Statistics:
    """What may be asked of all rows at once.

    Answers are kept as long as there is room for them: what is asked again need not be read again.
    Questions that were announced are answered together, in one pass over the rows, when the first of them
    is asked: as many of them as there is room for.
    """

    def __init__(
        self,
        data: Data,
        declared: Mapping[str, Declaration],
        reporter: Reporter,
        memory: int | None = None,
        replay: Replay | None = None,
        answers: Answers | None = None,
    ) -> None:
        """With a `replay` of the steps so far, what it can tell is not read from the rows. `answers` may be
        shared, so that several tables keep to one budget."""
        self._data = data
        self._replay = replay
        self.declared = declared
        self._reporter = reporter
        self._memory = memory
        self._answers = Answers(memory) if answers is None else answers
        self._mine = object()
        self._announced: dict[Question, None] = {}
        self._dense: dict[str, bool] = {}
        self._parts: dict[bytes, Statistics] = {}

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
        self._afford(HELD * len(table), combinations(columns))
        return table.whole()

    def tuples(self, columns: Sequence[str], persons: bool = False, weights: bool = False) -> Tuples:
        """The same for those who can add up over pieces: where memory does not allow more, a long table."""
        found: Tuples = self.answer(CountsOf(tuple(columns), persons, weights))
        return found

    def announce(self, questions: Iterable[Question]) -> None:
        """Say what is going to be asked."""
        known = set(self.schema.names)
        fresh = dict.fromkeys(self._settled(one) for one in questions if known.issuperset(one.names))
        self._announced |= fresh
        if self._replay is not None:
            asked = map(self._replay.asks, fresh)
            self._replay.before.announce(one for one in asked if one is not None)

    def forget(self) -> None:
        """Give up all answers: nobody is going to ask again."""
        self._answers.forget(self._mine)

    def forget_but(self, questions: Iterable[Question]) -> None:
        """Give up large tables that none of these questions has for an answer: nobody asks for others."""
        coming = [one for one in map(self._settled, questions) if isinstance(one, CountsOf)]
        for known, answer in self._answers.of(self._mine):
            is_large = size_of(answer) > self._answers.room // LARGE_SHARE
            if is_large and not any(self._serves(known, one) for one in coming):
                self._answers.drop(self._mine, known)
                self._announced.pop(known, None)  # or the next pass would answer it again

    def _serves(self, known: Question, coming: CountsOf) -> bool:
        """Whether a question to come has this answer, or one that follows from it and is not there yet."""
        if known == coming or not isinstance(known, CountsOf):
            return True
        follows = coming.is_plain and known.is_plain and set(coming.columns) < set(known.columns)
        return follows and len(coming.columns) > 1 and self._answers.get(self._mine, coming) is None

    def reads(self, questions: Iterable[Question]) -> tuple[str, ...]:
        """The columns that have to be read from the rows for the answers; nothing is read for it."""
        wanted: dict[str, None] = {}
        for question in map(self._settled, questions):
            if self._replay is None or self._replay.asks(question) is None:
                wanted |= dict.fromkeys(self._columns_of(question))
        return tuple(wanted)

    @property
    def input_rows(self) -> int:
        """How many rows the input has: those that were left out keep their numbers."""
        return self._data.rows

    def among(self, marked: Mask) -> Statistics:
        """What may be asked of the marked rows of the input alone: whoever marks the same shares answers."""
        key = np.packbits(marked).tobytes()
        if key not in self._parts:
            self._parts[key] = self.over(SomeRows(self._data, marked))
        return self._parts[key]

    def over(self, data: Data) -> Statistics:
        """What may be asked of other rows, under the same budget."""
        return Statistics(data, self.declared, self._reporter, self._memory, None, self._answers)

    def chunks(self, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows in order, for whoever lays tables side by side."""
        return self._read(columns)

    def rows_with_person(self, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows with the column that tells persons apart: for those who bound what one person adds."""
        person = self.person_key
        return self._read(tuple(dict.fromkeys([*columns, *([person] if person else [])])))

    def most_tuples(self, columns: int) -> int | None:
        """How many distinct tuples of so many columns are held at once before they lie in parts."""
        return most_tuples(self._memory) if columns > 1 else None

    @property
    def most_classes(self) -> int | None:
        """How many classes of a release may be held at once where the data themselves do not fit."""
        if self._memory is None:
            return None
        return max(most_tuples(self._memory) * 3 // 4, LEAST_CLASSES)

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
        """Count, mean, variance and extremes of the numbers in a column, however the rows are cut."""
        found: Moments = self.answer(MomentsOf(column))
        return found

    def covariance(self, columns: Sequence[str], features: Features = numbers_of) -> Covariance:
        """Means and covariances over the rows where all are known. `features` makes numbers of a block
        of rows, one row of the matrix each; by default they are the columns' own numbers."""
        if features is numbers_of:
            known: Covariance = self.answer(CovarianceOf(tuple(columns)))
            return known
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
            raise _all_missing(column, param)

    def require_counted(self, domain: Domain, param: str | None) -> None:
        """The same of a column whose values were counted."""
        if len(domain) and domain.missing.all():
            raise _all_missing(domain.name, param)

    def _read(self, columns: Sequence[str]) -> Iterator[Chunk]:
        for chunk in self._data.chunks(tuple(columns)):
            self._reporter.checkpoint()
            yield chunk

    def _settled(self, question: Question) -> Question:
        """The question as it stands for these data: without persons or weights where there are none."""
        if not isinstance(question, CountsOf):
            return question
        persons = question.persons and self.person_key is not None
        return CountsOf(question.columns, persons, question.weights and self.weight is not None)

    def answer(self, question: Question) -> Any:
        """What was kept, what follows from what was kept, or a pass that answers as much as it can."""
        question = self._settled(question)
        if self._replay is not None and self._replay.untouched(question):
            return self._replay.before.answer(question)  # one answer for both sides
        found = self._answers.get(self._mine, question)
        if found is None:
            found = self._derived(question)
            if found is None:
                found = self._together(question)
            self._answers.put(self._mine, question, found)
        return found

    def _derived(self, question: Question) -> Any:
        """From another answer, without reading a row; None where that cannot be."""
        if not isinstance(question, CountsOf):
            return None
        if question.is_plain and question.columns:
            larger = [table for table in self._larger(question) if isinstance(table, FrequencyTable)]
            if larger:
                return min(larger, key=len).only(question.columns)
            long = [table for table in self._larger(question) if isinstance(table, LongTable)]
            if long and len(question.columns) > 1 and any(map(self.is_dense, question.columns)):
                return marginal(long[0], question.columns, self.most_tuples(len(question.columns)))
        return self._replay.counts(question, self.schema) if self._replay else None

    def _larger(self, question: CountsOf) -> Iterator[Any]:
        """Tables at hand with all of the columns."""
        wanted = set(question.columns)
        for known, table in self._answers.of(self._mine):
            if isinstance(known, CountsOf) and known.is_plain and wanted <= set(known.columns):
                yield table

    def _together(self, question: Question) -> Any:
        """One answer, and with it those of further questions that were announced."""
        self._look_at(self._columns_of(question))
        batch = self._batch(question)
        known, counted = self._domains(batch)
        counted |= self._passed([one for one in batch if one not in counted], known)
        return counted[question]

    def _passed(self, questions: Sequence[Question], known: Mapping[str, Domain]) -> dict[Question, Any]:
        """The answers of one pass; the first question's is kept longest."""
        tallies = [(one, self._tally(one, known)) for one in questions]
        self._pass([tally for _, tally in tallies])
        answers = {}
        while tallies:
            one, tally = tallies.pop()
            answers[one] = tally.answer()
            self._answers.put(self._mine, one, answers[one])
        return answers

    def _batch(self, question: Question) -> list[Question]:
        """The question and announced ones that are still open, as many as there is room for."""
        batch, room = [question], self._room - self._size(question)
        for one in self._announced:
            if one == question or self._answers.get(self._mine, one) is not None:
                continue
            if self._follows(one, batch) or (self._replay is not None and self._replay.asks(one)):
                continue
            size = self._size(one)
            if size <= room:
                batch.append(one)
                room -= size
        return batch

    def _follows(self, question: Question, batch: Sequence[Question]) -> bool:
        """Whether it is a marginal of what is being counted; single columns cost less when counted."""
        if not isinstance(question, CountsOf) or not question.is_plain or len(question.columns) < 2:
            return False
        mine = set(question.columns)
        plain = (one for one in (*batch, *self._announced) if isinstance(one, CountsOf) and one.is_plain)
        return any(mine < set(one.columns) for one in plain)

    @property
    def _room(self) -> int:
        """Bytes for answers that are worked out ahead; another table may want as many."""
        return self._answers.room // 2

    def _size(self, question: Question) -> int:
        """At most so many bytes, roughly, for an answer of which not much is known yet."""
        if not isinstance(question, CountsOf):
            return LITTLE
        per_row = sum(BYTES_PER_NUMBER for name in question.columns if self.is_dense(name))
        if len(question.columns) > 1:
            tuples = min(self._data.rows, self._most)
            return tuples * (8 + 4 * len(question.columns))
        return self._data.rows * per_row or BYTES_PER_TEXT * min(self._data.rows, FEW_TEXTS)

    @property
    def _most(self) -> int:
        return most_tuples(self._memory)

    def _columns_of(self, question: Question) -> tuple[str, ...]:
        """The columns to read for an answer."""
        if not isinstance(question, CountsOf):
            return question.names
        beside = (self.person_key if question.persons else None, self.weight if question.weights else None)
        return tuple(dict.fromkeys((*question.names, *(name for name in beside if name))))

    def _domains(self, batch: Sequence[Question]) -> tuple[dict[str, Domain], dict[Question, Any]]:
        """The values of columns with too many of them to gather on the way: counted before, together."""
        person = self.person_key
        asked = [one for one in batch if isinstance(one, CountsOf) and not self._is_numbers(one)]
        names = {name for one in asked for name in one.columns}
        names |= {person for one in asked if one.persons and person}
        dense = [distinct_of(name) for name in sorted(names) if self.is_dense(name)]
        kept = {one: self._answers.get(self._mine, one) for one in dense}
        counted = self._passed([one for one in dense if kept[one] is None], {})
        tables = {one.columns[0]: counted.get(one, kept[one]) for one in dense}
        return {name: table.domains[0] for name, table in tables.items()}, counted

    def _is_numbers(self, question: CountsOf) -> bool:
        """Whether one column of many numbers is counted, by itself."""
        return question.is_plain and len(question.columns) == 1 and self.is_dense(question.columns[0])

    def _tally(self, question: Question, known: Mapping[str, Domain]) -> Tally:
        """What adds up the answer."""
        if not isinstance(question, CountsOf):
            return simple(question)
        kinds = {name: self.schema[name].kind for name in question.columns}
        if self._is_numbers(question):
            return NumbersTally(question.columns[0], kinds[question.columns[0]])
        person = self.person_key if question.persons else None
        weight = self.weight if question.weights else None
        return CountsTally(question, kinds, person, weight, known, self.most_tuples(len(question.columns)))

    def _pass(self, tallies: Sequence[Tally]) -> None:
        """Read the rows once, the columns that the tallies look at."""
        names = tuple(dict.fromkeys(name for one in tallies for name in one.reads))
        if tallies:
            carried_out(tallies, self._read(names), self._memory, self._most)

    def is_dense(self, name: str) -> bool:
        """Whether a column is held as numbers without a list of labels: then its values are many."""
        self._look_at((name,))
        return self._dense[name]

    def _look_at(self, names: Sequence[str]) -> None:
        """See in the first piece how columns are held: these, and all that are going to be asked for."""
        if self._dense.keys() >= set(names):
            return
        announced = (one for question in self._announced for one in self._columns_of(question))
        fresh = tuple(dict.fromkeys(one for one in (*names, *announced) if one not in self._dense))
        first = next(iter(self._data.chunks(fresh)), None)
        self._dense |= {one: first is not None and isinstance(first[one], Numbers) for one in fresh}

    def _afford(self, size: int, what: str) -> None:
        if self._memory is not None and size > self._memory:
            raise unaffordable(what)


def _all_missing(column: str, param: str | None) -> EngineError:
    text = f"Column {column!r} holds no value in any row. Choose another column or drop this one."
    return EngineError("all-missing", text, param=param)
