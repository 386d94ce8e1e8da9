"""Combinations of values, counted alike in several tables."""

from tests.engine.nearest.made_up import COLUMNS, MadeUp
from worker.engine.nearest.cells import Scale
from worker.engine.nearest.uniques import Counted
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Field


def test_what_means_the_same_is_one_combination():
    rows = [("20", "a", "1.0", "2020-01-01")] * 2 + [("20", "b", "1", "2020-01-01")]
    setting = MadeUp.of(rows, [], [("20.0", "a", "1", "2020-01-01"), ("", "a", "1", "2020-01-01")]).setting
    fields = [Field(name, Kind(one["kind"])) for name, one in COLUMNS.items()]
    scales = [Scale.of(field, [setting.before]) for field in fields]
    before, after = Counted.of([setting.before, setting.after], fields, scales).counts
    assert sorted(zip(before.tolist(), after.tolist(), strict=True)) == [(0, 1), (1, 0), (2, 1)]
