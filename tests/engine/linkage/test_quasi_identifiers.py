"""What was left of a column, as far as the cells themselves tell."""

import numpy as np
import pytest

from worker.engine.contracts.traces import Trace
from worker.engine.linkage.quasi_identifiers import Key, judged
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.kinds import Kind


def domain(texts, kind):
    return Domain("x", kind, tuple(texts), np.array([not text for text in texts]))


def pairs_of(pairs, kind):
    sides = [sorted(set(side)) for side in zip(*pairs, strict=True)]
    codes = tuple(
        np.array([known.index(text) for text in side], np.int32)
        for known, side in zip(sides, zip(*pairs, strict=True), strict=True)
    )
    return FrequencyTable(tuple(domain(one, kind) for one in sides), codes, np.ones(len(pairs), np.int64))


@pytest.mark.parametrize(
    ("pairs", "kind", "trace"),
    [
        ([("a", "a"), ("b", "b")], Kind.CATEGORICAL, Trace.KEPT),
        ([("a", "a"), ("b", "*")], Kind.CATEGORICAL, Trace.COARSER),
        ([("a", "x"), ("b", "x")], Kind.CATEGORICAL, Trace.COARSER),
        ([("a", "b"), ("b", "b")], Kind.CATEGORICAL, Trace.EXCHANGED),
        ([("1", "1.5"), ("2", "2")], Kind.DECIMAL, Trace.PERTURBED),
        ([("1", "[0, 5["), ("2", "[0, 5[")], Kind.DECIMAL, Trace.COARSER),
        ([("1", ""), ("", "")], Kind.DECIMAL, Trace.COARSER),
    ],
)
def test_the_cells_tell_what_was_left(pairs, kind, trace):
    assert judged(pairs_of(pairs, kind)) is trace


def test_a_label_holds_what_it_says_and_what_was_seen_under_it():
    was, became = domain(["12", "40", "7"], Kind.INTEGER), domain(["*", "[10, 20[", "few"], Kind.INTEGER)
    pairs = pairs_of([("12", "[10, 20["), ("7", "few")], Kind.INTEGER)
    ones = np.ones(3, np.int64)
    cover = Key(was, became, ones, ones, pairs, Trace.COARSER).cover()
    assert cover.tolist() == [[True, True, False], [True, False, False], [True, False, True]]


def test_a_number_is_met_again_whatever_its_digits():
    was, became = domain(["", "5", "7.5"], Kind.DECIMAL), domain(["", "5.0", "7.50", "8"], Kind.DECIMAL)
    ones = np.ones(4, np.int64)
    assert Key(was, became, ones[:3], ones).met_again().tolist() == [0, 1, 2, -1]
