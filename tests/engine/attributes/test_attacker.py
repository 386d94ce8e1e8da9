"""Which columns are clues, and which rows are asked about."""

import numpy as np
import pytest

from tests.engine.measures.scenes import Case, statistics_of
from worker.engine.attributes.attacker import both_have, clues, leaving, parted
from worker.engine.contracts.traces import Trace, Traces
from worker.engine.randomness import Source, key_from_seed


def traces(**columns):
    return Traces({name: Trace(text) for name, text in columns.items()}, tuple(columns))


def test_a_clue_leaves_and_was_not_invented_beside_others():
    mixed = traces(a="kept", b="removed", c="made up", d="perturbed")
    assert clues("abcd", mixed) == ("a", "d")
    assert leaving("abcd", mixed) == ("a", "c", "d")
    assert clues("ab", traces(a="made up", b="made up")) == ("a", "b")
    assert clues("ab", None) == leaving("ab", None) == ("a", "b")


def whole(rows=10):
    case = Case({"x": {"role": "quasi-identifier", "kind": "text"}}, {"x": []}, {"x": []})
    return statistics_of({"x": [f"p{number}" for number in range(rows)]}, case, [True] * rows, True)


def test_rows_held_out_stand_apart():
    held_out = np.array([number % 3 == 0 for number in range(10)])
    inside, outside = parted(whole(), held_out)
    assert (inside.rows(), outside.rows()) == (6, 4)
    assert outside.distinct("x").texts == ("p0", "p3", "p6", "p9")
    drawn = outside.sample(("x",), 2, Source(key_from_seed(1)))
    assert drawn.rows == 2
    assert set(drawn["x"].texts()) <= {"p0", "p3", "p6", "p9"}


@pytest.mark.parametrize("held_out", [None, np.zeros(10, bool)])
def test_without_any_there_is_one_part(held_out):
    statistics = whole()
    assert parted(statistics, held_out) == (statistics,)


def test_columns_of_one_side_alone_are_left_out():
    assert both_have(("x", "y"), whole(), whole()) == ("x",)
