"""Tables of combinations of fewer keys, the rows that are alone in them, and what their sets weigh."""

import random

import numpy as np
import pytest

from worker.engine.uniqueness.suda_loops import DE_BRUIJN, PLACES, SHARED, mark, merged, weighed


def test_every_bit_has_its_place():
    for bit in range(64):
        lowest = int(DE_BRUIJN) << bit & (1 << 64) - 1
        assert PLACES[lowest >> 58] == bit


def of_fewer_keys(words, owners, masks):
    """The combinations that are left, whose they are, and which of them each of those before became."""
    table = np.full(2 << len(words).bit_length(), -1, np.int32)
    fewer, theirs, places = np.empty_like(words), np.empty_like(owners), np.empty_like(owners)
    shift = 64 - (len(table).bit_length() - 1)
    number = merged(words, owners, np.array(masks, np.uint32), table, shift, fewer, theirs, places)
    return fewer[:number].tolist(), theirs[:number].tolist(), places


def test_a_key_is_left_out_of_its_word():
    words = np.array([[0b11_010_1, 7], [0b01_111_0, 9]], np.uint32)
    fewer, _, places = of_fewer_keys(words, np.array([0, 1], np.int32), [0b11_000_1, 0xFF])
    assert fewer == [[0b11_000_1, 7], [0b01_000_0, 9]]
    assert places.tolist() == [0, 1]


@pytest.mark.parametrize("seed", range(40))
def test_equal_combinations_become_one(seed):
    draw = random.Random(seed)
    keys = [(draw.randrange(64), draw.randrange(4)) for _ in range(draw.choice([1, 5, 30]))]
    masks = draw.choice([(0b111100, 0), (0b001100, 0b11), (0b000011, 0b01)])
    left = [tuple(word & mask for word, mask in zip(key, masks, strict=True)) for key in keys]
    owners = [draw.choice([SHARED, 0, 1, 2]) for _ in keys]
    whose = {key: {one for other, one in zip(left, owners, strict=True) if other == key} for key in left}
    expected = {key: min(some) if len(some) == 1 else SHARED for key, some in whose.items()}
    fewer, theirs, places = of_fewer_keys(np.array(keys, np.uint32), np.array(owners, np.int32), masks)
    assert dict(zip(map(tuple, fewer), theirs, strict=True)) == expected
    assert [tuple(fewer[place]) for place in places] == left


def test_rows_that_are_alone_still_are_marked_and_kept():
    rows, own = np.array([4, 0, 2], np.int32), np.array([3, 0, 1], np.int32)
    places, owners = np.array([1, 0, 0, 2], np.int32), np.array([SHARED, 7, 8], np.int32)
    bits, alone, theirs = np.zeros((5, 2), np.uint64), np.empty_like(rows), np.empty_like(own)
    number = mark(rows, own, places, owners, 1, 3, bits, alone, theirs)
    assert alone[:number].tolist() == [4, 0]
    assert theirs[:number].tolist() == [2, 1]
    assert bits.tolist() == [[0, 8], [0, 0], [0, 0], [0, 0], [0, 8]]


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
