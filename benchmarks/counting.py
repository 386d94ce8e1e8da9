"""Counting distinct combinations against one sort of the packed keys of the same rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import data
from benchmarks.table import Result
from benchmarks.timing import best_of
from worker.engine.execution.dataset import Dataset
from worker.engine.io.source import open_table
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import NullReporter
from worker.engine.tables.keys import pack
from worker.engine.tables.statistics import Statistics

if TYPE_CHECKING:
    from benchmarks.suite import Setting


def counts(setting: Setting) -> list[Result]:
    """The codes are in memory on both sides."""
    recipe = Recipe.parse(json.dumps(data.recipe(5, 0.02)))
    with setting.csv().open("rb") as file:
        dataset = Dataset(open_table(file), recipe.columns, recipe.declarations({}))

        def count() -> None:
            Statistics(dataset, {}, NullReporter()).counts(data.QUASI_IDENTIFIERS)

        seconds = best_of(setting.repeat, count)
        columns = [Statistics(dataset, {}, NullReporter()).column(name) for name in data.QUASI_IDENTIFIERS]
    keys = pack([c.codes for c in columns], [len(c.labels) for c in columns], len(columns[0]))
    reference = best_of(setting.repeat, lambda: np.sort(keys))
    return [Result("frequency table of six columns", seconds, reference, "numpy sort of packed keys")]
