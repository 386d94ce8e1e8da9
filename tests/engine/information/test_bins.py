"""Bins by hand: edges, ties, dates, and what is no number."""

import numpy as np
import pytest

from worker.engine.information.bins import DECILES, Bins, binned_variation, quantiles
from worker.engine.tables.column import Column
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn


def table_of(texts, kind):
    listed = sorted(set(texts))
    domain = Domain("x", kind, tuple(listed), np.array([not text for text in listed]))
    counts = np.array([texts.count(text) for text in listed])
    return FrequencyTable((domain,), (np.arange(len(listed), dtype=np.int32),), counts)


def placed(texts, before, kind):
    return Bins.of(table_of(before, kind), kind).placed(Column.of_texts("x", texts, kind)).texts()


@pytest.mark.parametrize("seed", range(20))
def test_quantiles_are_those_of_the_rows(seed):
    draw = np.random.default_rng(seed)
    values = draw.integers(0, 20, draw.integers(1, 60)).astype(float)
    distinct, counts = np.unique(values, return_counts=True)
    mixed = draw.permutation(len(distinct))
    found = quantiles(distinct[mixed], counts[mixed], DECILES)
    assert found == pytest.approx(np.quantile(values, DECILES))


def test_a_value_on_an_edge_belongs_above():
    before = [str(n) for n in range(11)]
    assert placed(["0", "0.99", "1", "9", "99"], before, Kind.INTEGER) == [
        f"\x00{n}" for n in (0, 0, 1, 9, 9)
    ]


def test_many_equal_values_leave_fewer_bins():
    assert set(placed(["0", "5"], ["0"] * 20 + ["5"], Kind.INTEGER)) == {"\x001"}


def test_what_is_no_number_is_a_bin_of_its_own():
    assert placed(["", "*", "[0, 5["], ["1", "2"], Kind.DECIMAL) == ["", "*", "[0, 5["]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y"])
def test_dates_lie_by_day(form):
    days = [np.datetime64("1999-12-01") + n for n in range(101)]
    before = [day.item().strftime(form) for day in days]
    assert placed([before[10], before[9], "1999"], before, Kind.DATE) == ["\x001", "\x000", "1999"]


def test_numbers_that_were_made_are_placed_without_texts():
    made = NumberColumn("x", Kind.DECIMAL, np.array([0.0, 5.5, np.nan]))
    bins = Bins.of(table_of([str(n) for n in range(11)], Kind.INTEGER), Kind.INTEGER)
    assert bins.placed(made).texts() == ["\x000", "\x005", ""]


def test_a_column_without_numbers_has_one_bin():
    assert placed(["", "7"], ["", ""], Kind.INTEGER) == ["", "\x000"]


def variation(before, after, kind=Kind.INTEGER):
    return binned_variation(table_of(before, kind), table_of(after, kind), kind)


def test_noise_within_a_bin_moves_nothing():
    before = [str(n) for n in range(100)]
    assert variation(before, [f"{n}.05" for n in range(100)]) == pytest.approx(0)
    assert variation(before, [str(n + 10) for n in range(100)]) == pytest.approx(0.1)
    assert variation(before, ["200"] * 100) == pytest.approx(0.9)


@pytest.mark.parametrize("label", ["[0, 4[", "[0, 3]", "0-3"])
def test_an_interval_lies_as_the_originals_in_it(label):
    assert variation(list("0012") + ["9"] * 4, [label] * 4 + ["9"] * 4) == pytest.approx(0)


def test_an_interval_without_originals_lies_in_its_middle():
    before = [str(n) for n in range(100)]
    assert variation(before, ["[200, 300["] * 100) == pytest.approx(0.9)


def test_texts_that_are_no_numbers_are_compared_by_themselves():
    assert variation(["1", "2", "", ""], ["1", "2", "", "*"]) == pytest.approx(0.25)
    assert variation(["1"], []) is None


@pytest.mark.parametrize("seed", range(10))
def test_variation_is_that_of_rows_put_into_bins(seed):
    draw = np.random.default_rng(seed)
    before, after = (draw.integers(0, 30, draw.integers(5, 50)) for _ in range(2))
    edges = np.unique(np.quantile(before, DECILES))
    shares = [np.bincount(np.digitize(side, edges), minlength=11) / len(side) for side in (before, after)]
    found = variation([str(n) for n in before], [str(n) for n in after])
    assert found == pytest.approx(np.abs(shares[0] - shares[1]).sum() / 2)
