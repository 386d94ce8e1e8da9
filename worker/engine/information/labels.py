"""What a released label leaves open: a share of the hierarchy, or of the range of numbers."""

from __future__ import annotations

from collections import Counter

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import Hierarchy, hierarchy_for
from worker.engine.information.bins import ORDERED, Line
from worker.engine.tables.column import SUPPRESSED, Floats
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.intervals import ends_of
from worker.engine.tables.keys import distinct
from worker.engine.tables.kinds import Kind


def declared_hierarchy(spec: HierarchySpec | None, domain: Domain) -> Hierarchy | None:
    """The hierarchy of a column; None where none was declared, or not one that fits."""
    if spec is None:
        return None
    try:
        return hierarchy_for(spec, domain)
    except EngineError:
        return None


def open_shares(pairs: FrequencyTable, kind: Kind, spec: HierarchySpec | None) -> Floats | None:
    """For each reading the share that it leaves open: 0 of a value, 1 of `*`; None where all is one value.

    By the rows of the hierarchy that a label covers; an interval by its width; any other label by the
    originals found under it.
    """
    hierarchy = declared_hierarchy(spec, pairs.domains[0])
    ordered = kind in ORDERED
    found = _spans(pairs, kind) if ordered else _choices(pairs)
    if found is None:
        return None
    if hierarchy is not None and len(hierarchy.rows) > 1:
        _by_hierarchy(found, pairs.domains[1], hierarchy)
    star = pairs.domains[1].find(SUPPRESSED)
    if star >= 0:
        found[star] = 1.0
    return found


def _by_hierarchy(found: Floats, labels: Domain, hierarchy: Hierarchy) -> None:
    """Labels above the values themselves cover so many rows."""
    covered: Counter[str] = Counter()
    for level in hierarchy.cover[1:]:
        covered |= level
    others = len(hierarchy.rows) - 1
    for code, text in enumerate(labels.texts):
        if text in covered and text not in hierarchy.paths:
            found[code] = (covered[text] - 1) / others


def _choices(pairs: FrequencyTable) -> Floats | None:
    """By how many of the original's values are found under a label."""
    values = len(pairs.domains[0])
    if values < 2:
        return None
    under = np.bincount(pairs.codes[1], minlength=len(pairs.domains[1]))
    return np.asarray((under - 1) / (values - 1))


def _spans(pairs: FrequencyTable, kind: Kind) -> Floats | None:
    """By how much of the range of numbers an interval covers, or the originals found under a label."""
    line = Line.of(pairs.only(pairs.names[:1]), kind)
    domain, labels = pairs.domains
    numbers = line.numbers(domain)[pairs.codes[0]]
    known = ~np.isnan(numbers)
    if not known.any() or len(distinct(numbers[known])) < 2:
        return None
    least, most = float(numbers[known].min()), float(numbers[known].max())
    low, high = np.full(len(labels), np.inf), np.full(len(labels), -np.inf)
    np.minimum.at(low, pairs.codes[1][known], numbers[known])
    np.maximum.at(high, pairs.codes[1][known], numbers[known])
    if kind is not Kind.DATE:
        for code in np.flatnonzero(np.isnan(labels.numbers)).tolist():
            if ends := ends_of(labels.text(code)):
                low[code], high[code] = max(ends[0], least), min(ends[1], most)
    return np.asarray(np.clip((high - low) / (most - least), 0.0, 1.0))
