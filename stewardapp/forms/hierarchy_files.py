"""Several hierarchy files at once: read, matched with columns by their names, and carried by the page until
somebody confirms them. Nothing is stored before that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from stewardapp.actions.hierarchies import Table
from worker.engine.errors import EngineError
from worker.engine.hierarchies.files import Match, matches
from worker.engine.hierarchies.hierarchy import Hierarchy, read
from worker.engine.hierarchies.imports import read_any

MOST_FILES = 50
MOST_TOGETHER = 8 * 1024**2
"""What a page can carry; a larger table is imported on the page of its column."""
LONGEST_FILE_NAME = 255
_NUMBERS = {str(number): number for number in range(1, MOST_FILES + 1)}

NO_FILE = "Choose the files first, all of them at once."
TOO_MANY = f"At most {MOST_FILES} files are imported at once."
TOO_LARGE = "Together the tables are larger than 8 MB; import the largest on the page of its column."
NO_TEXT = "This is no UTF-8 text; save it as CSV UTF-8."
NUL = "The table holds a NUL character; remove it."
NONE_CHOSEN = "No file has a column; choose one for each file that is to be imported."
TWICE = "Two files are for one column; leave one of them out."


@dataclass(frozen=True)
class Brought:
    """One file: the columns that its name fits, the one chosen, and its table or what is wrong with it."""

    name: str
    fits: tuple[str, ...] = ()
    column: str = ""
    table: Table | None = None
    problem: str = ""


@dataclass(frozen=True)
class Several:
    """All files of one import."""

    files: tuple[Brought, ...] = ()
    problem: str = ""

    @property
    def chosen(self) -> dict[str, Table]:
        """The tables by column."""
        return {one.column: one.table for one in self.files if one.column and one.table is not None}

    def checked(self) -> Several:
        """With what stands in the way of importing it."""
        columns = [one.column for one in self.files if one.column]
        if self.problem or not columns:
            return replace(self, problem=self.problem or NONE_CHOSEN)
        return replace(self, problem="" if len(set(columns)) == len(columns) else TWICE)


def sent(files: Sequence[UploadedFile[bytes]], columns: Sequence[str]) -> Several:
    """The files as they came, each with the column that its name fits and no other file's does."""
    if not files:
        return Several(problem=NO_FILE)
    if len(files) > MOST_FILES:
        return Several(problem=TOO_MANY)
    if sum(file.size or 0 for file in files) > MOST_TOGETHER:
        return Several(problem=TOO_LARGE)
    names = [(file.name or "")[:LONGEST_FILE_NAME] for file in files]
    found = matches(names, columns)
    wanted = Counter(match.column for match in found)
    return Several(
        tuple(
            _read(_text(file), match, (match.column or "") if wanted[match.column] == 1 else "")
            for file, match in zip(files, found, strict=True)
        )
    )


def sent_again(posted: Mapping[str, Any], columns: Sequence[str]) -> Several:
    """What the page carried, with the columns that somebody chose; it is believed as little as a file."""
    number = _NUMBERS.get(posted.get("files", ""))
    if number is None:
        return Several(problem=NO_FILE)
    places = range(number)
    known = {str(place): column for place, column in enumerate(columns)}
    names = [posted.get(f"name-{place}", "")[:LONGEST_FILE_NAME] for place in places]
    return Several(
        tuple(
            _read(
                posted.get(f"lines-{place}"), match, known.get(posted.get(f"column-{place}", ""), ""), _lines
            )
            for place, match in zip(places, matches(names, columns), strict=True)
        )
    )


def _text(file: UploadedFile[bytes]) -> str | None:
    content: bytes = file.read()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _lines(text: str, column: str) -> Hierarchy:
    """What was laid out before, whatever its first value looks like."""
    return read(text.splitlines(), column)


def _read(
    text: str | None, match: Match, column: str, reader: Callable[[str, str], Hierarchy] = read_any
) -> Brought:
    """The table; a file that is none has no column."""
    problem = NO_TEXT if text is None else NUL if "\x00" in text else ""
    if text is None or problem:
        return Brought(match.file, match.columns, problem=problem)
    try:
        laid = reader(text, column or match.file)
    except EngineError as error:
        return Brought(match.file, match.columns, problem=error.sentence)
    return Brought(match.file, match.columns, column, Table("\n".join(laid.lines()), laid.height + 1))
