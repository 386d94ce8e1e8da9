"""The hierarchies of one version: which columns have one, and whether every value present has a row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stewardapp.domain.value_lists import previewable, values_of
from stewardapp.models import Column, Hierarchy
from stewardapp.presenters.hierarchies import rows_over, sentence
from worker.engine.errors import EngineError
from worker.engine.tables.kinds import Role


@dataclass(frozen=True)
class HierarchyLine:
    """One column; `values` and `lost` are None when the column is too large to be looked at here."""

    column: Column
    words: str = ""
    levels: int | None = None
    values: int | None = None
    lost: int | None = None
    problem: str = ""
    earlier: Hierarchy | None = None

    @property
    def complete(self) -> bool:
        """Whether a run will find a row for every value."""
        return self.lost == 0 and not self.problem


def hierarchy_lines(columns: Iterable[Column], earlier: Mapping[str, Hierarchy]) -> list[HierarchyLine]:
    """The quasi-identifiers, and whatever else has a hierarchy or could have its earlier one again."""
    return [
        _line(column, earlier.get(column.name))
        for column in columns
        if column.hierarchy or column.role == Role.QUASI_IDENTIFIER or column.name in earlier
    ]


def _line(column: Column, earlier: Hierarchy | None) -> HierarchyLine:
    if column.hierarchy is None:
        return HierarchyLine(column, earlier=earlier)
    words = sentence(column.hierarchy)
    if not previewable(column):
        return HierarchyLine(column, words)
    values = sorted(values_of(column))
    try:
        laid = rows_over(column.hierarchy, values, column.name)
    except EngineError as error:
        return HierarchyLine(column, words, values=len(values), problem=error.sentence)
    lost = sum(value not in laid.paths for value in values)
    return HierarchyLine(column, words, laid.height + 1, len(values), lost)
