"""t-closeness, recomputed: how far each class's sensitive values are from those of the whole file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from worker.engine.errors import EngineError
from worker.engine.io.kinds import KindGuess
from worker.engine.verification.finding import ColumnSaid, Facts, Farthest, Finding, Params, column_of, share
from worker.engine.verification.grouping import Group
from worker.engine.verification.likelihood import Shares, shares
from worker.engine.verification.released import Released
from worker.engine.verification.trees import Tree

SLUG = "t-closeness"


class Check:
    """Equal, ordered or hierarchical distance is at most t."""

    def __init__(self, params: Params) -> None:
        self.slug = SLUG
        self.column: str | None = column_of(params)
        self.required = share(params, "t", 0.2)
        self._distance = params.get("distance", "equal")
        self._said: ColumnSaid = {}
        self._missing = frozenset({""})
        self._tree: Tree | None = None
        if self._distance not in ("equal", "ordered", "hierarchical"):
            raise EngineError("not-verified", "This distance of t-closeness is not recomputed.", "distance")

    def told(self, facts: Facts) -> None:
        """The kind of the sensitive column, its declared order, its hierarchy."""
        self._said = facts.columns.get(self.column or "", {})
        self._missing |= facts.missing
        if self._distance == "hierarchical" or self._said.get("kind") == "ordinal":
            self._tree = Tree(self._said, facts.hierarchies, facts.missing)

    def find(self, group: Group, released: Released) -> Finding:
        """The farthest of these classes, and the rows in classes that are too far."""
        assert self.column is not None
        seen = shares(group, released, self.column)
        texts = released.texts(released.name_of(self.column) or self.column)
        far = np.zeros(group.number)
        starts = np.searchsorted(seen.classes, np.arange(group.number + 1))
        measure, times = self._measure(seen, texts)
        for one in range(group.number):
            entries = slice(starts[one], starts[one + 1])
            gap = -seen.file * seen.sizes[one]
            gap[seen.values[entries]] += seen.inside[entries]
            far[one] = measure(gap) / (times * int(seen.sizes[one]) * seen.total)
        return Farthest(float(far.max()), int(group.rows[far > self.required].sum()))

    def _measure(self, seen: Shares, texts: list[str]) -> tuple[Any, int]:
        """From a class's surplus of each value to its distance, still times both totals and a number."""
        if self._distance == "equal":
            return lambda gap: np.abs(gap).sum(), 2
        if self._distance == "ordered":
            present = np.flatnonzero(seen.file)
            order = np.array(sorted(present, key=self._order_key([texts[i] for i in present], texts)))
            return lambda gap: np.abs(np.cumsum(gap[order])[:-1]).sum(), max(len(order) - 1, 1)
        members = self._members(texts)
        return lambda gap: sum(np.abs(np.bincount(m, gap)).sum() for m in members), 2 * len(members)

    def _order_key(self, present: list[str], texts: list[str]) -> Any:
        kind = self._said.get("kind") or _guessed(present, self._missing)
        if kind in ("integer", "decimal"):
            return lambda i: (float(texts[i]) if texts[i] not in self._missing else -np.inf, texts[i])
        place = {text: at for at, text in enumerate(self._declared())} if kind == "ordinal" else {}
        return lambda i: (-1 if texts[i] in self._missing else place.get(texts[i], len(place)), texts[i])

    def _declared(self) -> list[str]:
        given = self._said.get("hierarchy")
        if self._said.get("categories"):
            return [str(one) for one in self._said["categories"]]
        if isinstance(given, Mapping):
            values = given.get("values", ()) if given.get("builder") == "order" else ()
            return [str(one) for one in values]
        return list(self._tree.rows) if self._tree else []

    def _members(self, texts: list[str]) -> list[Any]:
        """For every level below the root, the group of each value."""
        assert self._tree is not None
        paths = [self._tree.path(text) for text in texts]
        levels = [list(texts)]
        for level in range(self._tree.height):
            levels.append([path[level] if path else text for path, text in zip(paths, texts, strict=True)])
        while (
            len(levels) > 1 and len({top for path, top in zip(paths, levels[-1], strict=True) if path}) <= 1
        ):
            levels.pop()
            break
        return [np.unique(np.array(level, object).astype(str), return_inverse=True)[1] for level in levels]


def _guessed(texts: list[str], missing: frozenset[str]) -> str:
    """The kind of a column that the recipe does not declare."""
    guess, told = KindGuess(), [text for text in texts if text not in missing]
    guess.see(pa.array(told, pa.string()))
    return str(guess.kind(len(told)))
