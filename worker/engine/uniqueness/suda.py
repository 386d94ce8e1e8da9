"""Minimal sample uniques: the smallest sets of keys by which a row is alone (SUDA2).

A row that is alone by a set of keys is alone by every larger one, so the sets are gone through from the
largest down, each table made from one that has a key more: where no row is alone any longer nothing below is
looked at. Tables hold distinct combinations, never rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.frequency import Counts
from worker.engine.tables.keys import distinct
from worker.engine.tables.wildcards import wild_cells
from worker.engine.uniqueness.suda_loops import SHARED

DIS_FRACTION = 0.01
"""The share of the population that is taken to be in the sample where nobody says."""
WORST = 5
"""So many sets are named."""
BITS_OF_WORD = 32
BITS_OF_MARKS = 64

Ids = np.ndarray[Any, np.dtype[np.int32]]
Words = np.ndarray[Any, np.dtype[np.uint32]]
Marks = np.ndarray[Any, np.dtype[np.uint64]]
Places = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class Singling:
    """A set of keys by their numbers, how many rows it singles out as no part of it does, and what it adds:
    first its weight in all, then the part of all scores."""

    keys: tuple[int, ...]
    rows: float
    adds: float


@dataclass(frozen=True)
class Suda:
    """Class by class: the score, and the fewest keys of a minimal sample unique, 0 where there is none."""

    scores: Floats
    least: Ids
    contributions: Floats
    """Of each key, the part of all scores that comes from sets with it."""
    sizes: Floats
    """How many minimal sample uniques of each number of keys there are."""
    sets: tuple[Singling, ...] = ()
    """The sets of keys that add most to all scores, that with the largest part first."""


def suda(classes: Classes, names: Sequence[str], left_out: bool = False) -> Suda:
    """SUDA2 of classes of equal keys. With a person key a row is alone where it is all one person's.

    With `left_out` a cell without a value is no part of any set.
    """
    m, alone = len(names), np.flatnonzero(classes.sizes == 1).astype(np.int32)
    if not len(alone):
        return Suda(
            np.zeros(classes.number), np.zeros(classes.number, np.int32), np.zeros(m), np.zeros(m + 1)
        )
    keys = _Keys(classes, names, alone)
    people = len(distinct(keys.owners()[alone]))
    wild = wild_cells(classes, names)[:, alone] if left_out else None
    told = [j for j in range(m) if wild is None or not wild[j].any()]
    apart = [j for j in told if keys.size(j) >= people and (_marked(keys, [j]) > 0).all()]
    sought = [j for j in range(m) if j not in apart and not keys.is_constant(j)]
    sought.sort(key=lambda j: -keys.size(j))
    marks = _marked(keys, sought)
    if wild is not None:
        _without_cells(marks, wild[sought])
    weights, rows = [float(math.factorial(m - n)) for n in range(m + 1)], classes.rows[alone]
    found = _weighed(_minimal(marks, len(sought)), np.array(weights[: len(sought) + 1]), rows)
    scores, least = np.zeros(classes.number), np.zeros(classes.number, np.int32)
    parts, sizes = np.zeros(m), np.zeros(m + 1)
    parts[sought], sizes[: len(sought) + 1] = found.contributions, found.sizes
    scores[alone], least[alone] = found.scores, found.least
    if apart:
        parts[apart] = rows.sum() * weights[1]
        sizes[1] += rows.sum() * len(apart)
        scores[alone] += len(apart) * weights[1]
        least[alone] = 1
    total = float(sizes @ weights) or 1.0
    sets = [replace(one, keys=tuple(sorted(sought[j] for j in one.keys))) for one in found.sets]
    sets += [Singling((j,), float(rows.sum()), float(rows.sum()) * weights[1]) for j in apart]
    sets.sort(key=lambda one: (-one.adds, one.keys))
    worst = tuple(replace(one, adds=one.adds / total) for one in sets[:WORST])
    return Suda(scores, least, parts / total, sizes, worst)


def _weighed(marks: Marks, weights: Floats, rows: Counts) -> Suda:
    """Of minimal sets, by the weights of their sizes; contributions are not yet parts of a whole."""
    from worker.engine.uniqueness.suda_loops import weighed

    m = len(weights) - 1
    holds = np.arange(1 << m) >> np.arange(m)[:, None] & 1
    size = holds.sum(axis=0).astype(np.int32)
    scores, least = np.zeros(len(rows)), np.zeros(len(rows), np.int32)
    often = weighed(marks, weights[size], size, rows.astype(np.float64), scores, least)
    adds = often * weights[size]
    most = [int(word) for word in np.argsort(-adds, kind="stable")[:WORST] if often[word]]
    sets = tuple(
        Singling(tuple(np.flatnonzero(holds[:, one]).tolist()), float(often[one]), float(adds[one]))
        for one in most
    )
    sizes = np.bincount(size, often, m + 1).astype(np.float64)
    return Suda(scores, least, holds @ adds, sizes, sets)


def disclosure_of_matches(unique: int, in_pairs: int, fraction: float) -> float | None:
    """DIS: how likely a match of a unique row is right, from the rows that stand alone and in pairs."""
    right, wrong = unique * fraction, in_pairs * (1 - fraction)
    return right / (right + wrong) if right + wrong else None


def dis_suda(scores: Floats, rows: Counts | Floats, keys: int, in_pairs: int, fraction: float) -> Floats:
    """DIS spread over the rows by their scores, as Elliot's; 0 without a score."""
    power = 1 + (8 - keys) / 20
    spread, scored = np.zeros(len(scores)), scores > 0
    raised = scores[scored] ** power
    whole = float((rows[scored] / raised).sum())
    spread[scored] = 1 / (1 + in_pairs * (1 - fraction) / fraction / (raised * whole))
    return spread


