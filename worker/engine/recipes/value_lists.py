"""Which values a released column holds, and which original ones a coarser label stands for, as far as a
codebook may say so.

What the file holds, it tells itself. Which original values lie behind a label is another matter: a hierarchy
usually lists what occurs in the data, and to name a value of a coarse class tells that somebody has it, be it
only one. So a published codebook names original values only of a column whose categories the steward declared
and said where they are known from – a code list, a questionnaire –, and then all of them, whether they occur
or not. Intervals, masks and parts of dates say it themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import read
from worker.engine.hierarchies.rules import build

if TYPE_CHECKING:
    from worker.engine.recipes.recipe import Recipe
    from worker.engine.recipes.report import ReportJson
    from worker.engine.tables.declaration import Declaration

Lists = dict[str, list[str]]
Members = dict[str, dict[str, list[str]]]


def stands_for(recipe: Recipe, categories: Mapping[str, Sequence[str]], levels: Mapping[str, int]) -> Members:
    """For each label of a generalized column the declared values below it, where they may be named."""
    found: Members = {}
    for name, declared in recipe.declarations({}).items():
        if levels.get(name) and name in categories and declared.categories and declared.provenance:
            below = _below(declared, name, levels[name])
            named = {label: below[label] for label in categories[name] if label in below}
            found |= {name: named} if named else {}
    return found


def _below(declared: Declaration, name: str, level: int) -> Lists:
    """The declared values by their label; none when the hierarchy has no place for them."""
    spec, values = declared.hierarchy, list(declared.categories or ())
    if spec is None:
        return {}
    try:
        rows = (
            read(spec.lines, name).rows
            if spec.lines is not None
            else build(spec.builder or "", spec.options, values, name)
        )
    except EngineError:
        return {}
    labels = {row[0]: row[level] for row in rows if level < len(row)}
    below: Lists = {}
    for value in values:
        if value in labels:
            below.setdefault(labels[value], []).append(value)
    return below


def lists_of(
    report: ReportJson,
) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Mapping[str, Sequence[str]]]]:
    """What a report says of both; an older one says nothing."""
    output = report.get("output", {})
    return output.get("categories") or {}, output.get("stands_for") or {}
