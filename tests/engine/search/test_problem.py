"""What is searched is laid out once, and refused where it does not fit."""

from types import SimpleNamespace
from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.goals.k_anonymity import KAnonymity
from worker.engine.search.costs import Aim
from worker.engine.search.judging import Judge
from worker.engine.search.problem import MOST_ROWS, Problem


def test_more_rows_than_can_be_counted_are_refused_before_anything_is_laid_out() -> None:
    table: Any = SimpleNamespace(rows=MOST_ROWS)
    with pytest.raises(EngineError, match="Take a sample") as caught:
        Problem.of(table, [], [], Judge([KAnonymity(k=2)], 0, False), Aim())
    assert caught.value.code == "too-many-rows"
