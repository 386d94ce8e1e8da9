"""Risk from class sizes against one sort of the packed keys of the same rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from benchmarks import data
from benchmarks.table import Result
from benchmarks.timing import processor
from worker.engine.execution.dataset import Dataset
from worker.engine.io.source import open_table
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import NullReporter
from worker.engine.tables.classes import classes_of
from worker.engine.tables.column import Column
from worker.engine.tables.keys import pack
from worker.engine.tables.kinds import Kind
from worker.engine.tables.long_table import Tuples
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import MemorySource, Table
from worker.engine.uniqueness.class_sizes import sizes_of
from worker.engine.uniqueness.rated_classes import rated
from worker.engine.uniqueness.suda import suda
from worker.engine.wording import thousands

if TYPE_CHECKING:
    from benchmarks.suite import Setting

KEYS = (*data.QUASI_IDENTIFIERS, "diagnosis")
SORT = "numpy sort of packed keys"


def class_risk(setting: Setting) -> list[Result]:
    """The codes are in memory on both sides; ours are counted first, each time anew. For SUDA2 ages are in
    bands of five years and places are regions, as in a release: rows that are alone anyway need no score.
    Told in seconds of the processor: other work on the machine does not count.
    """
    coded, rounds = _coded(setting), max(setting.repeat, 5)
    reference = processor(rounds, _sorting(coded, KEYS))

    def line(what: str, work: Callable[[Tuples], object]) -> Result:
        dataset = _dataset(coded, KEYS)
        ours = processor(rounds, lambda: work(Statistics(dataset, {}, NullReporter()).tuples(KEYS)))
        return Result(what, ours, reference, SORT, 2.5)

    return [
        line("class sizes, 7 keys", lambda table: sizes_of(table, KEYS)),
        line("individual risk, 7 keys", lambda table: rated(table, KEYS)),
        _special_uniques(coded, rounds),
    ]


def _special_uniques(coded: Table, rounds: int) -> Result:
    six = data.QUASI_IDENTIFIERS
    coarser = coded.with_columns(_cut(coded["age"], 5), _cut(coded["zip"], 100))
    table = Statistics(_dataset(coarser, six), {}, NullReporter()).counts(six)
    classes = classes_of(table, six)
    ours = processor(rounds, lambda: suda(classes, six))
    reference = processor(rounds, _sorting(coarser, six))
    return Result(f"SUDA2, 6 keys, {thousands(len(table))} combinations", ours, reference, SORT, 5)


def _cut(column: Column, width: int) -> Column:
    """So many values in a row become one."""
    codes = column.codes // width
    labels = pa.array([f"{number:05}" for number in range(int(codes.max(initial=0)) + 1)])
    return Column(column.name, column.kind, codes, labels)


def _sorting(coded: Table, names: Sequence[str]) -> Callable[[], object]:
    columns = [coded[name] for name in names]
    keys = pack([c.codes for c in columns], [len(c.labels) for c in columns], coded.rows)
    return lambda: np.sort(keys)


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
        columns = [_labelled(read.column(name)) for name in KEYS]
    return Table(columns, 0, len(columns[0]))


def _labelled(column: Column) -> Column:
    """A code for each text."""
    labels, codes = np.unique(np.array(column.texts()), return_inverse=True)
    return Column(
        column.name, Kind.CATEGORICAL, codes.reshape(-1).astype(np.int32), pa.array(labels.tolist())
    )
