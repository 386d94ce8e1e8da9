"""Sets counted in cells, each in a table of its own or many in one."""

import pytest

from tests.engine.scan.brute_force import sets_of
from tests.engine.scan.tables import NAMES, compared, drawn, tuples_of
from worker.engine.scan import cells
from worker.engine.scan.counting import Table
from worker.engine.scan.subsets import scan

WAYS = {"one by one": {(cells, "SHARED_CELLS"): 1}, "together": {(cells, "SHARED_CELLS"): 1 << 20}}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(1, 21))
def test_however_many_values_there_are_the_result_is_the_same(monkeypatch, as_many, way, seed):
    for (module, name), value in WAYS[way].items():
        monkeypatch.setattr(module, name, value)
    values, persons = drawn(seed)
    compared(scan(Table(tuples_of(values, persons)), 4).sets, values, persons)


def test_one_table_serves_many_sets():
    sizes = dict.fromkeys(NAMES, 4)
    made = list(cells.blocks(sets_of(NAMES, 3), sizes))
    assert len(made) == 1
    assert sorted(names for _, found in made for names in found) == sorted(sets_of(NAMES, 3))
