"""Words as features, by hand."""

import numpy as np

from worker.engine.prediction.design import NONE, Design, commonest, crossed, number_of


def codes(*numbers):
    return np.array(numbers, np.int32)


def test_rarer_words_are_one_feature():
    places = commonest(codes(0, 1, 1, 2, 2, 2, 4), 5, 3)
    assert places.tolist() == [2, 0, 1, 2, 2]
    assert number_of(places) == 3


def test_a_word_that_never_occurs_is_no_feature():
    assert commonest(codes(0, 2), 4, 3).tolist() == [0, NONE, 1, NONE]


def test_each_two_columns_are_crossed():
    (pair,) = crossed([codes(0, 1, NONE), codes(2, 0, 1)], [2, 3])
    assert (pair.codes.tolist(), pair.size) == ([2, 3, NONE], 6)


def test_the_words_of_a_column_follow_those_of_the_one_before():
    design = Design.of([codes(0, 1, NONE), codes(2, 0, 2)], [2, 3])
    assert design.words.tolist() == [[0, 4], [1, 2], [NONE, 4]]
    assert (design.size, design.rows_of_words().tolist()) == (5, [1, 1, 1, 0, 2])
