"""Ranks of numbers, and cells counted piece by piece."""

import numpy as np

from worker.engine.linkage.closeness import Closeness, Ranks
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.kinds import Kind


def test_equal_numbers_share_a_rank_and_a_missing_one_has_none():
    texts = ("", "1", "1.0", "3")
    domain = Domain("x", Kind.DECIMAL, texts, np.array([True, False, False, False]))
    table = FrequencyTable((domain,), (np.arange(4, dtype=np.int32),), np.array([5, 1, 2, 1]))
    ranks = Ranks.of(table)
    assert ranks.places(np.array([0.0, 1.0, 2.0, 3.0, 9.0])).tolist() == [0, 3 / 8, 3 / 4, 7 / 8, 1]
    assert np.isnan(ranks.places(np.array([np.nan]))).all()


def test_pieces_add_up():
    close = Closeness([1.0, 1.0], [2.0, 2.0])
    for away in ([0.5, 3.0], [np.nan, 1.0], [np.nan, np.nan]):
        columns = [np.array([one]) for one in away]
        close.add(columns, columns)
    assert (close.inside, close.cells) == ([1, 1], [1, 2])
    assert (close.rows, close.everywhere, close.forgiving) == (2, 1, 2)
