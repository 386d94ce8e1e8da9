"""Tables of several columns, beside plain counting."""

import random
from collections import Counter

import numpy as np
import pytest

from worker.engine.marginals.joint import some_of, total_variation
from worker.engine.randomness import Source, key_from_seed


@pytest.mark.parametrize("size", [3, 3000])
@pytest.mark.parametrize("seed", range(20))
def test_is_half_the_sum_of_differences(seed, size):
    draw = random.Random(seed)
    sides = [[[draw.randrange(size) for _ in range(3)] for _ in range(rows)] for rows in (30, 20)]
    was, became = (Counter(map(tuple, side)) for side in sides)
    expected = sum(abs(was[key] / 30 - became[key] / 20) for key in was | became) / 2
    columns = [list(np.array(side, np.int32).T) for side in sides]
    assert total_variation(*columns, [size] * 3) == pytest.approx(expected)


def test_no_row_is_no_table():
    nothing, something = np.zeros(0, np.int32), np.zeros(3, np.int32)
    assert total_variation([nothing], [something], [1]) is None
    assert total_variation([something], [nothing], [1]) is None


def test_sets_are_all_or_drawn_the_same_every_time():
    source = Source(key_from_seed(1))
    assert some_of("abc", 2, 3, source) == [("a", "b"), ("a", "c"), ("b", "c")]
    drawn = some_of("abcdefgh", 3, 5, source)
    assert drawn == some_of("abcdefgh", 3, 5, source)
    assert len(set(drawn)) == 5
