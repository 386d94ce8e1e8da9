"""Grouping holds so many combinations as it may, however many the file has."""

import tracemalloc
from functools import partial
from math import inf

import numpy as np

from worker.engine.verification import released
from worker.engine.verification.grouping import Grouping
from worker.engine.verification.released import Released, Vocabulary
from worker.engine.verification.tallying import Parts

ROWS, AT_ONCE, MOST = 400_000, 20_000, 25_000


class AllDifferent:
    """A release in which every row is a class of its own, made up as it is read."""

    knows_persons = False

    def vocabulary(self, name):
        return Vocabulary()

    def pieces(self, names):
        for first in range(0, ROWS, AT_ONCE):
            rows = np.arange(first, first + AT_ONCE)
            columns = [(rows % 1000).astype(np.int32), (rows // 1000).astype(np.int32)]
            yield AT_ONCE, columns[: len(names)], None


def peak_and_classes(most):
    grouping = Grouping(AllDifferent(), ("age", "zip"), (), most)
    tracemalloc.start()
    try:
        found = sum(group.number for _, group in grouping.groups(lambda: None))
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()


def test_parts_bound_the_memory():
    whole, found = peak_and_classes(inf)
    parts, again = peak_and_classes(MOST)
    assert found == again == ROWS
    assert parts < whole / 6


class Persons(AllDifferent):
    """Every person has two rows, far from one another, which say the same."""

    knows_persons = True

    def __init__(self):
        self._distributions = {}

    def pieces(self, names):
        for rows, (codes, _), _ in super().pieces(("age", "zip")):
            yield rows, [codes], codes + 1000 * (np.arange(rows) // 1000 + self._first())

    def _first(self):
        self._turn = (getattr(self, "_turn", -1) + 1) % (ROWS // AT_ONCE // 2)
        return self._turn * AT_ONCE // 1000


def peak_and_persons(held, monkeypatch):
    monkeypatch.setattr(released, "Parts", partial(Parts, held))
    tracemalloc.start()
    try:
        found = Released.distribution(Persons(), "age")
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()


def test_persons_are_told_apart_part_by_part(monkeypatch):
    """Half as many persons as rows, two hundred with each of a thousand texts."""
    whole, found = peak_and_persons(inf, monkeypatch)
    parts, again = peak_and_persons(0, monkeypatch)
    assert (found == ROWS // 2 // 1000).all()
    assert (again == found).all()
    assert parts < whole / 2
