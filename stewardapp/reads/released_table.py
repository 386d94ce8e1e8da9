"""The released file as a table, page by page, read from exactly the bytes that would be published."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from stewardapp import storage
from worker.engine.io.sent_text import whole_number
from worker.sealed import SealedError, SealedReader, digest

if TYPE_CHECKING:
    from stewardapp.models import Artifact, Run

ROWS_PER_PAGE = 25
REHASH_UP_TO = 64 * 1024**2
CHUNK = 1024**2
READ_ROWS = 2_000
Row = Mapping[str, str]
CSV = "text/csv"
PARQUET = "application/vnd.apache.parquet"


class Damaged(Exception):
    """The stored bytes are not those the manifest names."""


@dataclass(frozen=True)
class ReleasedPage:
    """One page of a released file."""

    artifact: Artifact
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    number: int
    pages: int
    rehashed: bool

    @property
    def has_previous(self) -> bool:
        """Whether there is a page before."""
        return self.number > 1

    @property
    def previous_number(self) -> int:
        """The page before."""
        return self.number - 1

    @property
    def next_number(self) -> int:
        """The page after."""
        return self.number + 1

    @property
    def has_next(self) -> bool:
        """Whether there is a page after."""
        return self.number < self.pages


def shown_artifact(artifacts: list[Artifact], name: str) -> Artifact | None:
    """The file somebody chose, else the first that can be shown as a table."""
    tables = [one for one in artifacts if one.media_type.partition(";")[0] in READERS]
    return next((one for one in tables if one.name == name), tables[0] if tables else None)


def released_page(artifact: Artifact, wanted: str) -> ReleasedPage:
    """One page of a file; a file that is not too large is checked against its hash first."""
    pages = max(1, -(-(artifact.rows or 0) // ROWS_PER_PAGE))
    number = min(max(whole_number(wanted) or 1, 1), pages)
    rehashed = artifact.size <= REHASH_UP_TO
    try:
        with storage.reading(artifact.blob) as file:
            if rehashed:
                check(file, artifact.sha256)
            read = READERS[artifact.media_type.partition(";")[0]]
            headers, rows = read(file, (number - 1) * ROWS_PER_PAGE)
    except SealedError as broken:
        raise Damaged from broken
    return ReleasedPage(artifact, headers, rows, number, pages, rehashed)


def check(file: SealedReader, sha256: str) -> None:
    """Hash everything and go back to the start; other bytes than expected are refused."""
    if digest(file) != sha256:
        raise Damaged
    file.seek(0)


Table = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


def csv_page(file: SealedReader, skip: int) -> Table:
    """Some rows of a CSV file, cells exactly as written."""
    text = io.TextIOWrapper(io.BufferedReader(cast(Any, file), CHUNK), encoding="utf-8", newline="")
    lines: Iterator[list[str]] = csv.reader(text)
    headers = tuple(next(lines, []))
    rows = tuple(tuple(row) for row in islice(lines, skip, skip + ROWS_PER_PAGE))
    text.detach().detach()
    return headers, rows


def parquet_page(file: SealedReader, skip: int) -> Table:
    """Some rows of a Parquet file; only the row groups they lie in are read."""
    import pyarrow.parquet as pq  # only this page needs it

    source = pq.ParquetFile(file)
    headers = tuple(source.schema_arrow.names)
    rows: list[tuple[str, ...]] = []
    for group in range(source.num_row_groups):
        length = source.metadata.row_group(group).num_rows
        if skip < length and len(rows) < ROWS_PER_PAGE:
            part = source.read_row_group(group).slice(skip, ROWS_PER_PAGE - len(rows))
            rows += [tuple(cell(value) for value in row.values()) for row in part.to_pylist()]
        skip = max(0, skip - length)
    return headers, tuple(rows)


def cell(value: Any) -> str:
    """A cell as text; a missing one is empty."""
    return "" if value is None else str(value)


READERS = {CSV: csv_page, PARQUET: parquet_page}


def rows_of(artifact: Artifact) -> list[Row]:
    """The first rows of a small table, from bytes that are those the manifest names."""
    try:
        with storage.reading(artifact.blob) as file:
            check(file, artifact.sha256)
            text = io.TextIOWrapper(io.BufferedReader(cast(Any, file)), encoding="utf-8", newline="")
            found: list[Row] = [row for row, _ in zip(csv.DictReader(text), range(READ_ROWS), strict=False)]
            text.detach().detach()
    except SealedError as broken:
        raise Damaged from broken
    return found


def file_of(run: Run, name: str) -> Artifact | None:
    """One of the run's files."""
    return run.artifacts.stored().filter(name=name).select_related("blob__key").first()
