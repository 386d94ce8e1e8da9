"""A model that learns from a release which value goes with what an attacker knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from worker.engine.tables.column import Codes
from worker.engine.tables.keys import distinct

if TYPE_CHECKING:
    from numpy.random import Generator

TREES = 50
VALUES = 30
BYTES_PER_NODE = 64
"""What a node takes beside a number for each value."""


def guessed(known: Codes, values: Codes, asked: Sequence[Codes], draw: Generator) -> list[Codes]:
    """The likeliest value of every row that is asked about, by the votes of a random forest.

    `known` has a row for each row of the release, `values` what goes with it. Trees grow to the last row:
    what a file gives away of single rows is learnt too. They are grown and heard one after the other, because
    all together would take far more memory than what they learn from.
    """
    from sklearn.tree import DecisionTreeClassifier

    options = distinct(values)
    votes = [np.zeros((len(one), len(options))) for one in asked]
    for _ in range(TREES):
        times = np.bincount(draw.integers(0, len(values), len(values)), minlength=len(values))
        tree = DecisionTreeClassifier(max_features="sqrt", random_state=int(draw.integers(1 << 31)))
        tree.fit(known, values, sample_weight=times)
        for heard, one in zip(votes, asked, strict=True):
            heard += tree.predict_proba(one)
    return [options[one.argmax(axis=1)] for one in votes]


def memory_of(rows: int, asked: int) -> int:
    """Bytes that guessing takes, at most, for so many rows learnt from and asked about."""
    return 2 * rows * (BYTES_PER_NODE + 8 * VALUES) + 2 * asked * 8 * VALUES


def commonest(values: Codes) -> Codes:
    """The values that are learnt, the commonest first: trees keep a number for each of them."""
    found, counts = np.unique(values, return_counts=True)
    return np.asarray(found[np.argsort(-counts, kind="stable")][:VALUES])
