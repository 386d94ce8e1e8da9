"""Ten bars of a distribution, made of an even sample."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from worker.engine.io.shapes import BARS, NumberSample, has_range, scaled
from worker.engine.tables.kinds import Kind


def heights(texts: list[str], batch: int = 1_000) -> list[int]:
    sample = NumberSample()
    for at in range(0, len(texts), batch):
        labels, codes = np.unique(texts[at : at + batch], return_inverse=True)
        sample.see(codes.astype(np.int32), pa.array(labels.tolist()), at)
    return sample.heights()


def test_what_is_there_is_seen() -> None:
    assert scaled([0, 1, 1_000]) == [0, 1, 100] + [0] * (BARS - 3)
    assert scaled([]) == [0] * BARS


def test_even_numbers_make_even_bars() -> None:
    """Between the 1st and the 99th percentile; what lies beyond is laid on the outermost two."""
    made = heights([str(number) for number in range(10_000)])
    assert made == pytest.approx([100] + [91] * 8 + [100], abs=1)


def test_an_extreme_value_moves_no_border() -> None:
    numbers = [str(number % 100) for number in range(5_000)]
    assert heights([*numbers, "999999999"]) == pytest.approx(heights(numbers), abs=10)


def test_missing_rows_and_words_are_left_out() -> None:
    sample = NumberSample()
    sample.see(np.array([-1, 0, 1, 1], np.int32), pa.array(["x", "5"]), 0)
    assert sum(sample.heights()) == 100  # two rows of one number, in one bar
    assert NumberSample().heights() == [0] * BARS


def test_dates_lie_as_numbers() -> None:
    assert heights(["2020-01-01", "2020-01-01", "2021-01-01"]) == [100, 0, 0, 0, 0, 0, 0, 0, 0, 50]


def test_a_long_column_is_sampled_evenly() -> None:
    growing = [str(row // 1_000) for row in range(100_000)]
    assert min(heights(growing, batch=7_919)) >= 80


def test_what_lies_on_a_line() -> None:
    assert [one for one in Kind if has_range(one)] == [Kind.INTEGER, Kind.DECIMAL, Kind.DATE]
