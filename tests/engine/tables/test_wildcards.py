"""Cells that may stand for any value, against comparing every pair of classes."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.engine.search.problems import domain
from worker.engine.tables.classes import classes_of
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.wildcards import matching_sizes, wild_values

TEXTS = ["*", "", "x", "y"]
BLANK = {0, 1}


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_whom_a_class_agrees_with(seed: int, persons: bool) -> None:
    chance = random.Random(seed)
    rows = [
        (chance.randrange(4), chance.randrange(4), chance.randrange(5)) for _ in range(chance.randint(1, 20))
    ]
    tuples = sorted(set(rows)) if persons else sorted({row[:2] for row in rows})
    counts = [sum(row[: len(one)] == one for row in rows) for one in tuples]
    codes = tuple(np.array([one[at] for one in tuples], np.int32) for at in range(2))
    who = np.array([one[2] for one in tuples], np.int32) if persons else None
    domains = tuple(domain(name, TEXTS) for name in "ab")
    classes = classes_of(FrequencyTable(domains, codes, np.array(counts), who), ["a", "b"])
    first = classes.first()
    found = matching_sizes(classes, ["a", "b"])
    for one in range(classes.number):
        own = [int(classes.table.column(name)[first[one]]) for name in "ab"]
        agree = [
            row for row in rows if all(a == b or {a, b} & BLANK for a, b in zip(own, row[:2], strict=True))
        ]
        assert found[one] == (len({person for *_, person in agree}) if persons else len(agree))


def test_which_values_may_stand_for_any() -> None:
    table = FrequencyTable((domain("a", TEXTS),), (np.array([0], np.int32),), np.array([1]))
    assert wild_values(classes_of(table, ["a"]), "a").tolist() == [True, True, False, False]
