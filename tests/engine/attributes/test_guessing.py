"""What is learnt by the values that are common, and what it may take."""

import numpy as np

from worker.engine.attributes.guessing import VALUES, commonest, memory_of


def test_the_commonest_values_come_first_and_no_more_than_so_many():
    assert commonest(np.array([3, 1, 1, 2, 2, 2])).tolist() == [2, 1, 3]
    assert len(commonest(np.arange(5 * VALUES))) == VALUES


def test_memory_grows_with_what_is_learnt_and_asked():
    assert memory_of(2_000, 100) > memory_of(1_000, 100)
    assert memory_of(1_000, 200) > memory_of(1_000, 100)
    assert memory_of(50_000, 50_000) < 64 << 20
