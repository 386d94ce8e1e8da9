"""Classes of a frequency table, in rows and in persons, against dictionaries."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import numpy as np
import pytest

from tests.engine.search.problems import domain
from worker.engine.tables.classes import Classes, classes_of, released_classes
from worker.engine.tables.frequency import FrequencyTable

Row = tuple[int, int, int, int]
"""A quasi-identifier, another, a sensitive value, a person."""


def table_of(rows: list[Row], persons: bool) -> FrequencyTable:
    domains = tuple(domain(name, [f"{name}{value}" for value in range(4)]) for name in "abs")
    width = 4 if persons else 3
    counts = Counter(row[:width] for row in rows)
    tuples = sorted(counts)
    codes = tuple(np.array([one[at] for one in tuples], np.int32) for at in range(3))
    who = np.array([one[3] for one in tuples], np.int32) if persons else None
    return FrequencyTable(domains, codes, np.array([counts[one] for one in tuples], np.int64), who)


def drawn(seed: int) -> list[Row]:
    chance = random.Random(seed)
    return [tuple(chance.randrange(most) for most in (3, 2, 3, 4)) for _ in range(25)]  # type: ignore[misc]


def told(classes: Classes) -> dict[tuple[int, int], tuple[int, int, dict[int, int]]]:
    """Of each class its rows, its size, and how often each sensitive value stands in it."""
    contents, first = classes.contents("s"), classes.first()
    found = {}
    for one in range(classes.number):
        own = contents.ids == one
        key = (int(classes.table.column("a")[first[one]]), int(classes.table.column("b")[first[one]]))
        values = dict(zip(contents.codes[own].tolist(), contents.counts[own].tolist(), strict=True))
        found[key] = (int(classes.rows[one]), int(classes.sizes[one]), values)
    return found


def expected(rows: list[Row], persons: bool) -> dict[tuple[int, int], tuple[int, int, dict[int, int]]]:
    groups = defaultdict(list)
    for at, (a, b, s, person) in enumerate(rows):
        groups[a, b].append((s, person if persons else at))
    return {
        key: (len(own), len({who for _, who in own}), dict(Counter(s for s, _ in set(own))))
        for key, own in groups.items()
    }


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_rows_sizes_and_contents(seed: int, persons: bool) -> None:
    rows = drawn(seed)
    assert told(classes_of(table_of(rows, persons), ["a", "b"])) == expected(rows, persons)


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_some_of_the_classes(seed: int, persons: bool) -> None:
    rows = drawn(seed)
    classes = classes_of(table_of(rows, persons), ["a", "b"])
    classes.contents("s")  # known before, and taken along
    some = classes.kept(classes.rows > 3)
    whole = expected(rows, persons)
    assert told(some) == {key: one for key, one in whole.items() if one[0] > 3}
    assert some.overall("s").tolist() == classes.overall("s").tolist()
    assert some.alone().table.rows == sum(one[0] for one in whole.values() if one[0] > 3)


def test_suppressed_rows_are_a_set_apart_unless_all_are() -> None:
    domains = tuple(domain(name, ["*", "x"]) for name in "ab")
    codes = tuple(np.array(one, np.int32) for one in ([0, 0, 1], [0, 1, 1]))
    table = FrequencyTable(domains, codes, np.array([3, 1, 2]))
    shown, hidden = released_classes(table, ["a", "b"])
    assert shown.rows.tolist() == [1, 2]
    assert hidden is not None
    assert hidden.rows.tolist() == [3]
    only = FrequencyTable(domains, tuple(one[:1] for one in codes), np.array([3]))
    assert released_classes(only, ["a", "b"])[0].rows.tolist() == [3]
    assert released_classes(only, ["a", "b"])[1] is None
