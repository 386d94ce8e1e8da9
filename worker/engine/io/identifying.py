"""How identifying sets of columns are: the share of rows that no other row equals. Statistics only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np

from worker.engine.io.sketch import Hashes, Sketch, mixed
from worker.engine.keys import pack
from worker.engine.table import TableSource

COLUMNS = 6
MOST_WORK = 8_000_000
"""Sets times combinations that are looked at: a second or so."""
_CAPACITY = 1 << 16


def subsets(columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every set that can be made of the columns, small ones first."""
    for size in range(1, len(columns) + 1):
        yield from combinations(columns, size)


class Scan:
    """Counts all sets of up to six columns while the rows go by, in bounded memory."""

    def __init__(self, candidates: Sequence[str]) -> None:
        self.columns = tuple(candidates[:COLUMNS])
        self._sketches = {names: Sketch(_CAPACITY) for names in subsets(self.columns)}

    def see(self, numbers: Mapping[str, Hashes]) -> None:
        """Take in a batch: a number per row for each column, equal where the values are."""
        own = {
            name: mixed(numbers[name] + np.uint64(1 + position)) for position, name in enumerate(self.columns)
        }
        sums: dict[tuple[str, ...], Hashes] = {(): np.zeros(1, np.uint64)}
        for names, sketch in self._sketches.items():
            with np.errstate(over="ignore"):
                sums[names] = sums[names[:-1]] + own[names[-1]]
            sketch.add(mixed(sums[names]))

    def result(self) -> tuple[dict[str, Any], ...]:
        """The share of unique rows of each set."""
        return tuple(
            {
                "columns": list(names),
                "unique_share": round(sketch.unique_share, 6),
                "is_exact": sketch.is_exact,
            }
            for names, sketch in self._sketches.items()
        )


def identifying(table: TableSource, columns: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """The exact share of unique rows for the set and for its parts: all of them up to six columns; of more
    columns each alone, the set without each, then pairs, threes and so on as far as `MOST_WORK` goes."""
    wanted = list(columns)
    codes, sizes = _gathered(table, wanted)
    rows = len(codes[0]) if codes else 0
    counts = np.ones(rows, np.int64)
    if rows:
        _, first, counts = np.unique(pack(codes, sizes, rows), return_index=True, return_counts=True)
        codes = [column[first] for column in codes]
    most = MOST_WORK // max(len(counts), 1)
    return tuple(
        {
            "columns": list(names),
            "unique_share": _share(names, wanted, codes, sizes, counts),
            "is_exact": True,
        }
        for names in parts_of(wanted, most)
    )


def parts_of(columns: Sequence[str], most: int) -> list[tuple[str, ...]]:
    """The sets to be counted, small ones first; `most` of them, but no fewer than the ones named above."""
    if len(columns) <= COLUMNS:
        return list(subsets(columns))
    whole = tuple(columns)
    needed: list[tuple[str, ...]] = [(name,) for name in columns]
    needed += [tuple(name for name in columns if name != other) for other in columns]
    more = (one for size in range(2, len(columns) - 1) for one in combinations(columns, size))
    found = [*needed, *islice(more, max(0, most - len(needed) - 1))]
    return [*sorted(found, key=len), whole]


def _gathered(table: TableSource, columns: list[str]) -> tuple[list[Any], list[int]]:
    """Whole columns as codes, in which all missing values are one."""
    parts: list[list[Any]] = [[] for _ in columns]
    sizes = [1] * len(columns)
    for chunk in table.chunks(columns):
        for i, column in enumerate(chunk.columns):
            sizes[i] = max(sizes[i], len(column.labels) + 1)
            parts[i].append(np.where(column.missing_rows, 0, column.codes + 1))
    return [np.concatenate(part) if part else np.empty(0, np.int32) for part in parts], sizes


def _share(
    names: tuple[str, ...], all_names: list[str], codes: list[Any], sizes: list[int], counts: Any
) -> float:
    """Tuples of the whole set are added up, so that rows are touched once."""
    rows = int(counts.sum())
    if not rows:
        return 0.0
    at = [all_names.index(name) for name in names]
    _, inverse = np.unique(
        pack([codes[i] for i in at], [sizes[i] for i in at], len(counts)), return_inverse=True
    )
    totals = np.bincount(inverse.reshape(-1), weights=counts)
    return round(float(np.count_nonzero(totals == 1)) / rows, 6)
