"""A cell without a value may stand for any: against matches counted row by row."""

import random

import numpy as np
import pytest

from tests.engine.uniqueness.rows import classes_of_rows
from worker.engine.uniqueness.unknown_cells import weighed_matches


def by_hand(rows, alpha):
    """As sdcMicro counts: whole matches with complete rows and alike ones, others as far as they count."""
    known = [{j for j, text in enumerate(row) if text not in ("", "*")} for row in rows]
    found = []
    for i, row in enumerate(rows):
        total = 0.0
        for j, other in enumerate(rows):
            if all(row[k] == other[k] for k in known[i] & known[j]):
                whole = known[i] == known[j] or len(known[j]) == len(row) or not known[i]
                never = not known[j] and len(known[i]) == len(row)
                total += 1.0 if whole else 0.0 if never else alpha
        found.append(total)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_as_by_hand(seed):
    draw = random.Random(seed)
    rows = [tuple(draw.choice(["", "*", "a", "b"]) for _ in range(1 + seed % 4)) for _ in range(25)]
    classes, names, at = classes_of_rows(rows)
    for alpha in (0.0, 0.4, 1.0):
        found = weighed_matches(classes, names, alpha, classes.sizes)
        np.testing.assert_allclose(found[at], by_hand(rows, alpha), atol=1e-9)


def test_a_row_that_does_not_tell_everything():
    """One row of five does not tell its second key: it agrees with both kinds, they in part with it."""
    rows = [("a", "x"), ("a", "x"), ("a", "y"), ("a", ""), ("b", "x")]
    classes, names, at = classes_of_rows(rows)
    assert weighed_matches(classes, names, 1.0, classes.sizes)[at].tolist() == [3, 3, 2, 4, 1]
    assert weighed_matches(classes, names, 0.5, classes.sizes)[at].tolist() == [2.5, 2.5, 1.5, 4, 1]
    assert weighed_matches(classes, names, 0.0, classes.sizes)[at].tolist() == [2, 2, 1, 4, 1]
