"""Which parts of a file figures are told of."""

import random

from tests.engine.measures.scenes import Case, figures_of
from worker.engine.comparable.parts import LEAST_ROWS, MOST_PARTS
from worker.engine.measures.utility.regression import Regression

COLUMNS = {
    "n": {"role": "other", "kind": "integer"},
    "m": {"role": "other", "kind": "integer"},
    "by": {"role": "other", "kind": "categorical"},
}


def parts_of(by):
    draw = random.Random(0)
    numbers = {name: [str(draw.randrange(1000)) for _ in by] for name in "nm"}
    cells = {**numbers, "by": by}
    return set(figures_of(Regression(by="by"), Case(COLUMNS, cells, cells))["overlap_of_part"])


def test_parts_of_enough_rows_are_told_and_missing_is_one():
    assert parts_of(["a"] * LEAST_ROWS + ["b"] * (LEAST_ROWS - 1) + [""] * LEAST_ROWS) == {
        "by = a",
        "by = (missing)",
    }


def test_of_many_parts_the_largest_are_told():
    by = [f"v{part:02d}" for part in range(MOST_PARTS + 5) for _ in range(LEAST_ROWS + part)]
    assert parts_of(by) == {f"by = v{part:02d}" for part in range(5, MOST_PARTS + 5)}
