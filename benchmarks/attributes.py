"""The l that every file is asked for, against one sort of the packed keys of the same rows.

Told in seconds of the processor: other work on the machine does not count.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.table import Result
from benchmarks.timing import processor
from worker.engine.attributes.posteriors import Posteriors
from worker.engine.contracts.measure import Found
from worker.engine.contracts.scene import Nothing, Side
from worker.engine.execution.dataset import Dataset
from worker.engine.measures.risk.attribute_disclosure import AttributeDisclosure
from worker.engine.randomness import Source, key_from_seed
from worker.engine.recipes.recipe import Recipe
from worker.engine.reporting import NullReporter
from worker.engine.tables.classes import released_classes
from worker.engine.tables.column import Column
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.keys import pack
from worker.engine.tables.kinds import Kind
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import MemorySource, Table

if TYPE_CHECKING:
    from benchmarks.suite import Setting

SIZES = {"age": 19, "sex": 2, "zip": 80, "education": 7, "status": 5, "country": 40, "children": 6}
ILL = "diagnosis"
DIAGNOSES = 30


def diversity(setting: Setting) -> list[Result]:
    """Seven keys and a sensitive column as codes in memory on both sides."""
    table = _table(setting.rows)
    recipe = Recipe.parse({"version": 1, "columns": _columns()})
    dataset = Dataset(MemorySource(table), recipe.columns, recipe.declarations({}))
    keys = tuple(SIZES)

    def counted() -> FrequencyTable:
        return Statistics(dataset, {}, NullReporter()).counts((*keys, ILL))

    def least(found: FrequencyTable) -> int:
        return int(Posteriors.of(released_classes(found, keys)[0], ILL).distinct.min())

    def whole() -> Found:
        statistics = Statistics(dataset, {}, NullReporter())
        source = Source(key_from_seed(1))
        side = Side(rows=table.rows, source=source, reporter=NullReporter(), outside=Nothing(),
                    statistics=statistics)  # fmt: skip
        return AttributeDisclosure().read(side)

    packed = pack([table[name].codes for name in keys], list(SIZES.values()), table.rows)
    reference = processor(setting.repeat, lambda: np.sort(packed))
    against, kept = "numpy sort of seven packed keys", counted()
    work: dict[str, tuple[Callable[[], object], float | None]] = {
        "distinct l of a sensitive column": (lambda: least(counted()), 2.5),
        "… of what was counted for all measures": (lambda: least(kept), None),
        "attribute disclosure of the column": (whole, None),
    }
    return [
        Result(what, processor(setting.repeat, one), reference, against, bound)
        for what, (one, bound) in work.items()
    ]


def _columns() -> dict[str, dict[str, str]]:
    keys = {name: {"role": "quasi-identifier", "kind": "categorical"} for name in SIZES}
    return {**keys, ILL: {"role": "sensitive", "kind": "categorical"}}


def _table(rows: int) -> Table:
    draw = np.random.default_rng(7)
    columns = []
    for name, size in {**SIZES, ILL: DIAGNOSES}.items():
        texts = [f"{name} {number}" for number in range(size)]
        codes = draw.integers(0, size, rows).astype(np.int32)
        columns.append(Column.of_domain(name, Kind.CATEGORICAL, codes, texts, np.zeros(size, bool)))
    return Table(columns, 0, rows)
