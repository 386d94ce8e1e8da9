"""What a step announces of its decision to whoever reads a report: pages, codebooks, maps.

A method has facts of its own beside these; nobody else knows their names, and pages only print them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

StepJson = Mapping[str, Any]
"""A step as the report spells it: what it announces, and facts of its own under names that only its method
reads."""
Heights = Mapping[str, int]
"""A level for each column."""
NOT_LISTED = "minimal_nodes and explored were not asked for: anonymize --nodes lists them."


@dataclass(frozen=True)
class Generalized:
    """How far each column was generalized, and how far it could have been."""

    chosen: Heights
    heights: Heights


@dataclass(frozen=True)
class Suppressed:
    """Rows that show `*` in every quasi-identifier, and single cells that do in others.

    `left_out` says whether these rows are gone; None where an older report does not tell.
    """

    rows: int
    cells: int = 0
    left_out: bool | None = None


@dataclass(frozen=True)
class Node:
    """One combination of levels that a search looked at; its classes where they were counted again.

    `in_classes` are the rows that stay, or the persons of each class where rows are of persons.
    """

    levels: Heights
    feasible: bool
    suppressed_rows: int | None
    score: float | None
    classes: int | None = None
    smallest_class: int | None = None
    in_classes: int | None = None


@dataclass(frozen=True)
class Explored:
    """What a search looked at, and whether it proved its answer the best.

    The lists are empty unless they were asked for; `listed` says whether they were.
    """

    nodes: int
    checked: int
    optimal: bool
    minimal: tuple[Heights, ...] = ()
    minimal_complete: bool = True
    seen: tuple[Node, ...] = ()
    listed: bool = True


@dataclass(frozen=True)
class Changed:
    """Of each column with other values in place of the original ones: cells, and how many of them differ."""

    cells: Mapping[str, int]
    changed: Mapping[str, int]

    @property
    def total(self) -> int:
        """All cells that differ."""
        return sum(self.changed.values())


@dataclass(frozen=True)
class HeldOut:
    """Rows that were set aside before anything was learnt, and what was drawn: rows, persons, households."""

    rows: int
    unit: str


@dataclass(frozen=True)
class Facts:
    """Everything a step announces; what it has nothing to say of is None."""

    levels: Generalized | None = None
    suppressed: Suppressed | None = None
    explored: Explored | None = None
    changed: Changed | None = None
    held_out: HeldOut | None = None

    def entry(self) -> StepJson:
        """As the report spells them, among the other facts of the step."""
        made: dict[str, object] = {}
        if self.levels:
            made |= {"levels": dict(self.levels.chosen), "heights": dict(self.levels.heights)}
        if self.suppressed:
            made |= {"suppressed_rows": self.suppressed.rows, "suppressed_cells": self.suppressed.cells}
            made["left_out"] = self.suppressed.left_out
        if self.explored:
            made |= _explored_entry(self.explored)
        if self.changed:
            made |= {"cells": dict(self.changed.cells), "changed": dict(self.changed.changed)}
            made["changed_cells"] = self.changed.total
        if self.held_out:
            made |= {"held_out_rows": self.held_out.rows, "held_out_unit": self.held_out.unit}
        return made

    @classmethod
    def of(cls, entry: StepJson) -> Facts:
        """Read back from the entry of a step, of any version of the report."""
        levels, rows, nodes = entry.get("levels"), entry.get("suppressed_rows"), entry.get("nodes")
        cells, changed = entry.get("cells"), entry.get("changed")
        hidden, aside = entry.get("suppressed_cells") or 0, entry.get("held_out_rows")
        return cls(
            Generalized(levels, entry.get("heights") or {}) if levels else None,
            None if rows is None and not hidden else Suppressed(rows or 0, hidden, entry.get("left_out")),
            None if nodes is None else _explored(entry),
            Changed(cells, changed) if cells is not None and changed is not None else None,
            None if aside is None else HeldOut(aside, entry["held_out_unit"]),
        )


def _explored_entry(found: Explored) -> StepJson:
    return {
        "nodes": found.nodes,
        "nodes_checked": found.checked,
        "optimal": found.optimal,
        "minimal_complete": found.minimal_complete,
        "minimal_nodes": [dict(one) for one in found.minimal],
        "explored": [vars(one) | {"levels": dict(one.levels)} for one in found.seen],
        "not_listed": None if found.listed else NOT_LISTED,
    }


def _explored(entry: StepJson) -> Explored:
    seen = (
        Node(
            one["levels"],
            bool(one.get("feasible")),
            one.get("suppressed_rows"),
            one.get("score"),
            one.get("classes"),
            one.get("smallest_class"),
            one.get("in_classes"),
        )
        for one in entry.get("explored", ())
    )
    return Explored(
        entry["nodes"],
        entry.get("nodes_checked") or 0,
        entry.get("optimal") is not False,
        tuple(entry.get("minimal_nodes", ())),
        entry.get("minimal_complete") is not False,
        tuple(seen),
        not entry.get("not_listed"),
    )


LISTED = tuple(_explored_entry(Explored(0, 0, True)))
"""The names of what is said of a search."""
SPELLED = frozenset(
    Facts(
        Generalized({}, {}), Suppressed(0), Explored(0, 0, True), Changed({}, {}), HeldOut(0, "row")
    ).entry()
) - {"cells"}
"""The names that only announced facts may have in an entry."""
