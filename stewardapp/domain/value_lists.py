"""The values of a column as its reading kept them, so that no page opens a table."""

from __future__ import annotations

from collections import Counter
from typing import BinaryIO, cast

from stewardapp import storage
from stewardapp.models import Column
from worker.engine.io import value_counts

WITH_VALUES = "version__current__values_kept__key"
"""What a query of columns fetches beside them before their values are asked for."""


def previewable(column: Column) -> bool:
    """Whether the values of the column were kept."""
    return _kept(column) is not None


def values_of(column: Column) -> Counter[str]:
    """How many rows hold each value; missing values are left out. Ask `previewable` first."""
    found = _kept(column)
    return Counter() if found is None else found


def _kept(column: Column) -> Counter[str] | None:
    version = column.version
    blob = version.current.values_kept if version.current is not None else None
    if blob is None or version.destroyed_at is not None:
        return None
    try:
        with storage.reading(blob) as file:
            return value_counts.read(cast(BinaryIO, file), column.name)
    except (storage.Destroyed, FileNotFoundError):  # meanwhile
        return None
