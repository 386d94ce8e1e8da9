"""The values of columns with their rows, kept from the reading: pages ask for them and open no table.

A column is kept as long as it has at most so many different values, in so many bytes of text; of any other
nothing is kept. Missing values are left out.

    counts = number of bytes of the head, head (JSON: where each column lies), columns one by one (JSON)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

MOST_VALUES = 100_000
"""Different values of one column."""
_MOST_BYTES, _ALL_BYTES = 1 << 24, 1 << 28
_HEAD = 8
_VALUE, _ROWS = "value", "rows"

Counts = np.ndarray[Any, np.dtype[np.int64]]
Places = dict[str, tuple[int, int]]


class ColumnCounts:
    """Gathers the values of one column, batch by batch."""

    def __init__(self, columns: int = 1) -> None:
        self._room = min(_MOST_BYTES, _ALL_BYTES // max(columns, 1))
        self._pieces: list[pa.Table] = []
        self._added = self._bytes = 0
        self.kept = True

    def add(self, texts: pa.Array, rows: Counts) -> None:
        """Take in the values of a batch, each named once."""
        if not self.kept or not len(texts):
            return
        self._pieces.append(pa.table({_VALUE: texts, _ROWS: rows}))
        self._added += len(texts)
        self._bytes += texts.nbytes
        if self._added > MOST_VALUES or self._bytes > self._room:
            self._join()

    def _join(self) -> None:
        """Name each value once again; give up a column that holds too many."""
        whole = pa.concat_tables(self._pieces)
        summed = whole.group_by(_VALUE, use_threads=False).aggregate([(_ROWS, "sum")])
        summed = pa.table({_VALUE: summed[_VALUE], _ROWS: summed[f"{_ROWS}_sum"]})
        self.kept = len(summed) <= MOST_VALUES and summed[_VALUE].nbytes <= self._room
        self._pieces = [summed] if self.kept else []
        self._added, self._bytes = 0, 0

    def as_json(self) -> bytes:
        """The values and their rows, side by side."""
        if self._pieces:
            self._join()
        if not self.kept:
            return b""
        if not self._pieces:
            return b"[[], []]"
        (found,) = self._pieces
        return json.dumps([found[_VALUE].to_pylist(), found[_ROWS].to_pylist()], ensure_ascii=False).encode()


def write(file: BinaryIO, columns: Mapping[str, ColumnCounts]) -> None:
    """Everything that is kept, column by column."""
    found = {name: content for name, one in columns.items() if one.kept and (content := one.as_json())}
    places: Places = {}
    offset = 0
    for name, content in found.items():
        places[name] = (offset, len(content))
        offset += len(content)
    head = json.dumps(places, ensure_ascii=False).encode()
    file.write(len(head).to_bytes(_HEAD, "little") + head)
    for content in found.values():
        file.write(content)


def read(file: BinaryIO, column: str) -> Counter[str] | None:
    """How many rows hold each value of a column; None when they were not kept."""
    length = int.from_bytes(file.read(_HEAD), "little")
    places: Places = json.loads(file.read(length) or b"{}")
    if column not in places:
        return None
    offset, size = places[column]
    file.seek(_HEAD + length + offset)
    values, rows = json.loads(file.read(size))
    return Counter(dict(zip(values, rows, strict=True)))
