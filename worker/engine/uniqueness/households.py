"""Who lives together, and how likely it is that one of them is found."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from worker.engine.tables.column import Floats
from worker.engine.tables.keys import group
from worker.engine.tables.kinds import Role
from worker.engine.tables.table import Schema
from worker.engine.uniqueness.individual_risk import household_risk
from worker.engine.uniqueness.rows_of_classes import Rows

Ids = np.ndarray[Any, np.dtype[np.int64]]


def ids_of(data: Rows, key: str, rows: int) -> Ids:
    """A number for each value of a key, row by row; −1 where a row does not come out, or tells none."""
    ids, known = np.full(rows, -1, np.int64), dict[str, int]()
    for chunk in data.chunks((key,)):
        column = chunk[key].compact()
        fresh = [known.setdefault(text, len(known)) for text in column.label_texts]
        numbers = np.where(column.missing, -1, np.array(fresh, np.int64))
        ids[chunk.row_ids] = numbers[column.codes] if len(numbers) else -1
    return ids


def of_households(risks: Floats, households: Ids, persons: Ids | None = None) -> Floats:
    """For each row the risk of its household from the risks of all its rows; NaN is a row in no class.

    A row whose household is not told is one by itself. One of several rows of the same person counts, that
    of the highest risk.
    """
    found, member = risks.copy(), (households >= 0) & ~np.isnan(risks)
    if member.any():
        ids, own = households[member], risks[member]
        if persons is not None:
            ids, own = _by_person(ids, own, persons[member])
        number = int(households.max()) + 1
        found[member] = household_risk(own, ids, number)[households[member]]
    return found


def _by_person(households: Ids, risks: Floats, persons: Ids) -> tuple[Ids, Floats]:
    """Each person once in a household; a row that tells no person is one by itself."""
    told = persons >= 0
    pairs = group(households[told] * (int(persons.max(initial=0)) + 1) + persons[told])
    highest = np.zeros(pairs.number)
    np.maximum.at(highest, pairs.ids, risks[told])
    ids = np.concatenate([households[told][pairs.first], households[~told]])
    return ids, np.concatenate([highest, risks[~told]])


class Tagged(Rows, Protocol):
    """Rows whose columns have roles."""

    @property
    def schema(self) -> Schema:
        """The columns."""


def told_apart(data: Tagged, rows: int) -> tuple[Ids, Ids | None]:
    """The household of each row, and the person where a key tells persons apart."""
    (household, *_), person = data.schema.named(Role.HOUSEHOLD_KEY), data.schema.named(Role.PERSON_KEY)
    return ids_of(data, household, rows), ids_of(data, person[0], rows) if person else None
