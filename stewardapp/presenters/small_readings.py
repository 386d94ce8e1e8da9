"""Readings of the sealed table small enough for a request: values of a column, unique rows of a set."""

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

import numpy as np

from stewardapp import storage
from stewardapp.models import Column, Version
from worker.engine.errors import EngineError
from worker.engine.io.identifying import identifying
from worker.engine.io.source import open_table
from worker.engine.table import TableSource

MOST_VALUES = 100_000
MOST_ROWS = 20_000_000
MOST_ROWS_COUNTED = 100_000
MOST_COLUMNS_COUNTED = 100


def previewable(column: Column) -> bool:
    """Whether the column is small enough to be looked at within a request."""
    version = column.version
    return _readable(version) and column.distinct <= MOST_VALUES and (version.rows or 0) <= MOST_ROWS


def values_of(column: Column) -> Counter[str]:
    """How many rows hold each value; missing values are left out. Ask `previewable` first."""
    counts: Counter[str] = Counter()
    with _table(column.version) as source:
        for chunk in source.chunks([column.name]):
            found = chunk[column.name]
            rows = np.bincount(found.codes, minlength=len(found.labels))
            for label, missing, count in zip(found.label_texts, found.missing, rows, strict=True):
                if count and not missing:
                    counts[label] += int(count)
    return counts


def countable(version: Version, names: Sequence[str]) -> bool:
    """Whether the unique rows of this set can be counted within a request."""
    small = (version.rows or 0) <= MOST_ROWS_COUNTED and 0 < len(names) <= MOST_COLUMNS_COUNTED
    return small and _readable(version)


def count(version: Version, names: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """The share of unique rows of the set and of its parts; nothing when the table cannot be read."""
    try:
        with _table(version) as source:
            return identifying(source, names)
    except EngineError:
        return ()


def _readable(version: Version) -> bool:
    return version.current_id is not None and version.destroyed_at is None


@contextmanager
def _table(version: Version) -> Iterator[TableSource]:
    assert version.current is not None
    assert version.current.table is not None
    with storage.reading(version.current.table) as reader:
        yield open_table(cast(BinaryIO, io.BufferedReader(reader)))
