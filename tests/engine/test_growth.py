"""Three times the rows take three times the work, and no row is a step of the interpreter."""

from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from tests.engine import checks
from tests.engine.growth import steps_of
from tests.engine.running import recipe_of, run
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Effort, Found, Measure, Section
from worker.engine.tables.dense import Numbers, codes_of
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import BLOCK, Table

NAMES = ("a", "b", "c")
COLUMNS = {name: {"role": "other", "kind": "decimal"} for name in NAMES} | {
    "q": {"role": "quasi-identifier", "kind": "integer"}
}
STEPS = [
    ("noise", {"column": "a"}),
    ("rank-swapping", {"columns": ["a", "b"]}),
    ("shuffling", {"columns": ["a"], "predictors": ["b"]}),
    ("synthetic-copula", {}),
    ("synthetic-trees", {"rows_to_fit": 1000}),
]
FEW, MANY = 3 * BLOCK, 9 * BLOCK
"""More than have a place in a list of labels."""


@cache
def numbers(rows):
    """Columns with a value of its own for nearly every row, and one with few."""
    generator = np.random.default_rng(1)
    columns = [np.round(generator.normal(size=rows), 6) for _ in NAMES]
    columns.append(generator.integers(0, 80, rows).astype(float))
    none = pa.array([""])
    return Table(
        Numbers(name, Kind.DECIMAL, codes_of(pa.array(values)), none)
        for name, values in zip((*NAMES, "q"), columns, strict=True)
    )


@pytest.mark.parametrize("step", STEPS, ids=[slug for slug, _ in STEPS])
def test_no_row_is_a_step_of_the_interpreter(step):
    recipe = recipe_of(COLUMNS, [], [step], ["*"])
    run(recipe, numbers(1000))  # compiles what has to be
    few, many = numbers(FEW), numbers(MANY)
    (less, cells), (more, larger) = (steps_of(lambda table=one: run(recipe, table)) for one in (few, many))
    assert more - less < 0.1 * (MANY - FEW)
    assert larger <= 3 * cells


class Growing(Measure):
    """Does something for each pair of rows."""

    slug = "growing"
    title = "Growing"
    section = Section.RISK
    figures = (Figure("pairs", "Pairs", "Pairs of rows.", unit="count"),)

    @classmethod
    def examples(cls):
        return (cls(),)

    def read(self, side):
        rows = side.statistics.rows()
        return Found({"pairs": sum(rows // 12 for _ in range(rows // 12) for _ in range(rows // 12))})


class Honest(Growing):
    """The same, and says so."""

    def effort(self, outlook):
        return Effort(seconds=outlook.rows**2 * 1e-9)


def test_a_measure_that_grows_faster_than_it_says_is_found():
    with pytest.raises(AssertionError, match="lines"):
        checks.check_measure_grows_as_it_says(Growing())
    checks.check_measure_grows_as_it_says(Honest())
