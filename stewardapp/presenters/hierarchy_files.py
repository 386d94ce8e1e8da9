"""Hierarchy files that wait to be confirmed: for which column each is, and what it would bring there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stewardapp.domain.value_lists import previewable, values_of
from stewardapp.forms.hierarchy_files import Brought
from stewardapp.models import Column
from worker.engine.hierarchies.hierarchy import read


@dataclass(frozen=True)
class FileLine:
    """One file; `values` and `lost` are None without a column, or when it is too large to be counted."""

    file: Brought
    number: int
    column: Column | None = None
    values: int | None = None
    lost: int | None = None

    @property
    def note(self) -> str:
        """Why a person has to choose the column."""
        if self.file.problem or self.column is not None:
            return ""
        if not self.file.fits:
            return "Its name fits no column."
        if len(self.file.fits) > 1:
            return f"Its name fits several columns: {', '.join(self.file.fits)}."
        return f"Its name fits {self.file.fits[0]}; it is left out, as another file fits too or you said so."

    @property
    def too_large(self) -> bool:
        """Whether only a run can tell which values have no row."""
        return self.column is not None and self.values is None


def file_lines(files: Sequence[Brought], columns: Sequence[Column]) -> list[FileLine]:
    """Each file with the column chosen for it."""
    known = {column.name: column for column in columns}
    return [_line(file, number, known.get(file.column)) for number, file in enumerate(files)]


def _line(file: Brought, number: int, column: Column | None) -> FileLine:
    if column is None or file.table is None or not previewable(column):
        return FileLine(file, number, column)
    values, rows = values_of(column), read(file.table.lines.splitlines(), column.name).paths
    return FileLine(file, number, column, len(values), sum(value not in rows for value in values))
