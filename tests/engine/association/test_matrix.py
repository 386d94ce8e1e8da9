"""One side: what counts as a number, and which rows are left out."""

import numpy as np
import pytest

from tests.engine.measures.scenes import Case, statistics_of
from worker.engine.association.matrix import together
from worker.engine.information.bins import Line
from worker.engine.reporting import NullReporter

COLUMNS = {
    "x": {"role": "quasi-identifier", "kind": "integer"},
    "c": {"role": "quasi-identifier", "kind": "categorical"},
    "y": {"role": "other", "kind": "decimal"},
}


def side_of(**cells):
    case = Case(COLUMNS, cells, cells)
    side = statistics_of(cells, case, [True] * case.rows, False)
    return together(side, list(cells), {name: Line().middles for name in cells if name != "c"})


def test_an_interval_counts_as_its_middle_and_other_labels_for_nothing():
    held = side_of(x=["[0, 10[", "7", "*", ""], c=list("abcd")).columns["x"]
    assert np.sort(held.numbers[held.codes]).tolist()[:2] == [5, 7]
    assert held.known().sum() == 2


def test_rows_of_stars_are_left_out_of_every_column():
    side = side_of(x=["1", "*", "*"], c=["a", "b", "*"], y=["1", "2", "3"])
    assert (side.rows, side.suppressed) == (2, 1)
    assert all(len(held.codes) == 2 for held in side.columns.values())


def test_numbers_spread_in_their_own_units():
    side = side_of(x=["0", "2", ""], y=["0", "20", "5"], c=list("aab"))
    units = side.deviations(["x", "y"])
    assert units == pytest.approx([np.std([0, 2], ddof=1), np.std([0, 20, 5], ddof=1)])
    expected = np.linalg.eigvalsh(np.cov(np.array([[0, 2] / units[0], [0, 20] / units[1]])))
    assert side.spread(["x", "y"], units) == pytest.approx(expected)
    assert side_of(x=["1"], y=["2"], c=["a"]).spread(["x"], np.ones(1)) is None


def test_each_pair_once():
    found = side_of(x=["1", "2"], c=list("ab"), y=["2", "1"]).associations(NullReporter())
    assert {pair: abs(one) for pair, one in found.items()} == pytest.approx(
        {("x", "c"): 1, ("x", "y"): 1, ("c", "y"): 1}
    )
