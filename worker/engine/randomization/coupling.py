"""Draws from transition laws that do not average out when a column is released again.

A law says with which probability each category becomes which. Categories that can become one another are a
group. Where what a group's category becomes does not depend on it unless it is kept, the law is a mixture:
keep the category, or forget it and draw from one distribution.

All mixtures with the same group and the same distribution are snapshots of one process: as less is kept,
the cell is forgotten and drawn anew at random moments, and stays as it is between them. A weaker promise is
then a further randomization of a stronger one, so that all of them together tell what the strongest tells
alone (Koufogiannis, Han & Pappas 2016, Gradual release of sensitive data under differential privacy).
Outcomes that merely agree as often as possible are no such thing: where two of them differ, the original
stands in plain sight. Other laws, and another category in the same cell, are drawn apart.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import gcd
from typing import Any

import numpy as np

from worker.engine.randomization.transition import Weights
from worker.engine.randomness import Source
from worker.engine.tables.column import Codes, Floats, Mask
from worker.engine.tables.drawing import Words

WORD = 1 << 64
MOMENTS = 2000
"""A cell is forgotten as often as that at most; where everything is forgotten, this is the last time."""
NUMBERS = 4096
"""Words of a cell; those from here on continue a word that lies on a threshold."""
Cumulated = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True)
class Group:
    """Categories that can become one another, by name in their order: `cells` are their places in the law."""

    names: tuple[str, ...]
    cells: tuple[int, ...]
    weights: Weights

    @property
    def forgetting(self) -> tuple[Fraction, ...] | None:
        """How likely each category is drawn because the true one was forgotten; None where no law is that."""
        totals = [sum(row) for row in self.weights]
        found = []
        for j in range(len(self.cells)):
            i = int(j == 0)  # any other category
            there, total = self.weights[i][j], totals[i]
            others = (n for n in range(len(totals)) if n != j)
            if any(self.weights[n][j] * total != there * totals[n] for n in others):
                return None
            found.append(Fraction(there, total))
        return tuple(found) if sum(found) <= 1 else None

    @property
    def family(self) -> str:
        """The same for laws whose draws are snapshots of one process, however they were written."""
        shares = self.forgetting
        if shares is None:
            law = [[weight // gcd(*row) for weight in row] for row in self.weights]
            return _digest(["law", self.names, law])
        return _digest(["mixture", self.names, [str(share / sum(shares)) for share in shares]])


@dataclass(frozen=True)
class Row:
    """What one category becomes, as cumulated probabilities: what it is at first, and what once forgotten."""

    at_first: Cumulated
    forgotten: Cumulated = ()
    kept: Fraction = Fraction(1)
    family: str = ""


def groups_of(weights: Weights, names: Sequence[str]) -> list[Group]:
    """The groups of a law; a category that stays as it is, is in none."""
    left, found = set(range(len(weights))), []
    while left:
        members: set[int] = set()
        reached = {left.pop()}
        while reached:
            at = reached.pop()
            members.add(at)
            linked = {j for j in left if weights[at][j] or weights[j][at]}
            left -= linked
            reached |= linked
        if len(members) > 1:
            cells = tuple(sorted(members, key=names.__getitem__))
            inner = [[weights[i][j] for j in cells] for i in cells]
            found.append(Group(tuple(names[i] for i in cells), cells, inner))
    return found


def rows_of(weights: Weights, names: Sequence[str]) -> list[Row]:
    """One row per category of a law."""
    rows = [Row(((cell, Fraction(1)),)) for cell in range(len(names))]
    for group in groups_of(weights, names):
        shares, family = group.forgetting, group.family
        for at, cell in enumerate(group.cells):
            if shares is None:
                rows[cell] = Row(_first(group, at), family=family)
            else:
                forgotten = sum(shares, Fraction(0))
                kept = 1 - forgotten
                drawn = zip(group.cells, (share / forgotten for share in shares), strict=True)
                rows[cell] = Row(((cell, kept),), _cumulated(drawn), kept, family)
    return rows


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _first(group: Group, at: int) -> Cumulated:
    """A whole row of the law; staying comes first, so that laws alike keep the same cells."""
    total = sum(group.weights[at])
    order = sorted(range(len(group.cells)), key=lambda j: (j != at, j))
    return _cumulated((group.cells[j], Fraction(group.weights[at][j], total)) for j in order)


def _cumulated(shares: Any) -> Cumulated:
    pairs = [(cell, share) for cell, share in shares if share]
    return tuple(zip((cell for cell, _ in pairs), accumulate(share for _, share in pairs), strict=True))


@dataclass(frozen=True)
class Thresholds:
    """Lists of cumulated probabilities as words: list n has the numbers from `first[n]` to `first[n + 1]`.

    A word below a threshold stands for the cell beside it; one that equals a `split` threshold lies on it.
    """

    first: Codes
    below: Words
    split: Mask
    cells: Codes

    @classmethod
    def of(cls, lists: Sequence[Cumulated]) -> Thresholds:
        """Nothing is rounded: what lies on a threshold is told apart by further words."""
        flat = [one for each in lists for one in each]
        below = [min(share.numerator * WORD // share.denominator, WORD - 1) for _, share in flat]
        split = [Fraction(word, WORD) != share for word, (_, share) in zip(below, flat, strict=True)]
        return cls(
            np.array([0, *accumulate(len(each) for each in lists)], np.int32),
            np.array(below, np.uint64),
            np.array(split, bool),
            np.array([cell for cell, _ in flat], np.int32),
        )


@dataclass(frozen=True)
class Coupling:
    """One row per stack (of rows of data) and category, as numbers for the loop that draws."""

    stacks: tuple[Weights, ...]
    names: tuple[str, ...]
    at_first: Thresholds
    forgotten: Thresholds
    list_of: Codes
    """Which list of `forgotten` a row draws from."""
    kept: Floats
    families: tuple[str, ...]
    """That of each row."""

    @classmethod
    def of(cls, stacks: Sequence[Weights], names: Sequence[str]) -> Coupling:
        """From one matrix of weights per stack."""
        made: dict[str, list[Row]] = {}
        rows: list[Row] = []
        for weights in stacks:
            rows += made.setdefault(str(weights), []) or _kept(made, weights, names)
        lists = list(dict.fromkeys(row.forgotten for row in rows))
        place = {one: number for number, one in enumerate(lists)}
        return cls(
            tuple(stacks),
            tuple(names),
            Thresholds.of([row.at_first for row in rows]),
            Thresholds.of(lists),
            np.array([place[row.forgotten] for row in rows], np.int32),
            np.array([float(row.kept) for row in rows]),
            tuple(row.family for row in rows),
        )

    def row(self, number: int) -> Row:
        """A row with its exact probabilities."""
        stack, cell = divmod(number, len(self.names))
        return rows_of(self.stacks[stack], self.names)[cell]

    def keys(self, source: Source, column: str) -> Words:
        """Two words per row: they tell the draws of one category under one family of laws from all others."""
        width = len(self.names)
        made = [
            source.cell_key(column, family, self.names[number % width]) if family else bytes(16)
            for number, family in enumerate(self.families)
        ]
        return np.frombuffer(b"".join(made), np.uint64).reshape(-1, 2)

    def label(self, source: Source, column: str, strata: Sequence[str] = ()) -> str | None:
        """Names the draws, for those who count what was released: equal where they are snapshots of one
        process. It tells nothing without the version's key, and is none without it."""
        width = len(self.names)
        stacks = (self.families[at : at + width] for at in range(0, len(self.families), width))
        each = tuple(dict.fromkeys(json.dumps(sorted({*stack} - {""})) for stack in stacks))
        return source.draws_label(column, *each, *(strata if len(each) > 1 else ()))


