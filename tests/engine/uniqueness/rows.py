"""Rows as tuples of texts, and the classes they fall into."""

import numpy as np

from tests.engine.running import recipe_of, table_of
from worker.engine.execution.dataset import Dataset
from worker.engine.reporting import NullReporter
from worker.engine.tables.classes import classes_of
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import MemorySource


def statistics_of_rows(rows, persons=None, weights=None):
    """What may be asked of rows, whose keys are called k0, k1 …"""
    names = [f"k{j}" for j in range(len(rows[0]))]
    cells = [dict(zip(names, row, strict=True)) for row in rows]
    columns = {name: {"role": "quasi-identifier", "kind": "text"} for name in names}
    for name, role, values in (("who", "person-key", persons), ("w", "weight", weights)):
        if values is not None:
            columns[name] = {"role": role}
            cells = [{**row, name: str(one)} for row, one in zip(cells, values, strict=True)]
    recipe = recipe_of(columns)
    data = Dataset(MemorySource(table_of(cells)), recipe.columns, recipe.declarations({}))
    return Statistics(data, {}, NullReporter()), names


def classes_of_rows(rows, persons=None, weights=None):
    """The classes of rows, and which class each row is in."""
    statistics, names = statistics_of_rows(rows, persons, weights)
    table = statistics.counts(names, persons=True, weights=True)
    classes = classes_of(table, names)
    first = classes.first()
    texts = zip(*(table.domain(n).column(table.column(n)[first]).texts() for n in names), strict=True)
    at = {text: number for number, text in enumerate(texts)}
    return classes, names, np.array([at[tuple(row)] for row in rows])
