"""A frequency table that is longer than memory allows: its tuples lie in parts, sealed outside memory.

Equal tuples are in the same part, so each part is a frequency table by itself. Whoever can add up over parts
asks for `pieces`, which a table in memory has too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from worker.engine.tables.column import Codes, Mask
from worker.engine.tables.frequency import Counts, Domain, FrequencyTable
from worker.engine.tables.keys import group, narrow, ordered, pack
from worker.engine.tables.scratch import Place, Shelf

PARTS = 128
BYTES_PER_TUPLE = 256
"""A tuple takes up to so much of the memory given while it is worked with; what is more goes into parts."""
MOST_HELD = 1 << 21
"""More tuples go into parts where nobody said how much memory there is, too: nearly distinct rows of a large
file would be held once more for every question about many columns."""
MIXER = 0x9E3779B97F4A7C15

Arrays = tuple[tuple[str, ...], bytes | Place]


def most_tuples(memory: int | None) -> int:
    """How many tuples may be held at once."""
    return MOST_HELD if memory is None else max(memory // BYTES_PER_TUPLE, 1)


@dataclass
class Parts:
    """Tuples put away by part, in codes that may still change."""

    shelf: Shelf
    rows: int = 0
    tuples: int = 0
    _kept: list[list[Arrays]] = field(default_factory=lambda: [[] for _ in range(PARTS)])
    _occurs: list[Mask] = field(default_factory=list)

    def add(self, codes: Sequence[Codes], sizes: Sequence[int], counts: Counts) -> None:
        """Put away some tuples, each in its part."""
        self.rows += int(counts.sum())
        self.tuples += len(counts)
        self._note(codes, sizes)
        to = _parts_of(codes)
        order = np.argsort(to, kind="stable")
        ends = np.cumsum(np.bincount(to, minlength=PARTS))
        columns = [
            *(one.astype(narrow(size))[order] for one, size in zip(codes, sizes, strict=True)),
            shortened(counts)[order],
        ]
        for part, (start, end) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)):
            if start < end:
                self._kept[part].append(put_away(self.shelf, [column[start:end] for column in columns]))

    def occurs(self, column: int) -> Mask:
        """Which codes of a column occur."""
        return self._occurs[column]

    def holds(self, number: int) -> bool:
        """Whether a part holds something that was not taken."""
        return bool(self._kept[number])

    def take(self, number: int) -> tuple[list[Codes], Counts]:
        """Everything of one part, as it was put away; it is not kept any longer."""
        pieces = [taken_out(self.shelf, kept) for kept in self._kept[number]]
        self._kept[number] = []
        columns = [np.concatenate(parts) for parts in zip(*pieces, strict=True)]
        return columns[:-1], columns[-1].astype(np.int64)

    def _note(self, codes: Sequence[Codes], sizes: Sequence[int]) -> None:
        self._occurs = self._occurs or [np.zeros(0, bool) for _ in codes]
        for at, (column, size) in enumerate(zip(codes, sizes, strict=True)):
            grown = np.zeros(size, bool)
            grown[: len(self._occurs[at])] = self._occurs[at]
            grown[column] = True
            self._occurs[at] = grown


def _parts_of(codes: Sequence[Codes]) -> Codes:
    """The part of each tuple: the same for equal codes, whatever the other tuples are."""
    mixed = np.zeros(len(codes[0]), np.uint64)
    for column in codes:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(MIXER)
        mixed ^= mixed >> np.uint64(29)
    return (mixed % np.uint64(PARTS)).astype(np.uint8)


def shortened(counts: Counts) -> Codes:
    """The same numbers in fewer bytes where they are small."""
    most = int(counts.max(initial=0))
    return counts.astype(narrow(most + 1) if most < 1 << 31 else np.int64)


def put_away(shelf: Shelf, arrays: Sequence[np.ndarray[Any, Any]]) -> Arrays:
    """Keep arrays of one length together."""
    kinds = tuple(array.dtype.str for array in arrays)
    return kinds, shelf.put(b"".join(array.tobytes() for array in arrays))


def taken_out(shelf: Shelf, kept: Arrays) -> list[np.ndarray[Any, Any]]:
    """The same arrays."""
    held, arrays, start = shelf.get(kept[1]), [], 0
    kinds = [np.dtype(kind) for kind in kept[0]]
    length = len(held) // sum(kind.itemsize for kind in kinds)
    for kind in kinds:
        arrays.append(np.frombuffer(held, kind, length, start))
        start += length * kind.itemsize
    return arrays


@dataclass(frozen=True)
class LongTable:
    """Looks like a frequency table from outside; only its pieces hold tuples."""

    domains: tuple[Domain, ...]
    places: tuple[Codes | None, ...]
    """Where the codes that were put away stand in the domains; None where they are right as they are."""
    parts: Parts
    persons: None = None
    weights: None = None
    _settled: dict[int, Arrays] = field(default_factory=dict)

    def __len__(self) -> int:
        """At most so many tuples; some may have been put away more than once."""
        return self.parts.tuples

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order asked for."""
        return tuple(domain.name for domain in self.domains)

    @property
    def rows(self) -> int:
        """How many rows were counted."""
        return self.parts.rows

    def domain(self, name: str) -> Domain:
        """The values of a column."""
        return self.domains[self.names.index(name)]

    def pieces(self) -> Iterator[FrequencyTable]:
        """All tuples, each once, a part at a time."""
        for number in range(PARTS):
            if self.parts.holds(number):
                self._settled[number] = self._settle(*self.parts.take(number))
            if number in self._settled:
                *codes, counts = taken_out(self.parts.shelf, self._settled[number])
                yield FrequencyTable(self.domains, tuple(codes), counts.astype(np.int64))

    def _settle(self, given: Sequence[Codes], counts: Counts) -> Arrays:
        """Put a part away again, each tuple once and in the codes of the domains."""
        sizes = [len(domain) for domain in self.domains]
        codes = [
            one if places is None else places[one] for one, places in zip(given, self.places, strict=True)
        ]
        groups = group(pack(codes, sizes, len(counts)))
        kept = [one[groups.first].astype(narrow(size)) for one, size in zip(codes, sizes, strict=True)]
        return put_away(self.parts.shelf, [*kept, shortened(groups.sum(counts))])

    def whole(self) -> FrequencyTable:
        """In memory after all."""
        pieces = list(self.pieces())
        codes = [np.concatenate(parts) for parts in zip(*(piece.codes for piece in pieces), strict=True)]
        counts = np.concatenate([piece.counts for piece in pieces])
        order = ordered(pack(codes, [len(domain) for domain in self.domains], len(counts)))
        return FrequencyTable(self.domains, tuple(column[order] for column in codes), counts[order])


Tuples = FrequencyTable | LongTable
"""A table to be asked for its pieces."""
