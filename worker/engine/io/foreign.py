"""Workbooks and statistical files: read once, strictly, into Parquet, which is then read like any other.

Such a file may be made to hurt. What it claims of itself is not believed: rows, columns, bytes and time are
counted while it is read, here in the engine's own process, and no word of a library reaches anybody.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import BinaryIO, Protocol, TypedDict

import pyarrow as pa

from worker.engine.errors import Cancelled, EngineError, LimitExceeded
from worker.engine.io import formats
from worker.engine.io.limits import Limits
from worker.engine.io.names import check_names, refuse_too_many

LABELS = "labels"
_METADATA_KEY = "table"
Piece = Sequence[Sequence[str | None]]


class OfFile(TypedDict, total=False):
    """What a file itself says of a column: its label, and its categories in their order."""

    label: str
    kind: str
    categories: list[str]


class Foreign(Protocol):
    """A file of another program: names, what it says of its columns, and its values as texts, by column."""

    names: tuple[str, ...]
    labels: Mapping[str, OfFile]

    def pieces(self) -> Iterator[Piece]:
        """The values from the first row to the last."""


def readable(raw: BinaryIO, limits: Limits | None = None) -> BinaryIO:
    """The file itself when it is text or Parquet; otherwise what it holds, as Parquet in memory."""
    kind = formats.detect(raw)
    if kind in (formats.CSV, formats.PARQUET):
        return raw
    limits = limits or Limits()
    try:
        return _converted(_opener(kind)(raw, kind, limits), limits)
    except (EngineError, Cancelled, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno:  # the system's own words, not the file's content
            raise
        text = f"{formats.TITLES[kind]} is damaged, or not written as usual. Save it again, or as CSV."
        raise EngineError("file-unreadable", text) from None


def _opener(kind: str) -> Callable[[BinaryIO, str, Limits], Foreign]:
    if kind == formats.XLSX:
        from worker.engine.io.workbook import Workbook

        return Workbook
    from worker.engine.io.statistical import Statistical

    return Statistical


def _converted(file: Foreign, limits: Limits) -> BinaryIO:
    import pyarrow.parquet as pq

    refuse_too_many(len(file.names), limits)
    check_names(file.names, limits)
    schema = pa.schema([(name, pa.string()) for name in file.names])
    notes = {_METADATA_KEY: json.dumps({LABELS: file.labels})}
    made, rows, began = io.BytesIO(), 0, time.monotonic()
    with pq.ParquetWriter(
        made, schema.with_metadata(notes), compression="zstd", write_statistics=False
    ) as out:
        for piece in file.pieces():
            table = pa.table([pa.array(column, pa.string()) for column in piece], schema)
            rows += table.num_rows
            limits.check_rows(rows)
            limits.check_decoded(made.tell())
            check_time(began, limits)
            out.write_table(table)
        out.add_key_value_metadata(notes)
    made.seek(0)
    return made


def check_time(began: float, limits: Limits) -> None:
    """Refuse to go on with a file that is small and takes for ever."""
    if time.monotonic() - began > limits.seconds:
        raise LimitExceeded(
            "time-limit", f"The file took longer than {limits.seconds:g} seconds to read. Save it as CSV."
        )


def said_of(reader: object) -> dict[str, OfFile]:
    """What a foreign file said of its columns; only for a reader of what `readable` made."""
    found = getattr(reader, "metadata", {}).get(LABELS)
    return dict(found) if isinstance(found, dict) else {}
