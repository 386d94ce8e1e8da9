"""Which columns a run keeps beside its release, and how it marks rows."""

from __future__ import annotations

import numpy as np
import pytest

from worker.engine.errors import EngineError
from worker.engine.execution.beside import marked, staying_behind, unmarked
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.table import Field, Schema

SCHEMA = Schema(
    (
        Field("who", Kind.TEXT, Role.PERSON_KEY),
        Field("age", Kind.INTEGER, Role.QUASI_IDENTIFIER),
        Field("home", Kind.TEXT, Role.HOUSEHOLD_KEY),
        Field("share", Kind.DECIMAL, Role.WEIGHT),
    )
)


def test_whose_a_row_is_and_what_it_weighs_stays_behind_unless_it_leaves() -> None:
    assert staying_behind(SCHEMA, ("age",)) == ("who", "share")
    assert staying_behind(SCHEMA, ("age", "share")) == ("who",)


@pytest.mark.parametrize("count", [0, 1, 8, 13])
def test_marks_are_read_back_as_they_were(count: int) -> None:
    rows = np.arange(count) % 3 == 1
    assert unmarked(marked(rows), count).tolist() == rows.tolist()


@pytest.mark.parametrize("rows", [7, 17])
def test_marks_of_another_table_are_refused(rows: int) -> None:
    with pytest.raises(EngineError, match="not about this table"):
        unmarked(marked(np.ones(12, bool)), rows)
