"""Levels over cells: every entry has one parent, and the top is one for all."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from worker.engine.dp.cells import Cells
from worker.engine.dp.layouts import Levels
from worker.engine.dp.levels import levels_over
from worker.engine.errors import EngineError
from worker.engine.tables.declaration import HierarchySpec

LINES = HierarchySpec(lines=("flu;lungs;*", "asthma;lungs;*", "ulcer;stomach;*"))


def whole_numbers(most: int) -> Cells:
    edges = tuple(Decimal(one) for one in range(most + 1))
    return Cells("age", tuple(str(one) for one in range(most)), edges, closed=False)


def leads_to_one(levels: Levels) -> bool:
    at = np.arange(len(levels.labels[0]))
    for parents, above in zip(levels.parents, levels.labels[1:], strict=True):
        assert set(parents.tolist()) == set(range(len(above)))
        at = parents[at]
    return set(at.tolist()) == {0}


@pytest.mark.parametrize("bins", [1, 2, 3, 8, 9, 27])
@pytest.mark.parametrize("fan_out", [2, 3])
def test_neighbours_are_joined(bins: int, fan_out: int) -> None:
    levels = levels_over(whole_numbers(bins), None, fan_out)
    assert leads_to_one(levels)
    for parents in levels.parents:
        assert np.bincount(parents).max() <= fan_out
        assert (np.diff(parents) >= 0).all()


def test_labels_tell_what_they_join() -> None:
    assert levels_over(whole_numbers(5), None, 2).labels == (
        ("0", "1", "2", "3", "4"),
        ("0 to 1", "2 to 3", "4 to 4"),
        ("0 to 3", "4 to 4"),
        ("*",),
    )


def test_a_declared_hierarchy() -> None:
    levels = levels_over(Cells("d", ("flu", "asthma", "ulcer")), LINES, 2)
    assert levels.labels == (("flu", "asthma", "ulcer"), ("lungs", "stomach"), ("*",))
    assert [one.tolist() for one in levels.parents] == [[0, 0, 1], [0, 0]]


def test_a_category_without_a_line_is_refused_and_so_is_none_at_all() -> None:
    with pytest.raises(EngineError) as refused:
        levels_over(Cells("d", ("flu", "gout")), LINES, 2)
    assert refused.value.param == "columns.d.hierarchy"
    with pytest.raises(EngineError) as refused:
        levels_over(Cells("d", ("flu",)), None, 2)
    assert refused.value.code == "no-hierarchy"
