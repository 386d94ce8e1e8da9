"""The lattice of a search: every combination of levels, drawn whole when small and as a table of two columns
when large, with what the search found out about each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stewardapp.presenters.numbers import percent, thousands
from worker.engine.contracts.facts import Explored, Facts, Generalized, Heights
from worker.engine.contracts.facts import Node as Seen
from worker.engine.io.sent_text import whole_number
from worker.engine.recipes.document import Entry

if TYPE_CHECKING:
    from stewardapp.models import Run

Node = tuple[int, ...]
DRAWN = 160
LISTED = 100
# The picture fits its card without being scrolled: the more nodes, the closer; never closer than a finger.
X, Y, MARGIN = (24, 44), (36, 64), 20
WIDE, HIGH = 800, 560
WORDS = {
    "chosen": "Chosen",
    "optimal": "Optimal",
    "minimal": "Minimal",
    "feasible": "Feasible",
    "infeasible": "Infeasible",
    "unknown": "Not looked at",
}
ORDER = list(WORDS)


@dataclass(frozen=True)
class Point:
    """One combination of levels."""

    node: Node
    state: str
    suppressed: int | None
    score: float | None
    rows: int
    classes: int | None = None
    smallest: int | None = None
    in_classes: int | None = None
    kept: float | None = None
    """The share of all levels that cells keep: none of a suppressed row."""

    @property
    def key(self) -> str:
        """The node in an address."""
        return "-".join(map(str, self.node))

    @property
    def word(self) -> str:
        """Its state in words."""
        return WORDS[self.state]

    @property
    def suppressed_words(self) -> str:
        """Rows to suppress, with their share."""
        if self.suppressed is None:
            return "–"
        return thousands(self.suppressed) + (
            f" ({percent(self.suppressed / self.rows)})" if self.rows else ""
        )

    @property
    def score_words(self) -> str:
        """The score, where it was needed."""
        return "–" if self.score is None else f"{self.score:.4g}"

    @property
    def risk_words(self) -> str:
        """The risk of the row that is easiest to match."""
        return percent(1 / self.smallest if self.smallest else None)

    @property
    def mean_risk_words(self) -> str:
        """The mean risk of the rows that stay, or of the persons: their classes ÷ how many they are."""
        return percent(self.classes / self.in_classes if self.classes and self.in_classes else None)

    @property
    def kept_words(self) -> str:
        """How much of their levels the cells keep."""
        return percent(self.kept)

    @property
    def possible(self) -> bool:
        """Whether a run with these levels can succeed, as far as known."""
        return self.state not in ("infeasible",)


@dataclass(frozen=True)
class Dot:
    """A node of the drawing."""

    point: Point
    x: int
    y: int
    label: str


@dataclass(frozen=True)
class Drawing:
    """The lattice as a picture."""

    width: int
    height: int
    touch: int
    dots: tuple[Dot, ...]
    edges: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True)
class Projection:
    """Two columns of a large lattice: each cell is the best of all nodes with these two levels."""

    across: str
    down: str
    heads: range
    lines: tuple[tuple[int, tuple[Point | None, ...]], ...]


class Lattice:
    """What one step of a run searched."""

    def __init__(self, run: Run, step: int, listed: Mapping[str, object]) -> None:
        """`listed` are the facts of a search that was asked for its lists after the run."""
        facts = Facts.of({**run.report["steps"][step], **listed})
        self.levels = facts.levels or Generalized({}, {})
        self.explored = facts.explored or Explored(0, 0, True)
        self.run, self.step = run, step
        self.names: list[str] = list(self.levels.heights)
        self.rows = int(run.report.get("input", {}).get("rows") or 0)
        self.bounds = [self._bound(run.recipe["steps"][step], name) for name in self.names]
        self.chosen = self._node(self.levels.chosen)
        self.minimal = {self._node(one) for one in self.explored.minimal}
        self.found = {self._node(one.levels): one for one in self.explored.seen}
        self.size = math.prod(high - low + 1 for low, high in self.bounds)

    @property
    def listed(self) -> bool:
        """Whether all combinations that the search looked at are known."""
        return self.explored.listed

    def _bound(self, step: Entry, name: str) -> tuple[int, int]:
        height = int(self.levels.heights[name])
        low, high = (step.get("params") or {}).get("levels", {}).get(name, (0, height))
        return int(low), min(int(high), height)

    def _node(self, levels: Heights) -> Node:
        return tuple(int(levels[name]) for name in self.names)

    def point(self, node: Node) -> Point:
        """What is known of a node."""
        one = self.found.get(node)
        if one is None:
            return Point(node, self._state(node, one), None, None, self.rows)
        gone = one.suppressed_rows
        known = (one.classes, one.smallest_class, one.in_classes, self._kept(node, gone))
        return Point(node, self._state(node, one), gone, one.score, self.rows, *known)

    def _kept(self, node: Node, suppressed: int | None) -> float | None:
        """1 less the mean of level ÷ height, which of a suppressed row is 1: the precision of the node."""
        if suppressed is None or not self.rows or not node:
            return None
        heights = (max(int(self.levels.heights[name]), 1) for name in self.names)
        lost = sum(level / height for level, height in zip(node, heights, strict=True)) / len(node)
        return (1 - lost) * (1 - suppressed / self.rows)

    def _state(self, node: Node, one: Seen | None) -> str:
        if node == self.chosen:
            return "chosen"
        if node in self.minimal:
            return "minimal"
        if one is None or not one.feasible:
            return "unknown" if one is None else "infeasible"
        best = self.found.get(self.chosen)
        proven = self.explored.optimal and best is not None and best.score is not None
        return "optimal" if proven and best is not None and one.score == best.score else "feasible"

    def parsed(self, key: str) -> Node | None:
        """The node an address names, if the lattice has it."""
        levels = [whole_number(part) for part in key.split("-")]
        node = tuple(level for level in levels if level is not None)
        if not len(levels) == len(node) == len(self.names):
            return None
        inside = all(low <= level <= high for level, (low, high) in zip(node, self.bounds, strict=True))
        return node if inside else None

    @property
    def unproven(self) -> str:
        """What a search that its time limit ended leaves open; nothing when it was finished."""
        if self.explored.optimal:
            return ""
        return (
            f"The time limit ended the search after {thousands(self.explored.checked)} of "
            f"{thousands(self.explored.nodes)} combinations. What is marked chosen is the best of "
            "these; others may lose less, and minimal ones may be missing. Allow more time to be sure."
        )

    def filtered(self, wanted: Mapping[str, int]) -> list[Point]:
        """The nodes with these levels: all of a small lattice, those looked at of a large one."""
        nodes: Iterable[Node] = (
            self._all() if self.size <= DRAWN else {*self.found, *self.minimal, self.chosen}
        )
        at = [(self.names.index(name), level) for name, level in wanted.items()]
        return [self.point(node) for node in nodes if all(node[place] == level for place, level in at)]

    def _all(self) -> Iterable[Node]:
        return itertools.product(*(range(low, high + 1) for low, high in self.bounds))

    def levels_param(self, node: Node) -> dict[str, list[int]]:
        """The parameter that fixes a run to a node."""
        return {name: [level, level] for name, level in zip(self.names, node, strict=True)}


def best_first(points: Iterable[Point]) -> list[Point]:
    """Feasible before infeasible, lower scores first, then lower levels."""
    return sorted(
        points,
        key=lambda one: (
            one.state in ("infeasible", "unknown"),
            math.inf if one.score is None else one.score,
            math.inf if one.suppressed is None else one.suppressed,
            one.node,
        ),
    )


def drawing(lattice: Lattice, points: Sequence[Point]) -> Drawing:
    """Nodes in rows by the sum of their levels, the finest at the bottom, joined by single steps."""
    rows: dict[int, list[Point]] = {}
    for point in sorted(points, key=lambda one: one.node):
        rows.setdefault(sum(point.node), []).append(point)
    widest = max(map(len, rows.values()), default=1)
    highest = max(rows, default=0)
    lowest = min(rows, default=0)
    across, down = spaced(X, WIDE, widest), spaced(Y, HIGH, highest - lowest + 1)
    dots = {}
    for total, line in rows.items():
        left = MARGIN + (widest - len(line)) * across // 2
        for place, point in enumerate(line):
            y = MARGIN + (highest - total) * down
            dots[point.node] = Dot(point, left + place * across, y, label(lattice, point))
    edges = tuple(
        (dot.x, dot.y, dots[above].x, dots[above].y)
        for node, dot in dots.items()
        for above in ((*node[:i], node[i] + 1, *node[i + 1 :]) for i in range(len(node)))
        if above in dots
    )
    width, height = 2 * MARGIN + (widest - 1) * across, 2 * MARGIN + (highest - lowest) * down
    return Drawing(width, height, min(16, across // 2), tuple(dots.values()), edges)


def spaced(ends: tuple[int, int], room: int, number: int) -> int:
    """How far apart so many things stand in this room."""
    return max(ends[0], min(ends[1], room // max(number - 1, 1)))


def label(lattice: Lattice, point: Point) -> str:
    """A node in words."""
    levels = ", ".join(f"{name} {level}" for name, level in zip(lattice.names, point.node, strict=True))
    known = f"{point.suppressed_words} rows suppressed, score {point.score_words}"
    if point.smallest:
        known += f", highest risk {point.risk_words}, {point.kept_words} kept"
    return f"{point.word}: {levels}. {known}."


def projection(lattice: Lattice, points: Sequence[Point], across: str, down: str) -> Projection:
    """The best node of each pair of levels."""
    x, y = lattice.names.index(across), lattice.names.index(down)
    best: dict[tuple[int, int], Point] = {}
    for point in sorted(points, key=lambda one: (ORDER.index(one.state), one.score is None, one.score or 0)):
        best.setdefault((point.node[x], point.node[y]), point)
    heads = range(lattice.bounds[x][0], lattice.bounds[x][1] + 1)
    lows, highs = lattice.bounds[y]
    lines = tuple((level, tuple(best.get((one, level)) for one in heads)) for level in range(lows, highs + 1))
    return Projection(across, down, heads, lines)
