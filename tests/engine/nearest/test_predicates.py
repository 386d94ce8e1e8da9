"""Predicates fit whom they say, and those of the attacker fit one released row and no other."""

import operator
import random

import numpy as np
import pytest

from tests.engine.nearest.test_neighbours import cells
from worker.engine.nearest.cells import NUMBER, Cells
from worker.engine.nearest.loops import ABOVE, AT_LEAST, AT_MOST, BELOW, IS, IS_NOT
from worker.engine.nearest.predicates import Predicates, guessed, singling_out
from worker.engine.reporting import NullReporter

SIGNS = {AT_LEAST: operator.ge, AT_MOST: operator.le, ABOVE: operator.gt, BELOW: operator.lt}


def fits(cell, sign, wanted) -> bool:
    """Cells are (code, number)."""
    if sign in (IS, IS_NOT):
        return (cell == wanted) == (sign == IS)
    return cell[0] == NUMBER == wanted[0] and SIGNS[sign](cell[1], wanted[1])


def fitted(predicates: Predicates, one: int, rows) -> list[int]:
    lines = (predicates.columns, predicates.signs, predicates.labels, predicates.values)
    conditions = list(zip(*(line[one].tolist() for line in lines), strict=True))
    return [
        at for at in range(len(rows))
        if all(fits((rows.codes[at, c], rows.numbers[at, c]), sign, (code, number))
               for c, sign, code, number in conditions)
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_predicates_fit_whom_they_say(seed):
    draw, generator = random.Random(seed), np.random.default_rng(seed)
    released, people = cells(draw, 30, 4), cells(draw, 25, 4)
    tried = guessed(released, draw.randrange(1, 6), 40, generator)
    assert tried.columns.shape == (40, min(tried.columns.shape[1], 4))
    alone = tried.single_out(people, NullReporter())
    assert alone.tolist() == [len(fitted(tried, one, people)) == 1 for one in range(40)]


@pytest.mark.parametrize("seed", range(40))
def test_an_attack_fits_one_released_row(seed):
    released = cells(random.Random(seed), 30, 4)
    found = singling_out(released, 2, 50, np.random.default_rng(seed), NullReporter())
    rows = [fitted(found, one, released) for one in range(len(found))]
    assert all(len(one) == 1 for one in rows)
    known = {(one[0], *columns) for one, columns in zip(rows, found.columns.tolist(), strict=True)}
    assert len(known) == len(found) <= 50, "every attack another one"


def test_numbers_are_asked_on_the_rarer_side():
    released = Cells(np.arange(60.0)[:, None], np.full((60, 1), NUMBER, np.int32))
    found = singling_out(released, 1, 50, np.random.default_rng(1), NullReporter())
    asked = sorted(zip(found.signs[:, 0].tolist(), found.values[:, 0].tolist(), strict=True))
    assert asked == [(AT_LEAST, 59.0), (AT_MOST, 0.0)]


def test_equal_rows_give_no_attack():
    released = cells(random.Random(3), 1, 2).take(np.zeros(40, np.int64))
    assert not len(singling_out(released, 2, 50, np.random.default_rng(1), NullReporter()))
