"""One line per input row, in input order: the risk of each record. Guarded like raw data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from worker.engine.tables.frequency import Counts
from worker.engine.tables.kinds import Role
from worker.engine.tables.statistics import Data, Statistics
from worker.engine.uniqueness.households import of_households, told_apart
from worker.engine.uniqueness.individual_risk import individual_risk
from worker.engine.uniqueness.rows_of_classes import class_of_rows
from worker.engine.uniqueness.suda import DIS_FRACTION, dis_suda, suda

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
MOST_KEYS = 8
"""Sets of more keys are too many to be looked through in every run."""


@dataclass(frozen=True)
class _OfClasses:
    """The distinct values of a figure of classes as they are written, and which of them each class has."""

    listed: Listed
    codes: Codes

    @classmethod
    def of(cls, values: Counts | Floats) -> _OfClasses:
        """Last comes what rows of no class have."""
        return cls(*_listed(np.append(values, 0)))

    def cells(self, places: Codes) -> Cells:
        """What stands in rows of these classes."""
        return LabelCells(self.codes[places], self.listed)


def _cells_of(values: Counts | Floats) -> Cells:
    """A figure of some rows. All rows may have as many different ones, which are never listed together."""
    listed, codes = _listed(values)
    return LabelCells(codes, listed)


def _listed(values: Counts | Floats) -> tuple[Listed, Codes]:
    """The distinct values as texts, and which of them stands at each place."""
    distinct, codes = np.unique(values, return_inverse=True)
    texts = pa.array([_number(value) for value in distinct.tolist()], pa.large_string())
    return Listed(texts), codes.reshape(-1).astype(np.int32)


@dataclass(frozen=True)
class _Records:
    """The class of each row – −1 for one suppressed, left out or without consent – and the figures, by the
    names of their columns: those of classes, and those that differ from row to row."""

    found: Codes
    of_classes: dict[str, _OfClasses]
    of_rows: dict[str, PerRecord]
    diversity: tuple[str, ...]
    measured: tuple[str, ...]

    @property
    def header(self) -> tuple[str, ...]:
        """The columns."""
        return (*COLUMNS, *self.diversity, *self.measured)


def write_records(
    file: BinaryIO,
    original: Dataset,
    released: Data,
    after: Statistics,
    measured: Mapping[str, PerRecord],
    keys: Sequence[str],
    reporter: Reporter,
) -> None:
    """Write the lines. Rows are numbered from 1; a figure that does not apply is empty.

    `measured` are the figures per record of measures: one number for each input row. `keys` are the
    quasi-identifiers by whose values rows can be matched; without any there are no classes.
    """
    reporter.stage("Writing the records")
    records = _records(original, released, after, measured, tuple(keys))
    file.write((",".join(records.header) + "\n").encode())

    def lines(start: int) -> memoryview:
        rows = slice(start, min(start + LINES_AT_ONCE, original.rows))
        return laid_out(_cells(records, rows), slice(0, rows.stop - rows.start), ",")

    for some in ahead(lines, range(0, original.rows, LINES_AT_ONCE)):
        reporter.checkpoint()
        file.write(some)


def _records(
    original: Dataset,
    released: Data,
    after: Statistics,
    measured: Mapping[str, PerRecord],
    keys: tuple[str, ...],
) -> _Records:
    sensitive = tuple(name for name in after.sensitive if name in after.schema)
    found, of_classes = np.full(original.rows, -1, np.int32), dict[str, _OfClasses]()
    of_rows = dict(measured)
    if keys:
        classes, _ = released_classes(after.counts((*keys, *sensitive), persons=True, weights=True), keys)
        found = class_of_rows(released, classes, keys, original.rows)
        figures = {
            **_risks(classes, keys),
            **{_diversity(name): _values(classes, name) for name in sensitive},
        }
        of_classes = {name: _OfClasses.of(one) for name, one in figures.items()}
        if classes.number and original.schema.named(Role.HOUSEHOLD_KEY):
            own = np.append(figures["individual_risk"], 0.0)[found]
            of_rows["household_risk"] = of_households(own, *told_apart(original, original.rows))
    return _Records(found, of_classes, of_rows, tuple(map(_diversity, sensitive)), tuple(measured))


def _risks(classes: Classes, keys: Sequence[str]) -> dict[str, Counts | Floats]:
    """The figures of classes that risk hangs on."""
    figures: dict[str, Counts | Floats] = {
        "class_size": classes.sizes,
        "weighted_class_size": classes.sizes if classes.weights is None else classes.weights,
        "individual_risk": individual_risk(classes.sizes, classes.weights),
    }
    if len(keys) <= MOST_KEYS:
        scores, in_pairs = suda(classes, keys).scores, 2 * int((classes.sizes == 2).sum())
        figures["suda"] = scores
        figures["dis_suda"] = dis_suda(scores, classes.rows, len(keys), in_pairs, DIS_FRACTION)
    return figures


def _diversity(name: str) -> str:
    return f"l_{name}"


def _values(classes: Classes, name: str) -> Counts:
    """How many values of a column each class holds."""
    return np.bincount(classes.contents(name).ids, minlength=classes.number).astype(np.int64)


def _cells(records: _Records, rows: slice) -> Sequence[Cells]:
    """Some lines, column by column."""
    places = records.found[rows]
    no_text = Listed(pa.array([""], pa.large_string()))
    numbers = NumberCells(codes_of(pa.array(np.arange(rows.start + 1, rows.stop + 1))), no_text)
    cells: list[Cells] = [numbers]
    for name in records.header[1:]:
        if name in records.of_classes:
            cells.append(records.of_classes[name].cells(places))
        elif name in records.of_rows:
            cells.append(_cells_of(records.of_rows[name][rows]))
        else:
            cells.append(LabelCells(np.zeros(len(places), np.int32), no_text))
    return cells


def _number(value: float) -> str:
    if value != value:  # NaN: there is none
        return ""
    return repr(float(value)) if value != int(value) else str(int(value))
