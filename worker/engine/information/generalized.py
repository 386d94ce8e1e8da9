"""How far values were generalized: bits lost per cell, and levels climbed."""

from __future__ import annotations

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.information.labels import declared_hierarchy
from worker.engine.tables.column import SUPPRESSED, Codes, Floats
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Counts, Domain, FrequencyTable


def bits_lost(pairs: FrequencyTable, spec: HierarchySpec | None) -> float:
    """Σ −log₂(f(value) ÷ f(generalized value)) over the cells: f counts rows of the original; `*` stands
    for all of them."""
    frequency = pairs.marginal(pairs.names[0])
    covered = _covered(pairs, frequency, spec)
    share = frequency[pairs.codes[0]] / covered[pairs.codes[1]]
    return float(np.dot(-np.log2(np.minimum(share, 1.0)), pairs.counts)) + 0.0


def _covered(pairs: FrequencyTable, frequency: Counts, spec: HierarchySpec | None) -> Floats:
    """The rows of the original whose value each reading could stand for."""
    labels = pairs.domains[1]
    found: Floats = np.bincount(pairs.codes[1], frequency[pairs.codes[0]], len(labels)).astype(np.float64)
    hierarchy = declared_hierarchy(spec, pairs.domains[0])
    if hierarchy is not None:
        under: dict[str, int] = {}
        for text, rows in zip(pairs.domains[0].texts, frequency.tolist(), strict=True):
            for label in set(hierarchy.paths.get(text, ())):
                under[label] = under.get(label, 0) + rows
        known = [(code, under[text]) for code, text in enumerate(labels.texts) if text in under]
        for code, rows in known:
            found[code] = max(found[code], rows)
    star = labels.find(SUPPRESSED)
    if star >= 0:
        found[star] = frequency.sum()
    return found


def levels_climbed(pairs: FrequencyTable, spec: HierarchySpec | None) -> float | None:
    """The mean of level ÷ height over the cells; None where a reading is not on the path of its value."""
    try:
        levels = levels_of(spec, pairs.domains[0])
    except EngineError:
        return None
    found = np.full(len(pairs), -1)
    for level in range(levels.height, -1, -1):
        places = _places(levels.labels[level], pairs.domains[1])[pairs.codes[1]]
        found[levels.from_values[level][pairs.codes[0]] == places] = level
    star = pairs.domains[1].find(SUPPRESSED)
    found[(pairs.codes[1] == star) & (found < 0)] = levels.height
    if (found < 0).any():
        return None
    return float(np.dot(found, pairs.counts) / levels.height / pairs.rows) if pairs.rows else None


def _places(labels: tuple[str, ...], readings: Domain) -> Codes:
    """Where each reading stands among the labels of a level; -1 for one that is none of them."""
    index = {text: place for place, text in enumerate(labels)}
    return np.array([index.get(text, -1) for text in readings.texts], np.int32)


def gone(table: FrequencyTable) -> FrequencyTable:
    """The pairs of a column of which nothing is released: every reading is `*`."""
    star = Domain(table.names[0], table.domains[0].kind, (SUPPRESSED,), np.zeros(1, bool))
    return FrequencyTable(
        (table.domains[0], star), (table.codes[0], np.zeros(len(table), np.int32)), table.counts
    )
