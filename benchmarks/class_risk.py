"""Risk from class sizes against one sort of the packed keys of the same rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import data
from benchmarks.table import Result
from benchmarks.timing import best_of
from worker.engine.execution.dataset import Dataset
from worker.engine.io.source import open_table
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import NullReporter
from worker.engine.tables.classes import classes_of
from worker.engine.tables.keys import pack
from worker.engine.tables.long_table import Tuples
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import MemorySource, Table
from worker.engine.uniqueness.class_sizes import sizes_of
from worker.engine.uniqueness.rated_classes import rated
from worker.engine.uniqueness.suda import suda

if TYPE_CHECKING:
    from benchmarks.suite import Setting

KEYS = (*data.QUASI_IDENTIFIERS, "diagnosis")
SORT = "numpy sort of packed keys"


def class_risk(setting: Setting) -> list[Result]:
    """The codes are in memory on both sides; ours are counted first, each time anew."""
    coded = _coded(setting)
    columns = [coded[name] for name in KEYS]
    keys = pack([c.codes for c in columns], [len(c.labels) for c in columns], coded.rows)
    rounds = max(setting.repeat, 5)
    reference = best_of(rounds, lambda: np.sort(keys))

    def line(what: str, names: Sequence[str], work: Callable[[Tuples], object], bound: float) -> Result:
        dataset = _dataset(coded, names)
        ours = best_of(rounds, lambda: work(Statistics(dataset, {}, NullReporter()).tuples(names)))
        return Result(what, ours, reference, SORT, bound)

    six = data.QUASI_IDENTIFIERS
    table = Statistics(_dataset(coded, six), {}, NullReporter()).counts(six)
    classes = classes_of(table, six)
    special = best_of(rounds, lambda: suda(classes, six))
    return [
        line("class sizes, 7 keys", KEYS, lambda table: sizes_of(table, KEYS), 2.5),
        line("individual risk, 7 keys", KEYS, lambda table: rated(table, KEYS), 2.5),
        Result("SUDA2 of counted rows, 6 keys", special, reference, SORT, 5),
    ]


def _dataset(coded: Table, names: Sequence[str]) -> Dataset:
    """Some columns as quasi-identifiers."""
    roles = {name: {"role": "quasi-identifier", "kind": "categorical"} for name in names}
    recipe = Recipe.parse(json.dumps({"version": 1, "columns": roles, "measures": []}))
    return Dataset(MemorySource(coded), recipe.columns, recipe.declarations({}))


def _coded(setting: Setting) -> Table:
    """The rows as codes, whose labels are in order."""
    recipe = Recipe.parse(json.dumps(data.recipe(5, 0.02)))
    with setting.csv().open("rb") as file:
        dataset = Dataset(open_table(file), recipe.columns, recipe.declarations({}))
        read = Statistics(dataset, {}, NullReporter())
        columns = [read.column(name) for name in KEYS]
    return Table(columns, 0, len(columns[0]))
