"""The level of a hierarchy at which a column is released, and every value at it: a coarser label is no other
value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import Levels, levels_of
from worker.engine.tables.column import SUPPRESSED
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain

Labels = tuple[list[str], list[str]]


def labels_at_released_level(old: Domain, new: Domain, spec: HierarchySpec | None) -> Labels | None:
    """A label for each value of the original and of the release, at the lowest level at which every released
    one can stand; None where nothing is coarser, or no hierarchy knows all labels."""
    if spec is None or new is old or not _coarser(old, new):
        return None
    try:
        levels = levels_of(spec, old)
    except EngineError:
        return None
    found = _levels_of_labels(levels, new.texts)
    if found is None:
        return None
    level = max(at for at, _ in found)
    before = [levels.labels[level][code] for code in levels.from_values[level].tolist()]
    after = [
        text if text == SUPPRESSED else _climbed(levels, *one, level)
        for text, one in zip(new.texts, found, strict=True)
    ]
    return before, after


def _coarser(old: Domain, new: Domain) -> bool:
    """Whether there is a label that is no value of the original."""
    strange = old.places_of(new) < 0
    star = new.find(SUPPRESSED)
    return bool((strange & ~new.missing & (np.arange(len(new)) != star)).any())


def _levels_of_labels(levels: Levels, texts: Sequence[str]) -> list[tuple[int, int]] | None:
    """The lowest level of each label and its place there; None where a label is on no level. `*` and a
    missing value can stand at any."""
    where: dict[str, tuple[int, int]] = {}
    for level, labels in enumerate(levels.labels):
        for code, text in enumerate(labels):
            where.setdefault(text, (level, code))
    where[SUPPRESSED] = (0, -1)
    where.setdefault("", (0, -1))
    if not where.keys() >= set(texts):
        return None
    return [where[text] for text in texts]


def _climbed(levels: Levels, level: int, code: int, to: int) -> str:
    """The label above a label."""
    if code < 0:
        return ""
    for step in range(level + 1, to + 1):
        code = int(levels.steps[step][code])
    return levels.labels[to][code]
