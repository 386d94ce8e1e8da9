"""Datasets and versions: the lines of lists, and how a file was read."""

from typing import NamedTuple

from stewardapp.forms.versions import DELIMITER_WORDS, QUOTE_WORDS
from stewardapp.models import Dataset, JobState, Version
from stewardapp.models.job import ALIVE
from stewardapp.reads.datasets import DatasetRow, VersionRow
from worker.engine.io.dialect import DialectJson


class DatasetLine(NamedTuple):
    """A dataset with its newest version and that version's state."""

    dataset: Dataset
    version: Version | None
    state: str


class VersionLine(NamedTuple):
    """A version and its state."""

    version: Version
    state: str


def state_of(version: Version, attempt: str | None) -> str:
    """One word of presenters.status for where a version stands."""
    if version.destroyed_at is not None:
        return "destroyed"
    if attempt in ALIVE:
        return "reading"
    if version.current_id is not None:
        return "ready"
    return "cancelled" if attempt == JobState.CANCELLED else "unreadable"


def dataset_line(row: DatasetRow) -> DatasetLine:
    """One line of a list of datasets."""
    if row.newest is None:
        return DatasetLine(row.dataset, None, "")
    return DatasetLine(row.dataset, row.newest.version, state_of(row.newest.version, row.newest.attempt))


def version_line(row: VersionRow) -> VersionLine:
    """One line of a dataset's versions."""
    return VersionLine(row.version, state_of(row.version, row.attempt))


def dialect_lines(dialect: DialectJson) -> list[tuple[str, str]]:
    """Label and value of what was found or said about a file."""
    if not dialect:
        return []
    lines = [("Format", str(dialect.get("format", "csv")).upper())]
    if dialect.get("format", "csv") == "csv":
        lines += [
            ("Delimiter", DELIMITER_WORDS.get(dialect.get("delimiter", ","), str(dialect.get("delimiter")))),
            ("Quote", QUOTE_WORDS.get(dialect.get("quote", '"'), str(dialect.get("quote")))),
            ("Encoding", str(dialect.get("encoding", "utf-8"))),
        ]
    codes = [code for code in dialect.get("missing", ()) if code]
    lines.append(("Means missing", ", ".join(["an empty field", *codes])))
    if suggested := dialect.get("suggested_missing"):
        lines.append(("Also seen", f"{', '.join(suggested)} – say below if they mean missing"))
    return lines + [("Note", note) for note in dialect.get("notes", ())]