@dataclass(frozen=True)
class _Node:
    """Combinations of some of the keys and who has them; beside it the rows that are alone, and which
    combination each of them has."""

    words: Words
    owners: Ids
    rows: Ids
    own: Ids


@dataclass(frozen=True)
class _Layout:
    """In which bits of which word each key lies."""

    word: tuple[int, ...]
    shift: tuple[int, ...]
    width: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> _Layout:
        width = [max(size - 1, 1).bit_length() for size in sizes]
        word, shift, used, number = [0] * len(sizes), [0] * len(sizes), 0, 0
        for j in reversed(range(len(sizes))):
            if used + width[j] > BITS_OF_WORD:
                number, used = number + 1, 0
            word[j], shift[j] = number, used
            used += width[j]
        return cls(tuple(word), tuple(shift), tuple(width))

    def bits(self, keys: int) -> int:
        """How many bits a set of keys takes."""
        return sum(width for j, width in enumerate(self.width) if keys >> j & 1)

    def masks(self, keys: int) -> Words:
        """The bits of a set of keys, word by word."""
        masks = np.zeros(max(self.word) + 1, np.uint32)
        for j, width in enumerate(self.width):
            masks[self.word[j]] |= (keys >> j & 1) * ((1 << width) - 1) << self.shift[j]
        return masks


class _Keys:
    """The keys of classes, one after another: never all codes at once."""

    def __init__(self, classes: Classes, names: Sequence[str], alone: Ids) -> None:
        self._classes, self._table, self._names, self.alone = classes, classes.table, names, alone

    def size(self, j: int) -> int:
        """How many values there may be."""
        return len(self._table.domain(self._names[j]))

    def is_constant(self, j: int) -> bool:
        """Whether all classes have the same value."""
        codes = self._codes(j, self._classes.first())
        return bool((codes == codes[0]).all())

    def _codes(self, j: int, first: Places) -> Codes:
        codes: Codes = self._table.column(self._names[j])[first]
        return codes

    def owners(self) -> Ids:
        """Who alone has the keys of a class; shared where several rows, or persons, have them."""
        owners, persons = np.full(self._classes.number, SHARED, np.int32), self._table.persons
        owners[self.alone] = self.alone if persons is None else persons[self._classes.first()[self.alone]]
        return owners

    def packed(self, sought: Sequence[int], layout: _Layout) -> _Node:
        """Some of the keys as words, of all classes."""
        words, first = (
            np.zeros((self._classes.number, max(layout.word) + 1), np.uint32),
            self._classes.first(),
        )
        for j, word, shift in zip(sought, layout.word, layout.shift, strict=True):
            words[:, word] |= self._codes(j, first).astype(np.uint32) << np.uint32(shift)
        return _Node(words, self.owners(), np.arange(len(self.alone), dtype=np.int32), self.alone)


