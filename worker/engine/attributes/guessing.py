"""A model that learns from a release which value goes with what an attacker knows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from worker.engine.tables.column import Codes

TREES = 50
VALUES = 30
BYTES_PER_NODE = 64
"""What a node takes beside a number for each value."""
Guess = Callable[[Codes], Codes]


def forest(known: Codes, values: Codes, seed: int) -> Guess:
    """Trees grown to the last row: what a file gives away of single rows is learnt too.

    `known` has a row for each row of the release, `values` what goes with it.
    """
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(n_estimators=TREES, random_state=seed, n_jobs=1)
    model.fit(known, values)
    guess: Guess = model.predict
    return guess


def memory_of(rows: int) -> int:
    """Bytes that a forest takes that has learnt from so many rows, at most."""
    return TREES * 2 * rows * (BYTES_PER_NODE + 8 * VALUES)


def commonest(values: Codes) -> Codes:
    """The values that are learnt, the commonest first: trees keep a number for each of them."""
    found, counts = np.unique(values, return_counts=True)
    return np.asarray(found[np.argsort(-counts, kind="stable")][:VALUES])
