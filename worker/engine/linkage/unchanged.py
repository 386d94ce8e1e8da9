"""Originals that nobody shares, and that stand in the release as they were, in whichever row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.linkage.quasi_identifiers import Key
from worker.engine.linkage.tuples import Tuples
from worker.engine.tables.column import Codes
from worker.engine.tables.keys import among, distinct, pack


@dataclass(frozen=True)
class Unchanged:
    """Of originals unique in the data: how many stand unchanged, and how many would if each column of the
    release lay in an order of its own."""

    unique: int
    found: int
    by_chance: float


def unchanged(keys: Sequence[Key], originals: Tuples, released: Tuples) -> Unchanged:
    """Looked up by the values of all columns together."""
    alone = originals.codes[originals.counts == 1]
    known = [key.met_again() for key in keys]
    became = np.column_stack([one[released.codes[:, at]] for at, one in enumerate(known)])
    rows = int(released.counts.sum())
    return Unchanged(
        len(alone), _standing(keys, alone, became), _expected(keys, known, alone, released, rows)
    )


def _standing(keys: Sequence[Key], alone: Codes, became: Codes) -> int:
    became = became[(became >= 0).all(axis=1)]
    both = np.concatenate([alone, became])
    packed = pack(list(both.T), [len(key.was) for key in keys], len(both))
    return int(among(packed[: len(alone)], distinct(packed[len(alone) :])).sum())


def _expected(
    keys: Sequence[Key], known: Sequence[Codes], alone: Codes, released: Tuples, rows: int
) -> float:
    """A row with the rarest of an original's values holds the others as often as the release does."""
    if not rows or not len(alone):
        return 0.0
    often = []
    for at, (key, to) in enumerate(zip(keys, known, strict=True)):
        found = np.zeros(len(key.was))
        codes = to[released.codes[:, at]]
        np.add.at(found, codes[codes >= 0], released.counts[codes >= 0])
        often.append(found[alone[:, at]])
    frequency = np.sort(np.column_stack(often), axis=1)
    chance = (frequency[:, 1:] / rows).prod(axis=1)
    return float((1.0 - (1.0 - chance) ** frequency[:, 0]).sum())
