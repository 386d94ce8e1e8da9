"""How the quasi-identifiers of a row are packed into one key of as few 64-bit words as possible.

Most columns are written as the path through their hierarchy, so that a whole key is generalized by one `and`
with the node's mask; columns too deep for that are written as a rank and generalized by a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs
from worker.engine.search.ladder import Ladder

Words = np.ndarray[Any, np.dtype[np.uint64]]
Codes = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

WORD = 64


class Coding(NamedTuple):
    """What kernels know of the columns. `…_at[c, l]` is where a table starts in its flat array."""

    fine: Words
    """Per word of a key: the bits of the columns that are never generalized."""
    word: Longs
    shift: Longs
    width: Longs
    levels: Longs
    rows: Floats
    keep_from: Longs
    climb_at: Longs
    climbs: Words
    leaf_at: Longs
    leaves: Codes
    map_at: Longs
    maps: Codes
    covers: Floats


class Place(NamedTuple):
    """Where a column lies in a key."""

    ladder: Ladder
    word: int
    shift: int


@dataclass(frozen=True, eq=False)
class Keys:
    """Ladders and the coding of their columns; behind them, columns that are never generalized."""

    ladders: tuple[Ladder, ...]
    coding: Coding
    others: tuple[Place, ...] = ()

    @classmethod
    def of_ladders(cls, ladders: Sequence[Ladder], others: Sequence[Ladder] = ()) -> Keys:
        """Lay the columns out, none across two words."""
        places = _layout([*ladders, *others])
        coding = _coding(ladders, places[: len(ladders)], _fine(places, len(ladders)))
        return cls(tuple(ladders), coding, tuple(places[len(ladders) :]))

    @property
    def words(self) -> int:
        """How many 64-bit words a key takes."""
        return len(self.coding.fine)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where each column lies in a key, the generalized ones first."""
        coding = self.coding
        own = zip(self.ladders, coding.word, coding.shift, strict=True)
        return (*(Place(ladder, int(word), int(shift)) for ladder, word, shift in own), *self.others)

    @cached_property
    def fields(self) -> tuple[Words, ...]:
        """What each code of a column adds to its word of the key."""
        return tuple(place.ladder.fields << np.uint64(place.shift) for place in self.places)


def _fine(places: Sequence[Place], first: int) -> Words:
    fine = np.zeros(places[-1].word + 1 if places else 1, np.uint64)
    for place in places[first:]:
        fine[place.word] |= np.uint64(((1 << place.ladder.width) - 1) << place.shift)
    return fine


def _coding(ladders: Sequence[Ladder], places: Sequence[Place], fine: Words) -> Coding:
    word = np.array([place.word for place in places], np.int64)
    shift = np.array([place.shift for place in places], np.int64)
    width = np.array([ladder.width for ladder in ladders], np.int64)
    tall = max((ladder.levels for ladder in ladders), default=1)
    map_at, maps, covers = _tables(ladders, tall)
    keep_from = np.zeros((len(ladders), tall), np.int64)
    for column, ladder in enumerate(ladders):
        if ladder.is_masked:
            keep_from[column, : ladder.levels] = ladder.first_bits
    climb_at, climbs = _climbs(ladders, tall)
    leaf_at = np.concatenate([[0], np.cumsum([len(ladder.leaves) for ladder in ladders])]).astype(np.int64)
    return Coding(
        fine=fine,
        word=word,
        shift=shift,
        width=width,
        levels=np.array([ladder.levels for ladder in ladders], np.int64),
        rows=np.array([ladder.rows for ladder in ladders], np.float64),
        keep_from=keep_from,
        climb_at=climb_at,
        climbs=climbs,
        leaf_at=leaf_at[:-1],
        leaves=_joined([ladder.leaves for ladder in ladders], np.int32),
        map_at=map_at,
        maps=maps,
        covers=covers,
    )


def _layout(ladders: Sequence[Ladder]) -> list[Place]:
    """Each column's word and its first bit there, filling words in order."""
    places, word, used = [], 0, 0
    for ladder in ladders:
        if used + ladder.width > WORD:
            word, used = word + 1, 0
        places.append(Place(ladder, word, min(used, WORD - 1)))
        used += ladder.width
    return places


def _tables(ladders: Sequence[Ladder], tall: int) -> tuple[Longs, Codes, Floats]:
    """The level maps and covers of all columns, end to end."""
    at = np.zeros((len(ladders), tall), np.int64)
    maps, covers, end = [], [], 0
    for column, ladder in enumerate(ladders):
        for level in range(ladder.levels):
            at[column, level] = end
            maps.append(ladder.maps[level])
            covers.append(ladder.covers[level])
            end += ladder.size
    return at, _joined(maps, np.int32), _joined(covers, np.float64)


def _climbs(ladders: Sequence[Ladder], tall: int) -> tuple[Longs, Words]:
    """The tables of the columns that no mask generalizes; -1 for the others."""
    at = np.full((len(ladders), tall), -1, np.int64)
    tables, end = [], 0
    for column, ladder in enumerate(ladders):
        if ladder.is_masked:
            continue
        for level in range(ladder.levels):
            at[column, level] = end
            tables.append(ladder.climbs[level])
            end += len(tables[-1])
    return at, _joined(tables, np.uint64)


def _joined(parts: Sequence[Any], kind: Any) -> Any:
    return np.concatenate(parts).astype(kind) if len(parts) else np.zeros(1, kind)
