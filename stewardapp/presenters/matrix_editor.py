"""A step's own matrix as a table to edit, and what the matrix promises and costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404

from stewardapp.domain.value_lists import previewable, values_of
from stewardapp.forms.matrix_draft import MOST, MatrixDraft, lacking, number_of, plain
from stewardapp.forms.parameter_fields import ColumnChoice, marker, suits
from stewardapp.forms.recipe_form import contract_of
from stewardapp.models import Column, Release
from stewardapp.reads.drafts import Draft
from worker.engine.contracts.annotations import Columns, Transition
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.errors import EngineError
from worker.engine.io.sent_text import whole_number
from worker.engine.randomization import transition
from worker.engine.randomization.transition_effects import Effect, effect_of, parts_of

SHADES = 10


@dataclass(frozen=True)
class Opened:
    """The step a matrix belongs to, and what its parameters say."""

    around: Draft
    number: int
    param: str
    contract: Any
    mark: Transition
    params: Mapping[str, Any]
    column: Column | None
    categories: tuple[str, ...]

    @property
    def release(self) -> Release:
        """Whose recipe the step stands in."""
        return self.around.release

    @property
    def title(self) -> str:
        """The name of the method."""
        return str(self.contract.title)

    @property
    def derived(self) -> str:
        """The title of the switch that derives the matrix in use from this one, when it is on."""
        on = self.params.get(self.mark.derived)
        return f"{self.contract.model_fields[self.mark.derived].title}." if on else ""

    def strata(self, columns: Sequence[ColumnChoice]) -> list[str]:
        """The columns that may make strata."""
        mark = marker(self.contract.model_fields[self.mark.strata], Columns) or Columns()
        own = str(self.params.get(self.mark.column, ""))
        return [column.name for column in columns if suits(column, mark) and column.name != own]

    def draft(self) -> MatrixDraft:
        """The stored matrix among these categories; without one, the matrix of the keep probability."""
        stored: Any = self.params.get(self.param)
        names = tuple(map(str, self.params.get(self.mark.categories) or ()))
        strata = tuple(map(str, self.params.get(self.mark.strata) or ()))
        default = self.contract.model_fields[self.mark.keep].get_default()
        keep = str(self.params.get(self.mark.keep, default))
        if not _is_table(stored, len(names)):  # none yet, or one that somebody imported and nobody can use
            groups = self._groups()
            blank = tuple(("",) * len(self.categories) for _ in self.categories)
            return MatrixDraft(self.categories, blank, groups, strata, keep).filled()
        known = {name: place for place, name in enumerate(names)}
        cells = tuple(
            tuple(_cell(stored, known.get(a), known.get(b), a == b) for b in self.categories)
            for a in self.categories
        )
        numbers = [[float(number_of(text) or 0) for text in row] for row in cells]
        return MatrixDraft(self.categories, cells, _named(parts_of(numbers), len(cells)), strata, keep)

    def _groups(self) -> tuple[str, ...]:
        listed = self.params.get(self.mark.groups) or ()
        if not listed:
            return tuple("1" for _ in self.categories)
        group_of = {name: str(number) for number, group in enumerate(listed, start=1) for name in group}
        return tuple(group_of.get(name, "") for name in self.categories)

    def saved(self, draft: MatrixDraft) -> dict[str, object]:
        """The parameters with the matrix of a draft; zeros say what groups said."""
        return {
            **self.params,
            self.mark.categories: list(draft.categories),
            self.param: draft.matrix,
            self.mark.groups: [],
            self.mark.strata: list(draft.strata),
        }


def opened(draft: Draft, number: int, param: str) -> Opened:
    """The matrix of a saved step; 404 when that step has no such parameter."""
    steps = draft.release.recipe.get("steps", ())
    entry = steps[number - 1] if 0 < number <= len(steps) else {}
    contract = contract_of("step", str(entry.get("method", "")))
    info = contract.model_fields.get(param) if contract else None
    mark = marker(info, Transition) if info else None
    if mark is None:
        raise Http404
    params = entry.get("params") or {}
    column = draft.column(params.get(mark.column, ""))
    declared = column.settings.get("categories", ()) if column else ()
    categories = tuple(map(str, declared or params.get(mark.categories) or ()))
    return Opened(draft, number, param, contract, mark, params, column, categories)


def _is_table(stored: Any, size: int) -> bool:
    """Whether there is a number for each pair of so many categories."""
    rows = stored if isinstance(stored, list | tuple) and len(stored) == size else [None]
    return all(
        isinstance(row, list | tuple)
        and len(row) == size
        and all(isinstance(one, int | float) for one in row)
        for row in rows
    )


def _cell(stored: Sequence[Sequence[float]], i: int | None, j: int | None, same: bool) -> str:
    if i is None:
        return "1" if same else "0"  # a category that is new stays what it is
    return plain(stored[i][j]) if j is not None else "0"


def _named(parts: Sequence[Sequence[int]], size: int) -> tuple[str, ...]:
    names = [""] * size
    for number, part in enumerate(parts, start=1):
        for place in part:
            names[place] = str(number) if len(part) > 1 else ""
    return tuple(names)


def too_many(categories: Sequence[str]) -> str:
    """Why there is no table; nothing when there is one."""
    if len(categories) < 2:
        return (
            "The column has no declared categories. Declare every category in the settings of the column: "
            "they are the rows and columns of the matrix."
        )
    if len(categories) > MOST:
        return f"A table of more than {MOST} categories cannot be edited by hand. Write the matrix as JSON."
    return ""


def rows(draft: MatrixDraft) -> list[dict[str, Any]]:
    """The lines of the table."""
    return [
        {
            "place": i,
            "name": name,
            "group": draft.groups[i],
            "cells": [cell(draft, i, j) for j in range(len(draft.categories))],
            "sum": plain(sum((number_of(text) or 0 for text in draft.cells[i]), start=0)),
            "lacking": lacking(draft.cells[i]),
        }
        for i, name in enumerate(draft.categories)
    ]


def cell(draft: MatrixDraft, i: int, j: int) -> dict[str, object]:
    """One input with its shade and its complaint."""
    number = number_of(draft.cells[i][j])
    share = min(max(float(number or 0), 0.0), 1.0)
    return {
        "name": f"cell-{i}-{j}",
        "text": draft.cells[i][j],
        "shade": round(share * SHADES),
        "to": draft.categories[j],
        "error": draft.cell_errors.get((i, j), ""),
    }


def in_use(opened: Opened, draft: MatrixDraft) -> list[dict[str, Any]]:
    """The lines of the matrix that is made from a draft and the data; none while it cannot be told here."""
    column = opened.column
    if not opened.derived or not draft.is_valid or column is None or not previewable(column):
        return []
    try:
        found = values_of(column)
    except EngineError:
        return []
    counts = [found[name] for name in draft.categories]
    made = transition.probabilities(transition.balanced(transition.stated(draft.matrix), counts))
    return [
        {"name": name, "rows": count, "cells": [(f"{share:.3g}", round(share * SHADES)) for share in line]}
        for name, count, line in zip(draft.categories, counts, made.tolist(), strict=True)
    ]


def effect(draft: MatrixDraft) -> Effect | None:
    """What the matrix does; None while it is not one."""
    return effect_of(draft.matrix, draft.members) if draft.is_valid else None


def inflation_lines(draft: MatrixDraft, found: Effect | None) -> list[tuple[str, float, float]]:
    """Per category: how many times larger the standard error is, and what share of the rows it is worth."""
    if found is None or found.inflation is None:
        return []
    lines = zip(draft.categories, found.inflation, strict=True)
    return [(name, ratio, 1.0 / ratio**2) for name, ratio in lines]


def heat_map(categories: Sequence[str], cells: Sequence[Sequence[float]]) -> Chart:
    """The matrix as shades."""
    names = tuple(categories)
    return Chart(
        "transition-matrix",
        "From each category to each category",
        "heatmap",
        Axis("Released category", scale="category"),
        Axis("Original category", scale="category"),
        (Series("Probability", names, names, tuple(tuple(row) for row in cells)),),
        note="A row tells what becomes of a category; a dark diagonal means that most cells stay.",
        internal=True,
    )


def packed(draft: MatrixDraft) -> str:
    """The numbers of a draft as they travel in the address of its chart: thousandths."""
    return "_".join("-".join(str(round(1000 * share)) for share in row) for row in draft.matrix)


def unpacked(text: str, size: int) -> list[list[float]] | None:
    """The numbers of an address; None when they are no matrix of this size."""
    lines = [line.split("-") for line in text.split("_")]
    if len(lines) != size or any(len(line) != size for line in lines):
        return None
    numbers = [[whole_number(word, most=9999) for word in line] for line in lines]
    if any(number is None for line in numbers for number in line):
        return None
    return [[(number or 0) / 1000 for number in line] for line in numbers]
