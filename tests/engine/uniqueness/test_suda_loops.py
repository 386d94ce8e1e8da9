"""Tables of combinations, with a place for each and with places to be looked for."""

import random

import numpy as np
import pytest

from worker.engine.uniqueness.suda import _hashed, _placed
from worker.engine.uniqueness.suda_loops import DE_BRUIJN, PLACES, SHARED, weighed, without


def test_every_bit_has_its_place():
    for bit in range(64):
        lowest = int(DE_BRUIJN) << bit & (1 << 64) - 1
        assert PLACES[lowest >> 58] == bit


def test_a_key_is_left_out_of_its_word():
    words = np.array([[0b11_010_1, 7], [0b01_111_0, 9]])
    assert without(words, 0, 1, 3).tolist() == [[0b11_1, 7], [0b01_0, 9]]
    assert without(words, 1, 0, 3).tolist() == [[0b11_010_1, 0], [0b01_111_0, 1]]


@pytest.mark.parametrize("seed", range(40))
def test_equal_combinations_become_one(seed):
    draw = random.Random(seed)
    keys = [draw.randrange(16) for _ in range(draw.choice([1, 5, 30]))]
    owners = [draw.choice([SHARED, 0, 1, 2]) for _ in keys]
    whose = {key: {one for other, one in zip(keys, owners, strict=True) if other == key} for key in keys}
    expected = {key: min(some) if len(some) == 1 else SHARED for key, some in whose.items()}
    words, mine = np.array(keys, np.int64)[:, None], np.array(owners, np.int32)
    for found in (_placed(words.copy(), mine, words, 4), _hashed(words.copy(), mine, words)):
        fewer, theirs, of_rows = found
        assert dict(zip(fewer[:, 0].tolist(), theirs.tolist(), strict=True)) == expected
        assert of_rows.tolist() == [expected[key] for key in keys]


def test_sets_are_weighed_wherever_they_are_marked():
    marks = np.zeros((2, 2), np.uint64)
    for number in (1, 63, 64, 127):
        marks[0, number // 64] |= np.uint64(1) << np.uint64(number % 64)
    weights, sizes = np.arange(128.0), np.array([number.bit_count() for number in range(128)], np.int32)
    scores, least = np.zeros(2), np.zeros(2, np.int32)
    often = weighed(marks, weights, sizes, np.array([3.0, 1.0]), scores, least)
    assert scores.tolist() == [1 + 63 + 64 + 127, 0]
    assert least.tolist() == [1, 0]
    assert np.flatnonzero(often).tolist() == [1, 63, 64, 127]
    assert often.sum() == 12
