"""Counting values in bounded memory, against plain counting."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.io.sketch import Hashes, Ones, Sketch, hashes, mixed

CAPACITY = 64


def plainly(numbers: Hashes, capacity: int) -> tuple[int, dict[int, int]]:
    """How often the limit is halved until few enough differ, and what is left with its counts."""
    values, counts = np.unique(numbers, return_counts=True)
    halvings = 0
    while len(values) > capacity:
        halvings += 1
        kept = values <= np.uint64((1 << (64 - halvings)) - 1)
        values, counts = values[kept], counts[kept]
    return halvings, dict(zip(values.tolist(), counts.tolist(), strict=True))


@given(st.integers(1, 2000), st.integers(1, 600), st.integers(0, 2**32), st.integers(1, 9))
@settings(deadline=None)
def test_what_is_kept_depends_on_the_values_alone(rows: int, distinct: int, seed: int, parts: int) -> None:
    draw = np.random.default_rng(seed)
    numbers = mixed(draw.integers(1, distinct + 1, rows, dtype=np.uint64))
    sketch, ones = Sketch(CAPACITY), Ones(CAPACITY, CAPACITY)
    for part in np.array_split(numbers, parts):
        sketch.add(part, np.ones(len(part), np.int64))
        ones.add(part, np.ones(len(part), np.uint8), len(part))
    halvings, kept = plainly(numbers, CAPACITY)
    once = sum(count == 1 for count in kept.values())
    assert sketch.distinct == len(kept) << halvings
    assert sketch.largest(5) == sorted(kept.values(), reverse=True)[:5]
    assert sketch.all_differ == (max(kept.values()) == 1)
    assert sketch.is_exact == ones.is_exact == (halvings == 0)
    assert sketch.unique_share == ones.unique_share == min((once << halvings) / rows, 1.0)
    assert sketch.unique_error == ones.unique_error


@given(st.integers(1, 3000), st.integers(1, 600), st.integers(0, 2**32), st.integers(1, 9))
@settings(deadline=None)
def test_of_too_many_tuples_a_smaller_sample_is_left(rows: int, distinct: int, seed: int, parts: int) -> None:
    """As of one that was small from the first row on; whether a row was given as a sum does not matter."""
    draw = np.random.default_rng(seed)
    one, other = mixed(draw.integers(1, distinct + 1, (2, rows), dtype=np.uint64))
    small, both = Ones(CAPACITY // 4, CAPACITY // 4), Ones(CAPACITY, CAPACITY // 4)
    none, first = np.empty(0, np.int64), np.zeros(1, np.int64)
    for base, more in zip(np.array_split(one, parts), np.array_split(other, parts), strict=True):
        both.add_rows(base, np.stack([more, base]), first, none)
        small.add(mixed(base + more), np.ones(len(base), np.uint8), len(base))
    differ = len(np.unique(mixed(one + other)))
    assert both.is_exact == (differ <= CAPACITY)
    if not both.is_exact:
        assert (both.unique_share, both.unique_error) == (small.unique_share, small.unique_error)


@pytest.mark.parametrize(("comes_again", "unique"), [(None, True), (CAPACITY - 1, False), (CAPACITY, True)])
def test_it_is_known_whether_all_first_rows_differ(comes_again: int | None, unique: bool) -> None:
    """Until there are too many to hold them all."""
    numbers = mixed(np.arange(1, 4 * CAPACITY + 1, dtype=np.uint64))
    if comes_again is not None:
        numbers = np.insert(numbers, comes_again + 1, numbers[comes_again])
    ones = Ones(CAPACITY, CAPACITY // 4)
    ones.add(numbers[:CAPACITY], np.ones(CAPACITY, np.uint8), CAPACITY)
    assert not ones.began_unique
    ones.add(numbers[CAPACITY:], np.ones(len(numbers) - CAPACITY, np.uint8), len(numbers) - CAPACITY)
    assert ones.began_unique == unique


def test_tuples_that_come_again_are_not_counted_as_single() -> None:
    ones = Ones(CAPACITY, CAPACITY)
    numbers = mixed(np.arange(1, 11, dtype=np.uint64))
    ones.add(numbers, np.where(np.arange(10) < 4, 2, 1).astype(np.uint8), 14)
    assert ones.unique_share == pytest.approx(6 / 14)
    ones.add(numbers[5:7], np.ones(2, np.uint8), 2)
    assert ones.unique_share == pytest.approx(4 / 16)


@given(st.integers(1, 300), st.integers(1, 90), st.integers(0, 2**32), st.integers(1, 9))
@settings(deadline=None)
def test_rows_of_values_that_few_rows_have(rows: int, distinct: int, seed: int, parts: int) -> None:
    """Fewer than five: whether they come one by one, or some of them at once."""
    numbers = mixed(np.random.default_rng(seed).integers(1, distinct + 1, rows, dtype=np.uint64))
    sketch, ones, at_once = (Sketch(1 << 9), *(Ones(1 << 9, 1 << 9) for _ in range(2)))
    for part in np.array_split(numbers, parts):
        sketch.add(part, np.ones(len(part), np.int64))
        ones.add(part, np.ones(len(part), np.uint8), len(part))
        values, times = np.unique(part, return_counts=True)
        at_once.add(values, np.minimum(times, 5).astype(np.uint8), len(part))
    few = sum(count for count in Counter(numbers.tolist()).values() if count < 5)
    assert sketch.few_share == ones.few_share == at_once.few_share == pytest.approx(few / rows)
    assert sketch.few_error == 0


def test_a_number_that_is_zero_is_counted_too() -> None:
    sketch, ones = Sketch(CAPACITY), Ones(CAPACITY, CAPACITY)
    nothing = np.zeros(1, np.uint64)
    sketch.add(nothing, np.array([1]))
    ones.add(nothing, np.ones(1, np.uint8), 1)
    assert (sketch.distinct, sketch.unique_share, ones.unique_share) == (1, 1.0, 1.0)


@given(st.lists(st.text(max_size=30)))
@settings(deadline=None)
def test_texts_have_the_numbers_that_stored_profiles_were_made_with(texts: list[str]) -> None:
    """By them it is decided which values a sample keeps: the same file has the same profile as before."""
    plain = np.array([text.encode("utf-8", "replace").decode() for text in texts], dtype=object)
    assert (
        hashes(pa.array(plain, pa.string())).tolist()
        == mixed(pd.util.hash_array(plain, categorize=False)).tolist()
        if len(plain)
        else True
    )


@given(st.integers(1, 5000), st.integers(0, 2**32))
@settings(deadline=None, max_examples=20)
def test_sums_are_counted_as_what_they_make(rows: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    own = mixed(draw.integers(0, 40, (3, rows), dtype=np.uint64))
    counts, columns = draw.integers(1, 4, rows), np.array([0, 2])
    sums, plain = Sketch(CAPACITY), Sketch(CAPACITY)
    sums.add_sums(own, columns, counts)
    plain.add(mixed(own[0] + own[2]), counts)
    assert (sums.unique_share, sums.distinct) == (plain.unique_share, plain.distinct)
    assert sums.largest(CAPACITY) == plain.largest(CAPACITY)
