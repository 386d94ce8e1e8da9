"""The released file as a table, page by page, read from exactly the bytes that would be published."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, cast

from stewardapp import storage
from stewardapp.reads.arranged_table import Class, Wanted, arranged, can_be_arranged, sizes_of
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
    found: int = 0
    """How many rows there are to turn over: fewer than the file has where some were asked for."""
    wanted: Wanted = field(default_factory=Wanted)
    alike: tuple[int | None, ...] = ()
    """How many rows are like each of these, where the smallest classes come first."""
    smallest: tuple[Class, ...] = ()
    arrangeable: bool = False

    @property
    def has_previous(self) -> bool:
        """Whether there is a page before."""
        return self.number > 1

    @property
    def numbered(self) -> tuple[tuple[tuple[str, ...], int | None], ...]:
        """Each row with how many are like it, where that was asked."""
        return tuple(zip_longest(self.rows, self.alike))

    @property
    def direction(self) -> str:
        """Which way it is sorted, as browsers are told."""
        return "descending" if self.wanted.descending else "ascending"

    @property
    def next_sort(self) -> dict[str, str]:
        """What a click on each header asks for: first upwards, then downwards."""
        upwards = self.wanted.sort if not self.wanted.descending else ""
        return {name: f"-{name}" if name == upwards else name for name in self.headers}

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


def released_page(artifact: Artifact, wanted: Wanted, keys: Sequence[str] = ()) -> ReleasedPage:
    """One page of a file; a file that is not too large is checked against its hash first.

    `keys` are the columns that its rows could be found by; the smallest classes of these are told.
    """
    rehashed, small = artifact.size <= REHASH_UP_TO, can_be_arranged(artifact)
    try:
        with storage.reading(artifact.blob) as file:
            if rehashed:
                check(file, artifact.sha256)
            if small and wanted.arranges:
                page = _arranged(artifact, file, wanted, keys)
            else:
                page = _as_it_stands(artifact, file, wanted)
            page = replace(page, rehashed=rehashed, arrangeable=small)
            if small and keys:
                classes = sizes_of(file, page.headers, keys)
                page = replace(page, smallest=tuple(classes.smallest()))
    except SealedError as broken:
        raise Damaged from broken
    return page


def _as_it_stands(artifact: Artifact, file: SealedReader, wanted: Wanted) -> ReleasedPage:
    rows_in_all = artifact.rows or 0
    number, pages = _place(wanted.page, rows_in_all)
    read = READERS[artifact.media_type.partition(";")[0]]
    headers, rows = read(file, (number - 1) * ROWS_PER_PAGE)
    return ReleasedPage(artifact, headers, rows, number, pages, rehashed=False, found=rows_in_all)


def _arranged(artifact: Artifact, file: SealedReader, wanted: Wanted, keys: Sequence[str]) -> ReleasedPage:
    def page(found: int) -> slice:
        first = (_place(wanted.page, found)[0] - 1) * ROWS_PER_PAGE
        return slice(first, first + ROWS_PER_PAGE)

    made = arranged(file, wanted, keys, page)
    number, pages = _place(wanted.page, made.found)
    shown = ReleasedPage(artifact, made.headers, made.rows, number, pages, rehashed=False, found=made.found)
    return replace(shown, wanted=wanted, alike=made.alike)


def _place(wanted: str, rows: int) -> tuple[int, int]:
    """The page asked for, or the nearest there is, and how many there are."""
    pages = max(1, -(-rows // ROWS_PER_PAGE))
    return min(max(whole_number(wanted) or 1, 1), pages), pages


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
