"""One pass over the rows that answers several questions, holding no more in sum than it may."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from worker.engine.errors import LimitExceeded
from worker.engine.tables.counting import Counter, NumberCounter
from worker.engine.tables.dense import Numbers
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind
from worker.engine.tables.questions import CountsOf, CovarianceOf, MomentsOf, Question
from worker.engine.tables.summaries import Spread, numbers_of
from worker.engine.tables.table import Chunk


@dataclass(frozen=True)
class Moments:
    """Count, mean and variance (divisor n − 1) of the numbers in one column."""

    count: int
    missing: int
    mean: float
    variance: float
    minimum: float
    maximum: float


class Tally(Protocol):
    """Adds up chunks to the answer of one question."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The columns it looks at."""

    @property
    def held_bytes(self) -> int:
        """Roughly what it holds in memory now."""

    @property
    def tuples_held(self) -> int:
        """How many tuples it holds that may be put away instead; 0 when nothing may."""

    def add(self, chunk: Chunk) -> None:
        """Take in one chunk."""

    def put_away(self) -> None:
        """From now on hold tuples outside memory."""

    def answer(self) -> Any:
        """Of everything added."""

    @property
    def words(self) -> str:
        """What it does, for a refusal."""


class _Little:
    """What takes no memory worth counting."""

    held_bytes = 0
    tuples_held = 0
    words = "adding up"

    def put_away(self) -> None:
        """There is nothing to put away."""


class CountsTally:
    """Distinct tuples."""

    def __init__(
        self,
        question: CountsOf,
        kinds: Mapping[str, Kind],
        person: str | None,
        weight: str | None,
        known: Mapping[str, Domain],
        most: int | None,
    ) -> None:
        named = [(name, kinds[name]) for name in question.columns]
        self.reads = tuple(dict.fromkeys((*question.columns, *(one for one in (person, weight) if one))))
        self.words = combinations(question.columns)
        self._movable = len(named) > 1 and question.is_plain
        self._counter = Counter(named, person, weight, known, most if self._movable else None)

    @property
    def held_bytes(self) -> int:
        """Roughly what it holds in memory now."""
        return self._counter.held_bytes

    @property
    def tuples_held(self) -> int:
        """How many tuples may be put away."""
        return self._counter.held if self._movable else 0

    def put_away(self) -> None:
        """From now on hold tuples outside memory."""
        self._counter.put_away()

    def add(self, chunk: Chunk) -> None:
        """Take in one chunk."""
        self._counter.add({name: chunk[name] for name in self.reads}, chunk.rows)

    def answer(self) -> Any:
        """A frequency table, or a long one."""
        return self._counter.tuples()


class NumbersTally:
    """Distinct values of one column of many numbers."""

    tuples_held = 0

    def __init__(self, name: str, kind: Kind) -> None:
        self.reads = (name,)
        self.words = f"counting the distinct values of {name}"
        self._counter = NumberCounter(name, kind)

    @property
    def held_bytes(self) -> int:
        """Roughly what it holds in memory now."""
        return self._counter.held_bytes

    def put_away(self) -> None:
        """Values have to be at hand."""

    def add(self, chunk: Chunk) -> None:
        """Take in one chunk."""
        column = chunk[self.reads[0]]
        assert isinstance(column, Numbers)
        self._counter.add(column)

    def answer(self) -> Any:
        """A frequency table."""
        return self._counter.table()


class MomentsTally(_Little):
    """The same for any cutting of the rows: added up block by block, in order."""

    def __init__(self, column: str) -> None:
        self.reads = (column,)
        self._spread, self._low, self._high, self._rows = Spread(1), np.inf, -np.inf, 0

    def add(self, chunk: Chunk) -> None:
        """Take in one chunk."""
        numbers = chunk[self.reads[0]].numbers
        self._rows += len(numbers)
        for _, where in chunk.blocks():
            block = numbers[where]
            self._spread.add(block[None, :])
            self._low = np.fmin(self._low, np.fmin.reduce(block))
            self._high = np.fmax(self._high, np.fmax.reduce(block))

    def answer(self) -> Moments:
        """Of everything added."""
        found, rows = self._spread.result(), self._rows
        if not found.rows:
            return Moments(0, rows, np.nan, np.nan, np.nan, np.nan)
        mean, variance = float(found.mean[0]), float(found.matrix[0, 0])
        extremes = float(self._low), float(self._high)
        return Moments(found.rows, rows - found.rows, mean, variance, *extremes)


class CovarianceTally(_Little):
    """Means and covariances of the columns' own numbers, block by block."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.reads = tuple(columns)
        self._spread = Spread(len(self.reads))

    def add(self, chunk: Chunk) -> None:
        """Take in one chunk."""
        for _, rows in chunk.blocks():
            self._spread.add(numbers_of([chunk[name].take(rows) for name in self.reads]))

    def answer(self) -> Any:
        """Of everything added."""
        return self._spread.result()


def simple(question: Question) -> Tally:
    """The tally of a question that is no count."""
    if isinstance(question, MomentsOf):
        return MomentsTally(question.column)
    assert isinstance(question, CovarianceOf)
    return CovarianceTally(question.columns)


def carried_out(tallies: Sequence[Tally], chunks: Iterable[Chunk], memory: int | None, most: int) -> None:
    """Read every row once. All tallies together hold at most so many tuples, and no more than the memory."""
    for chunk in chunks:
        for tally in tallies:
            tally.add(chunk)
            _fit(tallies, memory, most)


def _fit(tallies: Sequence[Tally], memory: int | None, most: int) -> None:
    while sum(one.tuples_held for one in tallies) > most:
        max(tallies, key=lambda one: one.tuples_held).put_away()
    if memory is not None and sum(one.held_bytes for one in tallies) > memory:
        raise unaffordable(max(tallies, key=lambda one: one.held_bytes).words)


def unaffordable(what: str) -> LimitExceeded:
    """The refusal of what does not fit."""
    text = f"The memory limit does not allow {what}. Allow more memory, or use fewer or coarser columns."
    return LimitExceeded("memory", text)


def combinations(columns: Sequence[str]) -> str:
    """Counting tuples, in words."""
    return "counting the distinct combinations of " + ", ".join(columns)
