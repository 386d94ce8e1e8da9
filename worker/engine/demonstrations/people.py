"""Invented people with one secret bit each, and the questions an attacker asks about them.

Every question counts those who are ill among some people, whose names are no secret. Another bit is one row
more or less of those who are counted: a neighbour, so that each question costs exactly its ε.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from worker.engine.dp.answering import Tuples
from worker.engine.dp.conditions import Condition
from worker.engine.dp.questions import Question
from worker.engine.dp.tryout import invented
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.table import Table

Bits = np.ndarray[Any, np.dtype[np.bool_]]
PERSON, ILLNESS, ILL, WELL = "person", "illness", "ill", "well"


@dataclass(frozen=True)
class People:
    """Whether each of them is ill."""

    ill: Bits

    @classmethod
    def invented(cls, number: int) -> People:
        """People who do not exist, made from the declaration alone; half of them are ill on average."""
        made = invented({ILLNESS: Declaration(categories=(WELL, ILL))}, [ILLNESS], number)[ILLNESS]
        return cls(np.array([text == ILL for text in made.texts()], bool))

    def __len__(self) -> int:
        return len(self.ill)

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called in questions."""
        return tuple(str(number) for number in range(1, len(self) + 1))

    @property
    def declared(self) -> Mapping[str, Declaration]:
        """The dictionary of the desk."""
        return {
            PERSON: Declaration(categories=self.names),
            ILLNESS: Declaration(categories=(WELL, ILL)),
        }

    @property
    def table(self) -> Table:
        """The dataset that the desk would hold."""
        illness = [ILL if one else WELL for one in self.ill]
        columns = [Column.of_texts(PERSON, self.names), Column.of_texts(ILLNESS, illness)]
        return Table(columns, 0, len(self))

    def about(self, members: Iterable[int], price: Decimal) -> Question:
        """How many of these are ill."""
        names = self.names
        among = Condition(column=PERSON, op="in", values=tuple(names[one] for one in members))
        return Question(ask="count", where=(among, _sick()), epsilon=price)

    def about_each(self, price: Decimal) -> Question:
        """How many are ill, for each person: groups that do not overlap cost what one costs."""
        return Question(ask="count", by=(PERSON,), where=(_sick(),), epsilon=price)

    def counted(self, members: Iterable[int]) -> Tuples:
        """The rows that a question about these is answered from."""
        rows = np.array([int(self.ill[list(members)].sum())])
        return Tuples(np.zeros(1, np.int64), np.zeros(1, np.int64), rows)

    def counted_each(self) -> Tuples:
        """The rows that the question about each is answered from."""
        ill = np.flatnonzero(self.ill).astype(np.int64)
        return Tuples(ill, np.zeros(len(ill), np.int64), np.ones(len(ill), np.int64))

    def right(self, guessed: Bits) -> int:
        """How many bits a guess has right."""
        return int((guessed == self.ill).sum())


def _sick() -> Condition:
    return Condition(column=ILLNESS, op="is", values=(ILL,))
