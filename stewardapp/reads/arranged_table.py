"""A released file sorted and filtered, and its smallest classes: for files small enough to be read at once.

The rows are read twice, first what they are ordered by, then those of the one page: what is held at a time is
a key for each row and never the file. A larger file is only turned over page by page.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any, cast

from worker.engine.tables.column import SUPPRESSED

if TYPE_CHECKING:
    from stewardapp.models import Artifact
    from worker.sealed import SealedReader

MOST_ROWS = 100_000
MOST_SIZE = 16 * 1024**2
CHUNK = 1024**2
SHOWN = 5
ALIKE = "rows-alike"
"""What the rows are sorted by where the smallest classes come first; no column of a file needs it."""
Cells = tuple[str, ...]
Key = tuple[int, float, str]


@dataclass(frozen=True)
class Wanted:
    """What somebody asked to see of a file: which rows, in which order."""

    page: str = "1"
    sort: str = ""
    descending: bool = False
    column: str = ""
    text: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> Wanted:
        """As an address says it."""
        sort = asked.get("sort", "")
        return cls(
            page=asked.get("page", "1"),
            sort=sort.removeprefix("-"),
            descending=sort.startswith("-"),
            column=asked.get("in", ""),
            text=asked.get("holds", "").strip(),
        )

    @property
    def arranges(self) -> bool:
        """Whether it asks for anything but the rows as they stand."""
        return bool(self.sort or (self.column and self.text))


@dataclass(frozen=True)
class Class:
    """Rows that are equal in all columns by which they could be found."""

    values: tuple[tuple[str, str], ...]
    rows: int


@dataclass(frozen=True)
class Arranged:
    """The rows of one page in the order asked for, how many there are, and how many rows are like each."""

    headers: Cells
    rows: tuple[Cells, ...]
    found: int
    alike: tuple[int | None, ...] = ()


def can_be_arranged(artifact: Artifact) -> bool:
    """Whether it is small enough to be read for a page."""
    return (
        artifact.media_type.partition(";")[0] == "text/csv"
        and artifact.size <= MOST_SIZE
        and (artifact.rows or 0) <= MOST_ROWS
    )


def arranged(
    file: SealedReader, wanted: Wanted, keys: Sequence[str], page: Callable[[int], slice]
) -> Arranged:
    """One page; `page` says of the number of rows that were found which of them stand on it."""
    headers = next(lines_of(file), ())
    classes = sizes_of(file, headers, keys) if wanted.sort == ALIKE else None
    ordered = order_of(file, headers, wanted, classes)
    chosen = ordered[page(len(ordered))]
    rows = rows_at(file, chosen)
    alike = tuple(classes.of_row(row) for row in rows) if classes else ()
    return Arranged(headers, rows, len(ordered), alike)


def lines_of(file: SealedReader) -> Iterator[Cells]:
    """Header and rows from the beginning, cells exactly as written."""
    file.seek(0)
    text = io.TextIOWrapper(io.BufferedReader(cast(Any, file), CHUNK), encoding="utf-8", newline="")
    try:
        for line in csv.reader(text):
            yield tuple(line)
    finally:
        text.detach().detach()


def order_of(file: SealedReader, headers: Cells, wanted: Wanted, classes: Classes | None) -> list[int]:
    """The numbers of the rows that were asked for, in the order that was asked for."""
    fits = filter_of(headers, wanted)
    by = sorting_of(headers, wanted, classes)
    found = [(by(row), number) for number, row in rows_of(file) if fits(row)]
    if wanted.sort:
        found.sort(key=lambda one: one[0], reverse=wanted.descending)
    return [number for _, number in found]


def rows_of(file: SealedReader) -> Iterator[tuple[int, Cells]]:
    """Every row with its number."""
    lines = lines_of(file)
    next(lines, ())
    return enumerate(lines)


def filter_of(headers: Cells, wanted: Wanted) -> Callable[[Cells], bool]:
    """Rows whose cell holds the text, whatever its case; every row where no such column is asked for."""
    if not wanted.text or wanted.column not in headers:
        return lambda _row: True
    place, text = headers.index(wanted.column), wanted.text.casefold()
    return lambda row: text in row[place].casefold()


def sorting_of(headers: Cells, wanted: Wanted, classes: Classes | None) -> Callable[[Cells], Key]:
    """Numbers by size, then texts; rows that form no class come last."""
    if classes is not None:
        return lambda row: (0, classes.of_row(row) or MOST_ROWS + 1, "")
    if wanted.sort not in headers:
        return lambda _row: (0, 0.0, "")
    place = headers.index(wanted.sort)
    return lambda row: key_of(row[place])


def key_of(text: str) -> Key:
    """What a cell is sorted by: the beginning of an interval counts as its number."""
    try:
        return (0, float(text.lstrip("[(").split(",")[0]), text)
    except ValueError:
        return (1, 0.0, text)


def rows_at(file: SealedReader, numbers: Sequence[int]) -> tuple[Cells, ...]:
    """Some rows in the order of their numbers as given."""
    wanted = set(numbers)
    found: dict[int, Cells] = {}
    for number, row in rows_of(file):
        if number in wanted:
            found[number] = row
            if len(found) == len(wanted):
                break
    return tuple(found[number] for number in numbers)


@dataclass(frozen=True)
class Classes:
    """How many rows each combination of values stands in; rows that show * in all of them form none."""

    names: Cells
    places: tuple[int, ...]
    sizes: Counter[Cells]

    def of_row(self, row: Cells) -> int | None:
        """How many rows are like this one."""
        return self.sizes.get(tuple(row[place] for place in self.places))

    def smallest(self) -> list[Class]:
        """The classes in which a guess is most often right."""
        ordered = sorted(self.sizes.items(), key=lambda one: (one[1], one[0]))[:SHOWN]
        return [Class(tuple(zip(self.names, values, strict=True)), rows) for values, rows in ordered]


def sizes_of(file: SealedReader, headers: Cells, keys: Sequence[str]) -> Classes:
    """The classes of a file by the columns that rows could be found by."""
    names = tuple(name for name in keys if name in headers)
    places = tuple(headers.index(name) for name in names)
    values = itemgetter(*places) if len(places) > 1 else lambda row: tuple(row[place] for place in places)
    sizes = Counter(values(row) for _, row in rows_of(file))
    sizes.pop((SUPPRESSED,) * len(places), None)
    return Classes(names, places, sizes)
