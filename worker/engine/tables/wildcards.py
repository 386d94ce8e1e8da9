"""Class sizes when a suppressed or missing cell may stand for any value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worker.engine.tables.classes import Classes, Ids
from worker.engine.tables.column import SUPPRESSED, Mask
from worker.engine.tables.frequency import Counts
from worker.engine.tables.keys import group, pack


def matching_sizes(classes: Classes, names: Sequence[str]) -> Counts:
    """For each class, the rows or persons of all classes that agree with it wherever both tell a value."""
    if classes.table.persons is None:
        found = np.zeros(classes.number, np.int64)
        for ids, others, keys in agreeing(classes, names):
            distinct, at = np.unique(keys, return_inverse=True)
            counts = np.zeros(len(distinct), np.int64)
            np.add.at(counts, at.reshape(-1)[len(ids) :], classes.rows[others])
            found[ids] += counts[at.reshape(-1)[: len(ids)]]
        return found
    return _matching_persons(classes, names)


def _matching_persons(classes: Classes, names: Sequence[str]) -> Counts:
    """Distinct persons over all agreeing classes: every pair of agreeing classes is written out."""
    left, right = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for ids, others, keys in agreeing(classes, names):
        mine, theirs = keys[: len(ids)], keys[len(ids) :]
        order = np.argsort(theirs, kind="stable")
        low = np.searchsorted(theirs[order], mine, "left")
        many = np.searchsorted(theirs[order], mine, "right") - low
        left.append(np.repeat(ids, many))
        within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
        right.append(others[order][np.repeat(low, many) + within])
    return _persons_of_pairs(classes, np.concatenate(left), np.concatenate(right))


def _persons_of_pairs(classes: Classes, left: Ids, right: Ids) -> Counts:
    assert classes.table.persons is not None
    member = classes.ids >= 0
    ids, persons = classes.ids[member], classes.table.persons[member]
    order = np.argsort(ids, kind="stable")
    low = np.searchsorted(ids[order], np.arange(classes.number), "left")
    many = (np.searchsorted(ids[order], np.arange(classes.number), "right") - low)[right]
    within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    people = persons[order][np.repeat(low[right], many) + within]
    owners = np.repeat(left, many)
    pairs = group(pack([owners, people], [classes.number, int(persons.max(initial=0)) + 1], len(owners)))
    return np.bincount(owners[pairs.first], minlength=classes.number).astype(np.int64)


def agreeing(classes: Classes, names: Sequence[str]) -> list[tuple[Ids, Ids, Ids]]:
    """Per pair of patterns of wild cells: the classes of each, and keys that are equal where they agree."""
    if not classes.number:
        return []
    first = classes.first()
    codes = [classes.table.column(name)[first] for name in names]
    sizes = [len(classes.table.domain(name)) for name in names]
    patterns, which = np.unique(wild_cells(classes, names), axis=1, return_inverse=True)
    members = [np.flatnonzero(which.reshape(-1) == i) for i in range(patterns.shape[1])]
    found = []
    for i, ids in enumerate(members):
        for j, others in enumerate(members):
            told = np.flatnonzero(~patterns[:, i] & ~patterns[:, j])
            both = np.concatenate([ids, others])
            found.append(
                (ids, others, pack([codes[c][both] for c in told], [sizes[c] for c in told], len(both)))
            )
    return found


def wild_cells(classes: Classes, names: Sequence[str]) -> Mask:
    """Column by column, which classes hold a value there that may stand for any other."""
    first = classes.first()
    cells = [wild_values(classes, name)[classes.table.column(name)[first]] for name in names]
    wild: Mask = np.array(cells, bool).reshape(len(names), classes.number)
    return wild


def wild_values(classes: Classes, name: str) -> Mask:
    """Which values of a column may stand for any other."""
    domain = classes.table.domain(name)
    wild: Mask = domain.missing | np.array([text in ("", SUPPRESSED) for text in domain.texts], bool)
    return wild
