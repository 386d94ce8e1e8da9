"""The levels of a hierarchical table: a declared hierarchy over categories, or neighbouring bins joined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worker.engine.dp.cells import Cells, interval
from worker.engine.dp.layouts import Levels
from worker.engine.dp.meaning import spelled
from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import Hierarchy, hierarchy_for
from worker.engine.tables.column import SUPPRESSED
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind


def levels_over(cells: Cells, spec: HierarchySpec | None, fan_out: int) -> Levels:
    """Every level above the cells, up to one entry for all."""
    if cells.edges:
        return _laid(_joined(cells, fan_out))
    if spec is None:
        where = f"columns.{cells.name}.hierarchy"
        text = f"{where}: declare a hierarchy over the categories, or count the cells alone."
        raise EngineError("no-hierarchy", text, param=where)
    return _laid(_rooted(cells, _declared(cells, spec)))


def _declared(cells: Cells, spec: HierarchySpec) -> Hierarchy:
    """The hierarchy over the declared categories; a builder never sees the data's values."""
    labels = tuple(sorted(cells.named))
    return hierarchy_for(spec, Domain(cells.name, Kind.TEXT, labels, np.zeros(len(labels), bool)))


def _rooted(cells: Cells, hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    """The path of each category up to a single root; the cells beside those declared join there."""
    if any(label not in hierarchy.paths for label in cells.named):
        where = f"columns.{cells.name}.hierarchy"
        text = f"{where}: a declared category has no line. Give every category one."
        raise EngineError("hierarchy-incomplete", text, param=where)
    paths = [hierarchy.paths[label] for label in cells.named]
    if len({path[-1] for path in paths}) > 1:
        paths = [(*path, SUPPRESSED) for path in paths]
    return [*paths, *_beside(cells, len(paths[0]), paths[0][-1])]


def _beside(cells: Cells, height: int, root: str) -> list[tuple[str, ...]]:
    """The paths of any other value and of none: each stands by itself below the root."""
    beside = cells.labels[len(cells.named) :]
    return [(label,) * (height - 1) + (root,) for label in beside]


def _joined(cells: Cells, fan_out: int) -> list[tuple[str, ...]]:
    """For each bin the labels of the wider bins it falls into."""
    bins = len(cells.edges) - 1
    paths = [[cells.labels[at]] for at in range(bins)]
    width = 1
    while width < bins:
        width *= fan_out
        for at in range(bins):
            first = at // width * width
            wider = _span(cells, first, min(first + width, bins))
            paths[at].append(wider if width < bins else SUPPRESSED)
    return [*(tuple(path) for path in paths), *_beside(cells, len(paths[0]), SUPPRESSED)]


def _span(cells: Cells, first: int, last: int) -> str:
    if not cells.closed:  # whole numbers, one per cell
        return f"{spelled(cells.edges[first])} to {spelled(cells.edges[last] - 1)}"
    return interval(cells.edges[first], cells.edges[last], closed=last == len(cells.edges) - 1)


def _laid(paths: Sequence[tuple[str, ...]]) -> Levels:
    """Labels of each level in order of first appearance, and the parent of each."""
    labels, parents = [], []
    for level in range(len(paths[0])):
        index = {path[level:]: None for path in paths}
        labels.append(tuple(key[0] for key in index))
        if level + 1 < len(paths[0]):
            above = {key: at for at, key in enumerate(dict.fromkeys(path[level + 1 :] for path in paths))}
            parents.append(np.array([above[key[1:]] for key in index]))
    return Levels(tuple(labels), tuple(parents))