def _kept(made: dict[str, list[Row]], weights: Weights, names: Sequence[str]) -> list[Row]:
    made[str(weights)] = rows_of(weights, names)
    return made[str(weights)]


def drawn_one(row: Row, word: Callable[[int], int]) -> int:
    """One draw with exact numbers; `word(n)` gives the n-th word of the cell."""
    found = _placed(row.at_first, word, 0)
    if found is None:
        found = _placed(row.forgotten, word, 2 * last_moment(float(row.kept), word) - 1)
    if found is None:
        raise ValueError("the probabilities of a row sum to 1")
    return found


def last_moment(kept: float, word: Callable[[int], int]) -> int:
    """How often a cell is forgotten while so much is kept; once at least. The words 0, 2, 4 … tell when."""
    left, moment = (word(0) + 0.5) / WORD, 1
    while kept > 0 and moment < MOMENTS:
        left *= (word(2 * moment) + 0.5) / WORD
        if left < kept:
            return moment
        moment += 1
    return MOMENTS


def _placed(cumulated: Cumulated, word: Callable[[int], int], number: int) -> int | None:
    """The cell in whose part of the line a word lies, continued by further words until it lies in one."""
    low, width = Fraction(0), Fraction(1)
    for continued in _words(word, number):
        width /= WORD
        low += continued * width
        passed = [cell for cell, share in cumulated if low < share]
        if not passed:
            return None
        if low + width <= dict(cumulated)[passed[0]]:
            return passed[0]
    raise ValueError("no words left")


def _words(word: Callable[[int], int], number: int) -> Iterator[int]:
    return (word(number + more) for more in range(0, 16 * NUMBERS, NUMBERS))
