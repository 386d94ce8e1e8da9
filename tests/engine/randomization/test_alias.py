"""Alias tables implement integer weights exactly."""

from fractions import Fraction

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.engine.methods.judging import fits
from worker.engine.randomization.alias import MOST_WEIGHT, Alias, drawn_one
from worker.engine.randomization.alias_kernel import drawn
from worker.engine.randomness import Source, key_from_seed
from worker.engine.tables.drawing import words
from worker.engine.tables.table import BLOCK, Chunk

WEIGHTS = st.lists(st.integers(0, MOST_WEIGHT // 300), min_size=1, max_size=200).filter(any)


@given(WEIGHTS)
@settings(max_examples=100, deadline=None)
@example([4, 1, 1])
@example([MOST_WEIGHT // 2, 1])
def test_every_probability_is_exactly_its_weight(weights):
    alias = Alias.of_weights([weights])
    assert alias.matrix(len(weights))[0] == [Fraction(weight, sum(weights)) for weight in weights]


def test_rows_of_different_totals_live_in_one_table():
    rows = [[1, 2, 3], [10, 0, 0], [7, 7, 7]]
    exact = Alias.of_weights(rows).matrix(3)
    assert exact == [[Fraction(w, sum(row)) for w in row] for row in rows]


def test_the_kernel_draws_what_plain_integers_draw():
    alias = Alias.of_weights([[3, 1, 5], [0, 1, 0]])
    source = Source(key_from_seed(1))
    codes = np.tile(np.array([0, 1], np.int32), 5000)
    chunk = Chunk([], 0, len(codes))
    found, counts = drawn(alias, 3, codes, np.arange(2, dtype=np.int32), chunk, source, "x")
    raw = words(source.stream("x", 0), alias.word, len(codes))
    plain = [drawn_one(alias, int(row), iter([int(word)])) for row, word in zip(codes, raw, strict=True)]
    assert counts.tolist() == np.bincount(found, minlength=3).tolist()
    assert found.tolist() == plain
    assert fits(np.bincount(found[codes == 0], minlength=3), [3 / 9, 1 / 9, 5 / 9])


def test_short_words_are_used_only_where_they_suffice():
    assert Alias.of_weights([[4, 1, 1], [6, 0, 0]]).word == 32
    assert Alias.of_weights([[4 * 10**9, 10**9, 10**9]]).word == 32, "the same probabilities"
    assert Alias.of_weights([[10**9 + 1, 10**9]]).word == 64


def test_words_that_cannot_be_shared_out_are_drawn_again():
    alias = Alias.of_weights([[1, 1]])
    spoilt = Alias(
        alias.word, alias.bits, alias.below // np.uint64(2), alias.other, alias.ends // np.uint64(2)
    )
    codes = np.zeros(BLOCK // 8, np.int32)
    chunk = Chunk([], 0, len(codes))
    found, counts = drawn(spoilt, 2, codes, np.zeros(1, np.int32), chunk, Source(key_from_seed(1)), "x")
    assert counts.tolist() == np.bincount(found, minlength=2).tolist()
    assert fits(counts, [0.5, 0.5])
    drawn_words = iter([(1 << (alias.word - 1)) - 1, 5])
    assert drawn_one(spoilt, 0, drawn_words) == 0
    assert next(drawn_words, None) is None, "the first word was in the remainder, the second one was used"
