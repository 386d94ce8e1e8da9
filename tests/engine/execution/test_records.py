"""One line per row, whatever is cut where, and no more held than lines at once."""

import io
import tracemalloc

import numpy as np
import pytest

from tests.engine.running import recipe_of, rows_of, run, table_of
from worker.engine.execution import records
from worker.engine.execution.dataset import Dataset
from worker.engine.execution.records import write_records
from worker.engine.reporting import NullReporter
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import MemorySource

COLUMNS = {"age": {"role": "quasi-identifier"}, "sick": {"role": "sensitive"}}


class Nowhere(io.BytesIO):
    """Keeps nothing, as a file on a disk does."""

    def write(self, some):
        return len(some)


def written(file, measured, keys=()):
    """The lines of as many rows as there are figures."""
    number = len(next(iter(measured.values())))
    table = table_of([{"age": str(row % 3), "sick": "yn"[row % 2]} for row in range(min(number, 12))])
    recipe = recipe_of(COLUMNS)
    data = Dataset(MemorySource(table), recipe.columns, recipe.declarations({}))
    statistics = Statistics(data, {}, NullReporter())

    class Long:
        rows, schema = number, data.schema

    write_records(file, Long(), data, statistics, measured, keys, NullReporter())


@pytest.mark.parametrize("at_once", [1, 2, 7, 100])
def test_figures_of_rows_stand_in_their_rows_however_lines_are_cut(monkeypatch, at_once):
    monkeypatch.setattr(records, "LINES_AT_ONCE", at_once)
    own = np.array([0.5, np.nan, 3.0, -0.0, 0.5, 1e-9, 7.25])
    whole = np.array([4, 4, -1, 0, 9, 4, 2])
    file = io.BytesIO()
    written(file, {"own": own, "whole": whole})
    lines = rows_of(file.getvalue())
    assert [line["row"] for line in lines] == [str(row) for row in range(1, 8)]
    assert [line["own"] for line in lines] == ["0.5", "", "3", "0", "0.5", "1e-09", "7.25"]
    assert [line["whole"] for line in lines] == ["4", "4", "-1", "0", "9", "4", "2"]
    assert {line["class_size"] for line in lines} == {""}


@pytest.mark.parametrize("at_once", [1, 5, 100])
def test_figures_of_classes_are_told_of_each_of_their_rows(monkeypatch, at_once):
    monkeypatch.setattr(records, "LINES_AT_ONCE", at_once)
    ages = ["1", "2", "2", "3", "2"]
    rows = [{"age": age, "sick": sick} for age, sick in zip(ages, "nynyy", strict=True)]
    file = io.BytesIO()
    run(recipe_of(COLUMNS), table_of(rows), records=file)
    lines = rows_of(file.getvalue())
    assert [line["class_size"] for line in lines] == ["1", "3", "3", "1", "3"]
    assert [line["l_sick"] for line in lines] == ["1", "2", "2", "1", "2"]
    assert [line["suda"] for line in lines] == ["1", "0", "0", "1", "0"]


def test_a_figure_that_differs_in_every_row_is_not_listed_as_a_whole(monkeypatch):
    monkeypatch.setattr(records, "LINES_AT_ONCE", 1000)
    own = np.random.default_rng(1).random(100_000)
    written(Nowhere(), {"own": own[:2000]})
    tracemalloc.start()
    try:
        written(Nowhere(), {"own": own})
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 5_000_000  # the texts of all rows took ten million bytes and more
