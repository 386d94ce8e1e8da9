"""Rank swapping moves every value at most so far, and keeps all values."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.methods.judging import within_reach
from tests.engine.methods.running import numbers, run
from worker.engine.errors import LimitExceeded
from worker.engine.methods.rank_swapping import RankSwapping
from worker.engine.methods.sampling import Sampling
from worker.engine.randomness import key_from_seed
from worker.engine.tables.column import Column
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import BLOCK, Table

KEY = key_from_seed(1)


def swap(before, percent: float = 5.0, **options) -> np.ndarray:
    step = RankSwapping(columns=("x",), percent=percent)
    return run(numbers(x=before), step, **options).numbers("x")


@pytest.mark.parametrize("percent", [0.1, 1, 5, 30, 100])
def test_every_value_stays_within_its_reach(percent):
    before = np.random.default_rng(1).lognormal(10, 1, 20_011)
    after = swap(before, percent)
    assert within_reach(before, after, percent)
    assert (after != before).mean() > 0.95


def test_the_judgement_rejects_a_bound_from_the_wrong_number_of_rows():
    before = np.random.default_rng(1).lognormal(10, 1, 20_000)
    gone = np.concatenate([before, np.full(20_000, np.nan)])
    assert within_reach(gone, swap(gone, 5), 5), "missing cells have no rank"
    assert not within_reach(before, swap(before, 10), 5), "a reach counted from twice the rows"
    assert not within_reach(before, np.random.default_rng(1).permutation(before), 5)
    other = swap(before, 5).copy()
    other[0] += 1
    assert not within_reach(before, other, 5), "a value that was not there"


@given(
    st.lists(st.integers(-3, 3) | st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=60),
    st.floats(0.5, 100),
)
@settings(max_examples=80, deadline=None)
def test_ties_of_any_kind_stay_within_reach(values, percent):
    before = np.array(values, float)
    assert within_reach(before, swap(before, percent), percent)


def test_equals_are_ranked_at_random_so_that_large_groups_are_left_too():
    """Six answers, each given by more rows than the reach: only those at the edge of a group move."""
    before = np.repeat(np.arange(6.0), 1000)
    step = RankSwapping(columns=("x",), percent=5)
    once, again = (run(numbers(x=before), step, key=key_from_seed(seed)) for seed in (1, 2))
    after = once.numbers("x")
    assert within_reach(before, after, 5)
    assert 500 < (after != before).sum() == once.facts[0]["changed_cells"]
    assert set(np.abs(after - before)) == {0.0, 1.0}
    moved = np.flatnonzero(after[:1000] != before[:1000])
    assert moved.max() - moved.min() > 500, "anywhere in the group"
    assert not np.array_equal(after, again.numbers("x"))


def test_a_reach_is_counted_exactly():
    """0.29 % of 100 000 ranks are 290, not 289."""
    facts = run(numbers(x=np.arange(100_000.0)), RankSwapping(columns=("x",), percent=0.29)).facts[0]
    assert facts["columns"][0]["allowed_rank_difference"] == 290


def test_a_column_that_cannot_change_is_said_not_to():
    step = RankSwapping(columns=("x",), percent=5)
    facts = run(numbers(x=np.zeros(100)), step).facts[0]
    assert facts["changed_cells"] == 0
    assert step.codebook(facts) == ("x: this step changed no value.",)


def test_swaps_reach_as_far_as_they_may():
    before = np.arange(50_000.0)
    moved = np.abs(swap(before, 10) - before)
    assert moved.max() > 4900
    assert 1500 < moved.mean() < 3500


def test_texts_move_as_they_are_written():
    texts = ["1", "1.0", "01", "2", "", "3.50", "3.5", "NA"] * 40
    column = Column.of_texts("x", texts, Kind.DECIMAL).described(missing_texts=frozenset({"NA"}))
    after = run(Table([column]), RankSwapping(columns=("x",), percent=60)).texts("x")
    assert Counter(after) == Counter(column.texts())
    assert [t == "" for t in after] == [t == "" for t in column.texts()]
    assert after != column.texts()


def test_ordinal_columns_follow_the_declared_order():
    order = ["low", "middle", "high", "top"]
    texts = [order[i % 4] for i in range(8000)]  # of few rows now and then none goes two places
    declared = {"x": Declaration(categories=tuple(order))}
    step = RankSwapping(columns=("x",), percent=30)
    out = run(Table([Column.of_texts("x", texts, Kind.ORDINAL)]), step, declared=declared).texts("x")
    places = [[order.index(text) for text in column] for column in (texts, out)]
    assert within_reach(np.array(places[0], float), np.array(places[1], float), 30)
    assert {abs(a - b) for a, b in zip(*places, strict=True)} == {0, 1, 2}


def test_columns_are_swapped_independently():
    before = np.arange(5000.0)
    out = run(numbers(a=before, b=before), RankSwapping(columns=("a", "b"), percent=20))
    shift = np.array([out.numbers("a") - before, out.numbers("b") - before])
    assert abs(np.corrcoef(shift)[0, 1]) < 0.15


def test_rows_that_an_earlier_step_left_out_take_no_part():
    before = np.random.default_rng(1).standard_normal(3 * BLOCK)
    index = np.arange(len(before), dtype=float)
    for blocks in (1, 16):
        out = run(
            numbers(x=before, i=index),
            Sampling(share=0.4),
            RankSwapping(columns=("x",)),
            key=KEY,
            blocks=blocks,
        )
        left = before[out.numbers("i").astype(int)]
        assert within_reach(left, out.numbers("x"), 5)


def test_same_key_same_bytes_and_chunked_is_whole():
    before = np.random.default_rng(1).standard_normal(2 * BLOCK + 11)
    outs = [swap(before, key=KEY, blocks=blocks) for blocks in (1, 2, 16)]
    assert np.array_equal(outs[0], outs[1])
    assert np.array_equal(outs[0], outs[2])
    assert not np.array_equal(outs[0], swap(before))


def test_a_column_that_does_not_fit_into_memory_is_refused_before_it_is_read():
    with pytest.raises(LimitExceeded) as caught:
        swap(np.arange(100_000.0), memory=100_000)
    assert caught.value.code == "memory"


def test_the_facts_tell_what_happened():
    facts = run(numbers(x=np.arange(1000.0)), RankSwapping(columns=("x",), percent=5)).facts[0]
    told = facts["columns"][0]
    assert told["allowed_rank_difference"] == 50
    assert 40 < told["largest_rank_difference"] <= 50
    assert told["values"] == 1000
