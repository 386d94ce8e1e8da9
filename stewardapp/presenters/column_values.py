"""The distinct values of one column with their counts, read from the sealed table for a preview of levels."""

import io
from collections import Counter
from typing import BinaryIO, cast

import numpy as np

from stewardapp import storage
from stewardapp.models import Column
from worker.engine.io.source import open_table

MOST_VALUES = 100_000
MOST_ROWS = 20_000_000


def previewable(column: Column) -> bool:
    """Whether the column is small enough to be looked at within a request."""
    version = column.version
    readable = version.table_id is not None and version.destroyed_at is None
    return readable and column.distinct <= MOST_VALUES and (version.rows or 0) <= MOST_ROWS


def values_of(column: Column) -> Counter[str]:
    """How many rows hold each value; missing values are left out. Ask `previewable` first."""
    table = column.version.table
    if table is None:
        return Counter()
    counts: Counter[str] = Counter()
    with storage.reading(table) as reader:
        source = open_table(cast(BinaryIO, io.BufferedReader(reader)))
        for chunk in source.chunks([column.name]):
            found = chunk[column.name]
            rows = np.bincount(found.codes, minlength=len(found.labels))
            for label, missing, count in zip(found.label_texts, found.missing, rows, strict=True):
                if count and not missing:
                    counts[label] += int(count)
    return counts
