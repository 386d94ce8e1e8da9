"""Originals that stand unchanged, against columns that really lie in orders of their own."""

import random

import numpy as np
import pytest

from worker.engine.linkage.quasi_identifiers import Key
from worker.engine.linkage.tuples import Tuples
from worker.engine.linkage.unchanged import unchanged
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind


def found(before, after):
    keys, sides = [], ([], [])
    for columns in zip(zip(*before, strict=True), zip(*after, strict=True), strict=True):
        domains = []
        for side, texts in zip(sides, columns, strict=True):
            known = sorted(set(texts))
            side.append([known.index(text) for text in texts])
            domains.append(Domain("x", Kind.TEXT, tuple(known), np.zeros(len(known), bool)))
        keys.append(Key(*domains, *(np.ones(len(one), np.int64) for one in domains)))
    return unchanged(keys, *(counted(side) for side in sides))


def counted(columns):
    codes, counts = np.unique(np.array(columns, np.int32).T, axis=0, return_counts=True)
    return Tuples(codes.astype(np.int32), counts)


def test_a_permuted_file_stands_whole():
    rows = [("a", "1"), ("a", "2"), ("b", "2"), ("b", "2")]
    told = found(rows, rows[::-1])
    assert (told.unique, told.found) == (2, 2)


@pytest.mark.parametrize("seed", range(5))
def test_chance_is_what_permuted_columns_give(seed):
    draw = random.Random(seed)
    rows = [(draw.choice("abcdef"), str(draw.randrange(30)), draw.choice("pq")) for _ in range(80)]
    told = found(rows, rows)
    shares = []
    for _ in range(200):
        orders = [draw.sample(column, len(rows)) for column in zip(*rows, strict=True)]
        shares.append(found(rows, list(zip(*orders, strict=True))).found)
    assert told.by_chance == pytest.approx(sum(shares) / len(shares), rel=0.1)
