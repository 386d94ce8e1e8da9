"""Answers to questions, of several tables, under one budget of bytes: the least recently used goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from worker.engine.tables.frequency import Domain, FrequencyTable, NumberDomain
from worker.engine.tables.keys import Packed
from worker.engine.tables.long_table import LongTable
from worker.engine.tables.questions import Question

BYTES_PER_TEXT = 96
"""A text in a domain, its place in the tuple and in the index that finds it."""
LITTLE = 256
"""What an answer of a few numbers takes."""
ROOM_SHARE = 4
"""This part of the memory may hold answers."""
ROOM = 1 << 29
"""So many bytes of them are held where nobody said how much memory there is."""


class Answers:
    """Every answer can be worked out again, so any may go. What is larger than the room is not kept."""

    def __init__(self, memory: int | None = None) -> None:
        self.room = ROOM if memory is None else memory // ROOM_SHARE
        self.held = 0
        self.peak = 0
        """The most bytes that were ever held at once."""
        self._kept: OrderedDict[tuple[Hashable, Question], tuple[Any, int]] = OrderedDict()

    def get(self, table: Hashable, question: Question) -> Any:
        """The answer that was kept, or None."""
        found = self._kept.get((table, question))
        if found is None:
            return None
        self._kept.move_to_end((table, question))
        return found[0]

    def put(self, table: Hashable, question: Question, answer: Any) -> None:
        """Keep an answer as long as there is room."""
        size = size_of(answer)
        self.drop(table, question)
        if size > self.room:
            return
        while self.held + size > self.room:
            _, (_, gone) = self._kept.popitem(last=False)
            self.held -= gone
        self._kept[table, question] = answer, size
        self.held += size
        self.peak = max(self.peak, self.held)

    def drop(self, table: Hashable, question: Question) -> None:
        """Forget one answer."""
        self.held -= self._kept.pop((table, question), (None, 0))[1]

    def forget(self, table: Hashable) -> None:
        """Forget all answers about a table."""
        for question, _ in self.of(table):
            self.drop(table, question)

    def of(self, table: Hashable) -> list[tuple[Question, Any]]:
        """All answers kept about one table."""
        return [(question, kept[0]) for (one, question), kept in self._kept.items() if one == table]


def size_of(answer: Any) -> int:
    """Roughly the bytes that an answer holds in memory; a long table's rest lies outside."""
    if isinstance(answer, LongTable):
        return sum(map(_domain_size, answer.domains)) + answer.parts.shelf.held
    if not isinstance(answer, FrequencyTable):
        return LITTLE
    codes = [answer.codes] if isinstance(answer.codes, Packed) else answer.codes
    arrays = [*codes, answer.counts, answer.persons, answer.weights]
    held = sum(int(array.nbytes) for array in arrays if array is not None)
    return held + sum(map(_domain_size, answer.domains))


def _domain_size(domain: Domain) -> int:
    if isinstance(domain, NumberDomain):
        return domain.values.nbytes + domain.missing.nbytes
    return BYTES_PER_TEXT * len(domain)
