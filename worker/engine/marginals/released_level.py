"""Both sides of a column at the level at which it is released: a coarser label is no other value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from worker.engine.hierarchies.released_level import labels_at_released_level
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.keys import totals

Tables = tuple[FrequencyTable, FrequencyTable]


def at_released_level(old: FrequencyTable, new: FrequencyTable, spec: HierarchySpec | None) -> Tables:
    """The original mapped through the hierarchy to the lowest level at which every released label can stand,
    and the release with it; both as they are where no hierarchy knows all labels."""
    labels = None if new is old else labels_at_released_level(old.domains[0], new.domains[0], spec)
    if labels is None:
        return old, new
    before, after = labels
    return _relabelled(old, before), _relabelled(new, after)


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