def _marked(keys: _Keys, sought: Sequence[int]) -> Marks:
    """For each row that is alone, a bit for every set of the keys by which it is; set n holds key j at bit j.

    They need not be alone by all of these together: other keys may have told them apart.
    """
    m = len(sought)
    marks = np.zeros((len(keys.alone), max((1 << m) // BITS_OF_MARKS, 1)), np.uint64)
    if sought:
        full, layout = (1 << m) - 1, _Layout.of([keys.size(j) for j in sought])
        node = _child(keys.packed(sought, layout), full, layout, marks)
        _below(node, full, 0, layout, marks)
    return marks


def _below(node: _Node, keys: int, start: int, layout: _Layout, marks: Marks) -> None:
    """Go through the sets that lack one more of the keys from `start` on."""
    for j in range(start, len(layout.word)):
        fewer = keys & ~(1 << j)
        if fewer:
            child = _child(node, fewer, layout, marks)
            if len(child.rows):
                _below(child, fewer, j + 1, layout, marks)


def _child(node: _Node, keys: int, layout: _Layout, marks: Marks) -> _Node:
    """The table of fewer keys, and the rows that are alone in it still."""
    from worker.engine.uniqueness.suda_loops import mark, merged

    wide = min(layout.bits(keys) + 1, _roomy(node.words))
    table = np.full(1 << wide, -1, np.int32)
    words, owners = np.empty_like(node.words), np.empty_like(node.owners)
    places = np.empty_like(node.owners)
    number = merged(node.words, node.owners, layout.masks(keys), table, 64 - wide, words, owners, places)
    rows, own = np.empty_like(node.rows), np.empty_like(node.own)
    alone = mark(node.rows, node.own, places, owners, *divmod(keys, BITS_OF_MARKS), marks, rows, own)
    # What was not needed is given back without a copy.
    words.resize((number, words.shape[1]), refcheck=False)
    owners.resize(number, refcheck=False)
    rows.resize(alone, refcheck=False)
    own.resize(alone, refcheck=False)
    return _Node(words, owners, rows, own)


def _roomy(words: Words) -> int:
    """The bits of a table with room for half as many combinations more, at least."""
    return max(len(words) + len(words) // 2, 2).bit_length()


def _minimal(marks: Marks, keys: int) -> Marks:
    """Of the marked sets those of which no smaller one is marked."""
    larger = np.zeros_like(marks)
    numbers = np.arange(marks.shape[1])
    for j in range(keys):
        if j < 6:
            larger |= (marks & _sets_without(j)) << np.uint64(1 << j)
        else:
            there = 1 << (j - 6)
            fewer = numbers[numbers & there == 0]
            larger[:, fewer | there] |= marks[:, fewer]
    return marks & ~larger


def _without_cells(marks: Marks, unknown: Mask) -> None:
    """Unmark for each row the sets with a key of which it does not tell the value."""
    numbers = np.arange(marks.shape[1])
    for j, rows in enumerate(unknown):
        if j < 6:
            marks[rows] &= _sets_without(j)
        else:
            marks[np.ix_(rows, numbers >> (j - 6) & 1 == 1)] = 0


def _sets_without(j: int) -> np.uint64:
    """Among 64 sets those without one of the first six keys."""
    return np.uint64(sum(1 << number for number in range(BITS_OF_MARKS) if not number >> j & 1))
