"""Minimal sample uniques: the smallest sets of keys by which a row is alone (SUDA2).

A row that is alone by a set of keys is alone by every larger one, so the sets are gone through from the
largest down, each table made from one that has a key more: where no row is alone any longer nothing below is
looked at. Tables hold distinct combinations, never rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.tables.classes import Classes
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.frequency import Counts
from worker.engine.tables.wildcards import wild_cells
from worker.engine.uniqueness.suda_loops import SHARED

DIS_FRACTION = 0.01
"""The share of the population that is taken to be in the sample where nobody says."""
BITS_OF_WORD = 62
BITS_OF_MARKS = 64

Ids = np.ndarray[Any, np.dtype[np.int32]]
Words = np.ndarray[Any, np.dtype[np.int64]]
Marks = np.ndarray[Any, np.dtype[np.uint64]]


@dataclass(frozen=True)
class Suda:
    """Class by class: the score, and the fewest keys of a minimal sample unique, 0 where there is none."""

    scores: Floats
    least: Ids
    contributions: Floats
    """Of each key, the part of all scores that comes from sets with it."""
    sizes: Floats
    """How many minimal sample uniques of each number of keys there are."""


def suda(classes: Classes, names: Sequence[str], left_out: bool = False) -> Suda:
    """SUDA2 of classes of equal keys. With a person key a row is alone where it is all one person's.

    With `left_out` a cell without a value is no part of any set.
    """
    m, alone = len(names), np.flatnonzero(classes.sizes == 1).astype(np.int32)
    scores, least = np.zeros(classes.number), np.zeros(classes.number, np.int32)
    if not len(alone):
        return Suda(scores, least, np.zeros(m), np.zeros(m + 1))
    first, owners = classes.first(), _owners(classes)
    codes = [classes.table.column(name)[first] for name in names]
    wild = wild_cells(classes, names)[:, alone] if left_out else np.zeros((m, len(alone)), bool)
    apart = [j for j in range(m) if not wild[j].any() and _tells_all(codes[j], owners, alone)]
    sought = [j for j in range(m) if j not in apart and not (codes[j] == codes[j][0]).all()]
    sought.sort(key=lambda j: -len(classes.table.domain(names[j])))
    marks = _marked([codes[j] for j in sought], owners, alone, told=bool(apart))
    _without_cells(marks, wild[sought])
    weights, rows = [float(math.factorial(m - n)) for n in range(m + 1)], classes.rows[alone]
    found = _weighed(_minimal(marks, len(sought)), np.array(weights[: len(sought) + 1]), rows)
    parts, sizes = np.zeros(m), np.zeros(m + 1)
    parts[sought], sizes[: len(sought) + 1] = found.contributions, found.sizes
    scores[alone], least[alone] = found.scores, found.least
    if apart:
        parts[apart] = rows.sum() * weights[1]
        sizes[1] += rows.sum() * len(apart)
        scores[alone] += len(apart) * weights[1]
        least[alone] = 1
    total = sizes @ weights
    return Suda(scores, least, parts / (total or 1), sizes)


def _tells_all(codes: Codes, owners: Ids, alone: Ids) -> bool:
    """Whether every row that is alone is so by this key already: then no larger set with it is minimal."""
    words = codes.astype(np.int64)[:, None]
    *_, found = _placed(words, owners, words[alone], int(codes.max()).bit_length())
    return bool((found != SHARED).all())


def _weighed(marks: Marks, weights: Floats, rows: Counts) -> Suda:
    """Of minimal sets, by the weights of their sizes; contributions are not yet parts of a whole."""
    from worker.engine.uniqueness.suda_loops import weighed

    m = len(weights) - 1
    holds = np.arange(1 << m) >> np.arange(m)[:, None] & 1
    size = holds.sum(axis=0).astype(np.int32)
    scores, least = np.zeros(len(rows)), np.zeros(len(rows), np.int32)
    often = weighed(marks, weights[size], size, rows.astype(np.float64), scores, least)
    return Suda(
        scores, least, holds @ (often * weights[size]), np.bincount(size, often, m + 1).astype(np.float64)
    )


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


def _owners(classes: Classes) -> Ids:
    """Who alone has the keys of a class; shared where several rows, or persons, have them."""
    owners = np.full(classes.number, SHARED, np.int32)
    alone = classes.sizes == 1
    if classes.table.persons is None:
        owners[alone] = np.flatnonzero(alone)
    else:
        owners[alone] = classes.table.persons[classes.first()[alone]]
    return owners


@dataclass(frozen=True)
class _Node:
    """Combinations of some of the keys and who has them; beside it the rows that are alone, with theirs."""

    words: Words
    owners: Ids
    rows: Ids
    own: Words


@dataclass(frozen=True)
class _Layout:
    """In which bits of which word each key lies. The first is on top, so that those after it stay in place
    when it goes."""

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

    def packed(self, codes: Sequence[Codes]) -> Words:
        """The combinations as words."""
        words = np.zeros((len(codes[0]), max(self.word) + 1), np.int64)
        for one, word, shift in zip(codes, self.word, self.shift, strict=True):
            words[:, word] |= one.astype(np.int64) << shift
        return words


def _marked(codes: Sequence[Codes], owners: Ids, alone: Ids, told: bool) -> Marks:
    """For each row that is alone, a bit for every set of keys by which it is; set n holds key j at bit j.

    Where other keys have `told` rows apart, they need not be alone by all of these together.
    """
    m = len(codes)
    marks = np.zeros((len(alone), max((1 << m) // BITS_OF_MARKS, 1)), np.uint64)
    if not codes:
        return marks
    layout = _Layout.of([int(one.max()) + 1 for one in codes])
    words, rows = layout.packed(codes), np.arange(len(alone), dtype=np.int32)
    own = words[alone]
    if told:
        words, owners, found = _hashed(words, owners, own)
        rows, own = rows[found != SHARED], own[found != SHARED]
    full = (1 << m) - 1
    marks[rows, full // BITS_OF_MARKS] |= np.uint64(1) << np.uint64(full % BITS_OF_MARKS)
    if len(rows):
        _below(_Node(words, owners, rows, own), full, 0, layout, marks)
    return marks


def _below(node: _Node, keys: int, start: int, layout: _Layout, marks: Marks) -> None:
    """Go through the sets that lack one more of the keys from `start` on."""
    for j in range(start, len(layout.word)):
        fewer = keys & ~(1 << j)
        if fewer:
            child = _child(node, j, fewer, layout, marks)
            if len(child.rows):
                _below(child, fewer, j + 1, layout, marks)


def _child(node: _Node, j: int, fewer: int, layout: _Layout, marks: Marks) -> _Node:
    """The table without one key, and the rows that are alone in it still."""
    from worker.engine.uniqueness.suda_loops import mark, without

    place = layout.word[j], layout.shift[j], layout.width[j]
    own, bits = without(node.own, *place), layout.bits(fewer)
    words = without(node.words, *place)
    if words.shape[1] == 1 and bits <= _doubled(words):
        words, owners, found = _placed(words, node.owners, own, bits)
    else:
        words, owners, found = _hashed(words, node.owners, own)
    mark(found, node.rows, *divmod(fewer, BITS_OF_MARKS), marks)
    alone = found != SHARED
    return _Node(words, owners, node.rows[alone], own[alone])


def _doubled(words: Words) -> int:
    """The bits of a table with room for twice as many combinations."""
    return max(2 * len(words), 2).bit_length()


def _placed(words: Words, owners: Ids, own: Words, bits: int) -> tuple[Words, Ids, Ids]:
    """Equal combinations as one where there is a place for every combination that may be."""
    from worker.engine.uniqueness.suda_loops import NOBODY, laid_out, read_off

    table = np.full(1 << bits, NOBODY, np.int32)
    number = laid_out(words, owners, table)
    fewer, theirs = np.empty((number, 1), np.int64), np.empty(number, np.int32)
    read_off(table, fewer, theirs)
    return fewer, theirs, table[own[:, 0]]


def _hashed(words: Words, owners: Ids, own: Words) -> tuple[Words, Ids, Ids]:
    """The same where they have to be looked for."""
    from worker.engine.uniqueness.suda_loops import looked_up, merged

    wide, theirs, found = _doubled(words), owners.copy(), np.empty(len(own), np.int32)
    table = np.full(1 << wide, -1, np.int32)
    number = merged(words, theirs, table, 64 - wide)
    looked_up(own, words, theirs, table, 64 - wide, found)
    return words[:number], theirs[:number], found


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
