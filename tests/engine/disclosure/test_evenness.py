"""Entropy against l equally frequent values, in whole numbers: n^n >= l^n * prod(f^f)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest

from worker.engine.disclosure.evenness import even_enough
from worker.engine.tables.classes import Contents


def contents(classes: Sequence[Sequence[int]]) -> Contents:
    """Classes of these frequencies, each value in no order."""
    ids = np.repeat(np.arange(len(classes)), [len(one) for one in classes])
    counts = np.array([count for one in classes for count in one], np.int64)
    return Contents(None, ids, np.zeros(len(ids), np.int32), counts)  # type: ignore[arg-type]


def exact(counts: Sequence[int], number: int) -> bool:
    total = sum(counts)
    return total**total >= number**total * math.prod(count**count for count in counts)


@pytest.mark.parametrize("number", range(1, 12))
def test_even_classes_reach_their_number(number: int) -> None:
    """Floats alone say no to every third of these."""
    classes = [[rows] * number for rows in (*range(1, 300), 10**6, 10**8 + 7)]
    assert even_enough(contents(classes), len(classes), number).all()
    assert not even_enough(contents(classes), len(classes), number + 1).any()


@pytest.mark.parametrize(("counts", "number"), [((4, 1, 1, 1, 1), 4), ((2, 1, 1), 2), ((16, 4, 4, 4, 4), 4)])
def test_uneven_classes_on_the_border(counts: tuple[int, ...], number: int) -> None:
    assert exact(counts, number)
    more = ([*counts, 1], [counts[0] + 1, *counts[1:]])
    found = even_enough(contents([counts, *more]), 3, number)
    assert found.tolist() == [True, *(exact(one, number) for one in more)]


def test_one_row_too_many_in_a_million() -> None:
    assert even_enough(contents([[500_001, 499_999]]), 1, 2).tolist() == [False]


@pytest.mark.parametrize("seed", range(40))
def test_whole_numbers_agree(seed: int) -> None:
    chance = random.Random(seed)
    number = chance.randint(1, 5)
    classes = [[chance.randint(1, 9) for _ in range(chance.randint(1, 7))] for _ in range(200)]
    expected = [exact(one, number) for one in classes]
    assert even_enough(contents(classes), len(classes), number).tolist() == expected


def test_classes_without_rows_of_the_table() -> None:
    assert even_enough(contents([]), 0, 2).tolist() == []
