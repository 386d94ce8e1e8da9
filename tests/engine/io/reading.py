"""Short ways to read bytes in these tests."""

import io
from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.io.csv_reader import CsvReader
from worker.engine.io.dialect import sniff
from worker.engine.io.ingest import ingest
from worker.engine.io.limits import Limits
from worker.engine.io.profile import Profile
from worker.engine.io.source import open_table
from worker.engine.tables.table import TableSource

PIECE = 1 << 22


def read(data: bytes, piece: int = PIECE, limits: Limits | None = None, **said: Any) -> list[tuple[str, ...]]:
    """The header and the rows of a text file."""
    file = io.BytesIO(data)
    reader = CsvReader(file, sniff(file, said), limits or Limits(), piece)
    rows = [row for b in reader.batches() for row in zip(*(c.to_pylist() for c in b.columns), strict=True)]
    return [reader.names, *rows]


def refusal(data: bytes, piece: int = PIECE, limits: Limits | None = None, **said: Any) -> EngineError:
    """How a text file is refused."""
    with pytest.raises(EngineError) as caught:
        read(data, piece, limits, **said)
    assert caught.value.__cause__ is None
    return caught.value


def taken_in(data: bytes, **said: Any) -> tuple[Profile, TableSource]:
    """The profile and the table made of a file."""
    table = io.BytesIO()
    profile = ingest(io.BytesIO(data), table, said)
    return profile, open_table(table)


def texts(source: TableSource, columns: list[str] | None = None) -> list[list[str]]:
    """Every column's texts."""
    found: list[list[str]] = [[] for _ in (columns or source.schema.names)]
    for chunk in source.chunks(columns):
        for kept, column in zip(found, chunk.columns, strict=True):
            kept += column.texts()
    return found
