"""One line per input row, in input order: the risk of each record. Guarded like raw data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from worker.engine.algorithms.individual_risk import household_risk, individual_risk
from worker.engine.classes import Classes, released_classes
from worker.engine.column import Floats
from worker.engine.execution.dataset import Dataset
from worker.engine.fields import Role
from worker.engine.frequency import Counts, FrequencyTable
from worker.engine.keys import Packer
from worker.engine.reporting import Reporter
from worker.engine.statistics import Statistics
from worker.engine.table import Chunk

COLUMNS = (
    "row",
    "class_size",
    "weighted_class_size",
    "individual_risk",
    "household_risk",
    "suda",
    "dis_suda",
)


@dataclass(frozen=True)
class _Records:
    """Row-aligned figures; a row that is suppressed, left out or without consent belongs to no class."""

    sizes: Counts
    weighted: Floats
    risks: Floats
    households: Floats | None
    diversity: dict[str, Counts]


def write_records(
    file: BinaryIO, original: Dataset, data: Dataset, after: Statistics, reporter: Reporter
) -> None:
    """Write the lines. Rows are numbered from 1; a figure that does not apply is empty."""
    reporter.stage("Writing the records")
    records = _records(original, data, after)
    header = [*COLUMNS, *(f"l_{name}" for name in records.diversity)]
    file.write((",".join(header) + "\n").encode())
    for start in range(0, original.rows, 65_536):
        reporter.checkpoint()
        lines = _lines(records, start, min(start + 65_536, original.rows))
        file.write("".join(lines).encode())


def _records(original: Dataset, data: Dataset, after: Statistics) -> _Records:
    sensitive = [name for name in after.sensitive if name in after.schema]
    table = after.classes_table(sensitive)
    names = after.quasi_identifiers
    classes, _ = released_classes(table, names)
    diversity = {
        name: np.bincount(classes.contents(name).ids, minlength=classes.number).astype(np.int64)
        for name in sensitive
    }
    found = np.full(original.rows, -1, np.int64)
    for ids, rows in _class_of_rows(data, table, classes, names):
        found[rows] = ids
    placed = found >= 0
    at = np.where(placed, found, 0)
    if not classes.number:
        empty = np.zeros(original.rows)
        return _Records(
            empty.astype(np.int64), empty, empty, None, {name: empty.astype(np.int64) for name in sensitive}
        )
    risks = individual_risk(classes.sizes, classes.weights)
    weighted = classes.sizes.astype(float) if classes.weights is None else classes.weights
    return _Records(
        sizes=np.where(placed, classes.sizes[at], 0),
        weighted=np.where(placed, weighted[at], 0.0),
        risks=np.where(placed, risks[at], 0.0),
        households=_household_risks(original, np.where(placed, risks[at], 0.0)),
        diversity={name: np.where(placed, counts[at], 0) for name, counts in diversity.items()},
    )


def _class_of_rows(
    data: Dataset, table: FrequencyTable, classes: Classes, names: tuple[str, ...]
) -> Iterator[tuple[Counts, Counts]]:
    """The class of each released row, and which input rows they are."""
    packer = Packer(tuple(len(table.domain(name)) for name in names))
    keys, first = np.unique(packer.fit([table.column(name) for name in names], len(table)), return_index=True)
    for chunk in data.chunks(names):
        codes = [table.domain(name).translate(chunk[name]) for name in names]
        at = np.searchsorted(keys, packer.apply(codes, chunk.rows))
        yield classes.ids[first[at]], chunk.row_ids


def _household_risks(original: Dataset, risks: Floats) -> Floats | None:
    key = next(iter(original.schema.named(Role.HOUSEHOLD_KEY)), None)
    if key is None:
        return None
    ids = np.full(original.rows, -1, np.int64)
    known: dict[str, int] = {}
    for chunk in original.chunks((key,)):
        ids[chunk.row_ids] = _household_ids(chunk, key, known)
    inside = ids >= 0
    if not inside.any():
        return np.zeros(original.rows)
    per_household = household_risk(risks[inside], ids[inside], len(known))
    return np.where(inside, per_household[np.where(inside, ids, 0)], 0.0)


def _household_ids(chunk: Chunk, key: str, known: dict[str, int]) -> Counts:
    labels = [known.setdefault(text, len(known)) for text in chunk[key].label_texts]
    return np.array(labels, dtype=np.int64)[chunk[key].codes]


def _lines(records: _Records, start: int, end: int) -> Iterator[str]:
    household = records.households
    for row in range(start, end):
        fields = [
            str(row + 1),
            str(records.sizes[row]),
            _number(records.weighted[row]),
            _number(records.risks[row]),
        ]
        fields += ["" if household is None else _number(household[row]), "", ""]
        fields += [str(counts[row]) for counts in records.diversity.values()]
        yield ",".join(fields) + "\n"


def _number(value: float) -> str:
    return repr(float(value)) if value != int(value) else str(int(value))
