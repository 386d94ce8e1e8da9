"""Pairs of originals and readings, written down."""

import numpy as np

from worker.engine.tables.column import Column
from worker.engine.tables.counting import Counter
from worker.engine.tables.frequency import FrequencyTable
from worker.engine.tables.kinds import Kind


def pairs_of(pairs: list[tuple[str, str]], kind: Kind = Kind.CATEGORICAL) -> FrequencyTable:
    """How often each original became each reading."""
    counter = Counter([("original x", kind), ("released x", kind)], None, None)
    was, became = zip(*pairs, strict=True)
    columns = {"original x": Column.of_texts("original x", was, kind)}
    columns["released x"] = Column.of_texts("released x", became, kind)
    counter.add(columns, len(pairs))
    return counter.table()


def by_reading(pairs: FrequencyTable, found: np.ndarray) -> dict[str, float]:
    return dict(zip(pairs.domains[1].texts, found.tolist(), strict=True))
