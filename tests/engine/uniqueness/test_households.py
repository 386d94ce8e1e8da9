"""Who lives together, and how likely one of them is found."""

import numpy as np
import pytest

from tests.engine.running import recipe_of, table_of
from worker.engine.execution.dataset import Dataset
from worker.engine.tables.table import MemorySource
from worker.engine.uniqueness.households import of_households, told_apart

NONE = np.nan


def test_households_by_hand():
    risks = np.array([0.5, 0.5, 0.2, 0.3, NONE, 1.0])
    homes = np.array([0, 0, -1, 1, 1, 0])
    found = of_households(risks, homes)
    np.testing.assert_allclose(found, [1, 1, 0.2, 0.3, NONE, 1])
    np.testing.assert_allclose(of_households(risks[:2], homes[:2]), [0.75, 0.75])


def test_a_person_of_several_rows_counts_once():
    risks, homes = np.array([0.5, 0.2, 0.5, 0.1]), np.zeros(4, np.int64)
    assert of_households(risks, homes, np.array([0, 0, 1, -1]))[0] == pytest.approx(1 - 0.5 * 0.5 * 0.9)
    assert of_households(risks, homes, np.array([0, 0, 0, 0])).tolist() == [0.5] * 4


def test_small_risks_are_not_lost():
    found = of_households(np.array([1e-17, 1e-17]), np.zeros(2, np.int64))
    assert found[0] == pytest.approx(2e-17)


def test_keys_are_told_row_by_row():
    cells = [{"h": h, "p": p} for h, p in (("x", "1"), ("", "2"), ("y", ""), ("x", "1"))]
    recipe = recipe_of({"h": {"role": "household-key"}, "p": {"role": "person-key"}})
    data = Dataset(MemorySource(table_of(cells)), recipe.columns, recipe.declarations({}))
    homes, persons = told_apart(data, 5)
    assert homes[0] == homes[3] != homes[2]
    assert persons[0] == persons[3] != persons[1]
    assert (homes[1], homes[4], persons[2], persons[4]) == (-1, -1, -1, -1)
