"""Distinct combinations of codes with their rows; what is too much lies in parts, sealed outside memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worker.engine.tables.scratch import Place, Shelf

PARTS = 64
BYTES_HELD = 48_000_000
"""Parts are held in memory up to this size."""
MERGE_AT = 1_000_000

Kept = list[tuple[str, bytes | Place]]


class Tally:
    """Rows are counted as they come; more than `most` combinations are too many to hold."""

    def __init__(self, most: float) -> None:
        self._most = most
        self._begin()

    def _begin(self) -> None:
        self._waiting, self._merge_at = 0, min(self._most, MERGE_AT)
        self._tables: list[list[Any]] = []

    def add(self, columns: Sequence[Any]) -> bool:
        """Count the rows of a piece; False when they should be `taken` before there are more."""
        if len(columns[0]):
            self._tables.append(counted([*columns, np.ones(len(columns[0]), np.int64)]))
            self._waiting += len(self._tables[-1][0])
        if self._waiting > self._merge_at:
            self._merge()
            self._merge_at = max(self._merge_at, 2 * self._waiting)
        return self._merge_at <= self._most

    def _merge(self) -> None:
        if len(self._tables) > 1:
            self._tables = [counted([np.concatenate(parts) for parts in zip(*self._tables, strict=True)])]
            self._waiting = len(self._tables[0][0])

    def columns(self) -> list[Any]:
        """The combinations in ascending order, column by column; the last is the number of rows."""
        self._merge()
        return self._tables[0] if self._tables else []

    def taken(self) -> list[Any]:
        """The same, which are no longer held."""
        columns = self.columns()
        self._begin()
        return columns


class Parts:
    """Combinations put away by part."""

    def __init__(self, held: int = BYTES_HELD) -> None:
        self._shelf = Shelf(held)
        self._kept: list[list[Kept]] = [[] for _ in range(PARTS)]

    def deal(self, columns: Sequence[Any], to: Any) -> None:
        """Put away each combination in the part it belongs to."""
        order = np.argsort(to, kind="stable")
        columns = [column[order] for column in columns]
        ends = np.cumsum(np.bincount(to, minlength=PARTS)).tolist()
        for part, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            if start < end:
                some = (column[start:end] for column in columns)
                self._kept[part].append([(one.dtype.str, self._shelf.put(one.tobytes())) for one in some])

    def take(self, part: int) -> list[Any]:
        """Everything in a part, which is not kept any longer; nothing when it is empty."""
        pieces, self._kept[part] = self._kept[part], []
        columns = zip(*pieces, strict=True)
        return [np.concatenate([self._got(*one) for one in column]) for column in columns]

    def _got(self, kind: str, kept: bytes | Place) -> Any:
        return np.frombuffer(self._shelf.get(kept), np.dtype(kind))


def counted(columns: Sequence[Any]) -> list[Any]:
    """Equal combinations as one, their counts (the last column) added up; in ascending order."""
    *codes, counts = columns
    order = np.argsort(key) if (key := _key(codes)) is not None else np.lexsort(codes[::-1])
    starts = np.flatnonzero(_fresh(codes if key is None else [key], order))
    return [*(column[order[starts]] for column in codes), np.add.reduceat(counts[order], starts)]


def distinct(*columns: Any) -> tuple[Any, ...]:
    """The distinct combinations of some columns."""
    order = np.lexsort(columns[::-1])
    fresh = _fresh(columns, order)
    return tuple(column[order][fresh] for column in columns)


def _fresh(columns: Sequence[Any], order: Any) -> Any:
    """Which rows, in this order, differ from the one before."""
    fresh = np.zeros(len(order), bool)
    fresh[:1] = True
    for column in columns:
        ordered = column[order]
        fresh[1:] |= ordered[1:] != ordered[:-1]
    return fresh


def _key(codes: Sequence[Any]) -> Any:
    """One whole number per combination, when that fits into 63 bits: one column is quicker to sort."""
    key, span = np.zeros(len(codes[0]), np.int64), 1
    for column in codes:
        low = int(column.min(initial=0))
        size = int(column.max(initial=0)) - low + 1
        span *= size
        if span >= 1 << 62:
            return None
        key = key * size + (column.astype(np.int64) - low)
    return key


def parts_of(columns: Sequence[Any], rows: int) -> Any:
    """The part of each row: the same for equal codes."""
    mixed = np.zeros(rows, np.uint64)
    with np.errstate(over="ignore"):
        for column in columns:
            mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
    return (mixed % np.uint64(PARTS)).astype(np.int64)
