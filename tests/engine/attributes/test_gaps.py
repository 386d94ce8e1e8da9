"""How far one mean is above another, beside rows written out one by one."""

import random
import statistics

import numpy as np
import pytest

from worker.engine.attributes.gaps import AT_95, above, apart, mean_of


def some(draw, number):
    return np.array([draw.random() for _ in range(number)]), np.array(
        [draw.randrange(4) for _ in range(number)]
    )


def written_out(values, rows):
    return [value for value, times in zip(values.tolist(), rows.tolist(), strict=True) for _ in range(times)]


@pytest.mark.parametrize("seed", range(20))
def test_a_row_counts_as_often_as_it_stands(seed):
    draw = random.Random(seed)
    values, rows = some(draw, 6)
    others, other_rows = some(draw, 5)
    rows[0] = other_rows[0] = 1
    one, other = written_out(values, rows), written_out(others, other_rows)
    gap = apart(values, rows, others, other_rows)
    error = (statistics.pvariance(one) / len(one) + statistics.pvariance(other) / len(other)) ** 0.5
    assert gap.difference == pytest.approx(statistics.fmean(one) - statistics.fmean(other))
    assert (gap.high - gap.low) / 2 == pytest.approx(AT_95 * error)
    blind = np.full(6, 0.25)
    assert above(values, rows, blind).difference == pytest.approx(statistics.fmean(one) - 0.25)


def test_nothing_has_no_mean():
    nothing = np.zeros(0), np.zeros(0, np.int64)
    assert mean_of(*nothing) is None
    assert above(*nothing, np.zeros(0)) is None
    assert apart(*nothing, np.ones(1), np.ones(1, np.int64)) is None
