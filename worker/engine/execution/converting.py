"""A released file in further formats: the same rows in the same order, nothing computed again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from worker.engine.execution.output import Output
from worker.engine.io.writers import open_writer
from worker.engine.reporting import Reporter
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import Chunk, Table, TableSource


def convert(
    source: TableSource, outputs: Sequence[Output], kinds: Mapping[str, Kind | None], reporter: Reporter
) -> int:
    """Write every output in one pass and tell how many rows each holds.

    A column the recipe does not know is one that a table counted: its numbers are written as numbers.
    """
    reporter.stage("Writing further formats")
    writers = [open_writer(output.kind, output.file, source.schema.names) for output in outputs]
    rows = 0
    for chunk in source.chunks():
        known = described(chunk, kinds)
        for writer in writers:
            writer.write(known)
        rows += chunk.rows
        reporter.progress(rows / max(source.rows, 1))
    for writer in writers:
        writer.close()
    return rows


def described(chunk: Chunk, kinds: Mapping[str, Kind | None]) -> Chunk:
    """The rows with the kinds that were declared, so that numbers are written as numbers."""
    named = (column.described(kinds.get(column.name, Kind.DECIMAL)) for column in chunk.columns)
    return Table(named, chunk.first_row, chunk.rows)
