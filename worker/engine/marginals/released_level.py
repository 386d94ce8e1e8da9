"""Both sides of a column at the level at which it is released: a coarser label is no other value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import Levels, levels_of
from worker.engine.tables.column import SUPPRESSED
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.keys import totals

Tables = tuple[FrequencyTable, FrequencyTable]


def at_released_level(old: FrequencyTable, new: FrequencyTable, spec: HierarchySpec | None) -> Tables:
    """The original mapped through the hierarchy to the lowest level at which every released label can stand,
    and the release with it; both as they are where no hierarchy knows all labels."""
    if spec is None or new is old or not _coarser(old.domains[0], new.domains[0]):
        return old, new
    try:
        levels = levels_of(spec, old.domains[0])
    except EngineError:
        return old, new
    found = _levels_of_labels(levels, new.domains[0].texts)
    if found is None:
        return old, new
    level = max(at for at, _ in found)
    before = [levels.labels[level][code] for code in levels.from_values[level].tolist()]
    after = [
        text if text == SUPPRESSED else _climbed(levels, *one, level)
        for text, one in zip(new.domains[0].texts, found, strict=True)
    ]
    return _relabelled(old, before), _relabelled(new, after)


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


def _relabelled(table: FrequencyTable, texts: Sequence[str]) -> FrequencyTable:
    """The same rows under other labels."""
    domain = table.domains[0]
    listed = sorted(set(texts))
    index = {text: code for code, text in enumerate(listed)}
    to = np.array([index[text] for text in texts], np.int32)
    counts = totals(to[table.codes[0]], table.counts, len(listed))
    kept = np.flatnonzero(counts)
    labels = tuple(listed[code] for code in kept.tolist())
    made = Domain(domain.name, domain.kind, labels, np.array([not text for text in labels], bool))
    return FrequencyTable((made,), (np.arange(len(kept), dtype=np.int32),), counts[kept])
