"""What a recipe declares of each column, for the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from worker.engine.declared import Declaration, HierarchySpec
from worker.engine.errors import EngineError
from worker.engine.recipe_document import ColumnPart


def declaration(
    name: str, part: ColumnPart, hierarchies: Mapping[str, str], missing: tuple[str, ...]
) -> Declaration:
    """One column's part; `hierarchies` holds the text of each file referred to."""
    spec = _hierarchy(name, part, hierarchies)
    return Declaration(
        hierarchy=None if spec is None else replace(spec, missing=missing),
        bounds=part.bounds,
        bin_width=part.bin_width,
        categories=part.categories,
        granted=part.granted,
        release=part.release,
        kind=part.kind,
        provenance=part.provenance,
    )


def _hierarchy(name: str, part: ColumnPart, hierarchies: Mapping[str, str]) -> HierarchySpec | None:
    given = part.hierarchy
    where = f"columns.{name}.hierarchy"
    if given is None:
        return None
    if isinstance(given, str):
        if given not in hierarchies:
            text = f"{where}: the file is not there. Give a path relative to the recipe."
            raise EngineError("no-hierarchy-file", text, param=where)
        return HierarchySpec(lines=tuple(hierarchies[given].splitlines()))
    if isinstance(given, tuple):
        return HierarchySpec(lines=given)
    builder = given.get("builder")
    if not isinstance(builder, str):
        text = f"{where}.builder: name the builder: interval, order, mask, date or tree."
        raise EngineError("bad-recipe", text, param=f"{where}.builder")
    options = {key: value for key, value in given.items() if key != "builder"}
    return HierarchySpec(builder=builder, options=options)
