"""A further format holds the same rows in the same order; numbers stay numbers."""

import io

import openpyxl
import pytest

from tests.engine.running import rows_of, table_of
from worker.engine.execution.converting import convert
from worker.engine.execution.output import Output
from worker.engine.io.source import open_table
from worker.engine.reporting import Reporter
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import MemorySource

ROWS = [
    {"q": "b", "x": "1.5", "made": "2"},
    {"q": "a", "x": "", "made": "30"},
    {"q": "b", "x": "-2", "made": "1"},
]
KINDS = {"q": Kind.CATEGORICAL, "x": Kind.DECIMAL}


class Shown(Reporter):
    def __init__(self) -> None:
        super().__init__()
        self.told: list[tuple[str, float]] = []

    def show(self, stage: str, fraction: float) -> None:
        self.told.append((stage, fraction))


def test_every_format_holds_the_rows_as_they_stand() -> None:
    outputs = [Output(kind, io.BytesIO()) for kind in ("csv", "parquet", "xlsx")]
    shown = Shown()
    assert convert(MemorySource(table_of(ROWS)), outputs, KINDS, shown) == 3
    assert rows_of(outputs[0].file.getvalue()) == ROWS  # type: ignore[attr-defined]
    for output in outputs[1:]:
        output.file.seek(0)
        again = open_table(output.file)
        (chunk,) = again.chunks()
        texts = zip(*(chunk[name].texts() for name in ROWS[0]), strict=True)
        assert [dict(zip(ROWS[0], row, strict=True)) for row in texts] == ROWS
    assert shown.told[-1] == ("Writing further formats", 1.0)


def test_what_a_table_counted_is_written_as_numbers() -> None:
    output = Output("xlsx", io.BytesIO())
    convert(MemorySource(table_of(ROWS)), [output], KINDS, Shown())
    output.file.seek(0)
    (_, *rows) = openpyxl.load_workbook(output.file).active.iter_rows(values_only=True)
    assert rows == [("b", 1.5, 2), ("a", None, 30), ("b", -2, 1)]


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows_are_written_too(rows: int) -> None:
    output = Output("csv", io.BytesIO())
    assert convert(MemorySource(table_of(ROWS[:rows], list(ROWS[0]))), [output], KINDS, Shown()) == rows
    assert rows_of(output.file.getvalue()) == ROWS[:rows]  # type: ignore[attr-defined]
