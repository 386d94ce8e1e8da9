"""Sets counted from what their parts leave open."""

import pytest

from tests.engine.scan.tables import compared, drawn, tuples_of
from worker.engine.scan import cells, runs
from worker.engine.scan.counting import Table
from worker.engine.scan.subsets import scan

WAYS = {
    "alone": {(cells, "CELLS"): 0, (runs, "CELLS"): 0},
    "beside the others": {(cells, "CELLS"): 4, (runs, "CELLS"): 4},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(1, 21))
def test_however_many_values_there_are_the_result_is_the_same(monkeypatch, as_many, way, seed):
    for (module, name), value in WAYS[way].items():
        monkeypatch.setattr(module, name, value)
    values, persons = drawn(seed)
    compared(scan(Table(tuples_of(values, persons)), 4).sets, values, persons)
