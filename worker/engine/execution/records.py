"""One line per input row, in input order: the risk of each record. Guarded like raw data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from worker.engine.contracts.measure import PerRecord
from worker.engine.execution.dataset import Dataset
from worker.engine.io.ahead import ahead
from worker.engine.io.cells import Cells, LabelCells, Listed, NumberCells, laid_out
from worker.engine.reporting import Reporter
from worker.engine.tables.classes import Classes, released_classes
from worker.engine.tables.column import Codes, Floats
from worker.engine.tables.dense import codes_of
from worker.engine.tables.frequency import Counts, FrequencyTable
from worker.engine.tables.keys import Packer
from worker.engine.tables.kinds import Role
from worker.engine.tables.statistics import Data, Statistics
from worker.engine.tables.table import Chunk
from worker.engine.uniqueness.individual_risk import household_risk, individual_risk

COLUMNS = (
    "row",
    "class_size",
    "weighted_class_size",
    "individual_risk",
    "household_risk",
    "suda",
    "dis_suda",
)


LINES_AT_ONCE = 65_536


@dataclass(frozen=True)
class _Figure:
    """The distinct values of a figure as they are written, and which of them stands at each place."""

    listed: Listed
    codes: Codes

    @classmethod
    def of(cls, values: Counts | Floats) -> _Figure:
        """A figure of classes or rows."""
        distinct, codes = np.unique(values, return_inverse=True)
        texts = pa.array([_number(value) for value in distinct.tolist()], pa.large_string())
        return cls(Listed(texts), codes.reshape(-1).astype(np.int32))

    @classmethod
    def of_classes(cls, values: Counts | Floats) -> _Figure:
        """A figure of classes; last what rows of no class have."""
        return cls.of(np.append(values, 0))

    def cells(self, places: Codes | slice) -> Cells:
        """What stands at some places."""
        return LabelCells(self.codes[places], self.listed)


@dataclass(frozen=True)
class _Records:
    """The class of each row – −1 for one suppressed, left out or without consent – and the figures."""

    found: Codes
    sizes: _Figure
    weighted: _Figure
    risks: _Figure
    households: _Figure | None
    """Row by row."""
    diversity: dict[str, _Figure]
    measured: dict[str, _Figure]
    """Row by row, by the name of the column."""


def write_records(
    file: BinaryIO,
    original: Dataset,
    released: Data,
    after: Statistics,
    measured: Mapping[str, PerRecord],
    reporter: Reporter,
) -> None:
    """Write the lines. Rows are numbered from 1; a figure that does not apply is empty.

    `measured` are the figures per record of measures: one number for each input row.
    """
    reporter.stage("Writing the records")
    records = _records(original, released, after, measured)
    header = [*COLUMNS, *(f"l_{name}" for name in records.diversity), *records.measured]
    file.write((",".join(header) + "\n").encode())

    def lines(start: int) -> memoryview:
        rows = slice(start, min(start + LINES_AT_ONCE, original.rows))
        return laid_out(_cells(records, rows), slice(0, rows.stop - rows.start), ",")

    for some in ahead(lines, range(0, original.rows, LINES_AT_ONCE)):
        reporter.checkpoint()
        file.write(some)


def _records(
    original: Dataset, released: Data, after: Statistics, measured: Mapping[str, PerRecord]
) -> _Records:
    sensitive = [name for name in after.sensitive if name in after.schema]
    table = after.classes_table(sensitive)
    names = after.quasi_identifiers
    classes, _ = released_classes(table, names)
    diversity = {
        name: np.bincount(classes.contents(name).ids, minlength=classes.number).astype(np.int64)
        for name in sensitive
    }
    found = class_of_rows(released, classes, names, original.rows)
    risks = individual_risk(classes.sizes, classes.weights) if classes.number else np.zeros(0)
    return _Records(
        found=found,
        sizes=_Figure.of_classes(classes.sizes),
        weighted=_Figure.of_classes(classes.sizes if classes.weights is None else classes.weights),
        risks=_Figure.of_classes(risks),
        households=_households(original, np.append(risks, 0.0), found) if classes.number else None,
        diversity={name: _Figure.of_classes(counts) for name, counts in diversity.items()},
        measured={name: _Figure.of(values) for name, values in measured.items()},
    )


def _households(original: Dataset, risks: Floats, found: Codes) -> _Figure | None:
    """The risks of the households of all rows, when there is a key."""
    key = next(iter(original.schema.named(Role.HOUSEHOLD_KEY)), None)
    if key is None:
        return None
    return _Figure.of(of_households(risks[found], ids_of(original, key, original.rows)))


def _cells(records: _Records, rows: slice) -> Sequence[Cells]:
    """Some lines, column by column."""
    places = records.found[rows]
    no_text = Listed(pa.array([""], pa.large_string()))
    nothing = LabelCells(np.zeros(len(places), np.int32), no_text)
    numbers = NumberCells(codes_of(pa.array(np.arange(rows.start + 1, rows.stop + 1))), no_text)
    figures = [figure.cells(places) for figure in (records.sizes, records.weighted, records.risks)]
    household = nothing if records.households is None else records.households.cells(rows)
    diversity = [figure.cells(places) for figure in records.diversity.values()]
    measured = [figure.cells(rows) for figure in records.measured.values()]
    return [numbers, *figures, household, nothing, nothing, *diversity, *measured]


def _number(value: float) -> str:
    if value != value:  # NaN: there is none
        return ""
    return repr(float(value)) if value != int(value) else str(int(value))
