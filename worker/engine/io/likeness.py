"""By what two tables can be seen to be about the same people, without a value of either.

While a table is read, every value of a column gets a number under a key of the site (`kernels.keyed`), and
so does every row. Of each a fair sample is kept: all numbers while they are few, then those below a limit
that is halved whenever there are too many. Which are kept depends on the numbers alone, so that the samples
of two tables hold the same ones of what both have. They add up over chunks in any order.

    likeness = number of bytes of the head, head (JSON), samples one after the other (uint64, little-endian)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.tables.column import MISSING_TEXTS
from worker.engine.tables.dense import string_parts

Numbers = np.ndarray[Any, np.dtype[np.uint64]]

FORM = 1
"""Counted up when a value's normal form changes: what was numbered otherwise is not compared."""
FEWEST = 100
"""Of fewer different values nothing is kept: they could never be enough."""
_LARGEST, _SMALLEST, _ALL = 1 << 16, 1 << 12, 1 << 22
_HEAD = 8


@dataclass(frozen=True)
class Sample:
    """Numbers below a limit that was halved so many times."""

    numbers: Numbers
    halvings: int = 0

    @property
    def size(self) -> int:
        """How many different values there are, as far as the sample tells."""
        return len(self.numbers) << self.halvings

    def shared_with(self, other: Sample) -> int:
        """How many values both have, as far as the samples tell."""
        halvings = max(self.halvings, other.halvings)
        own, others = (one._below(halvings) for one in (self, other))
        return len(np.intersect1d(own, others, assume_unique=True)) << halvings

    def with_all_of(self, other: Sample) -> Sample:
        """The sample of both together."""
        halvings = max(self.halvings, other.halvings)
        return Sample(np.union1d(self._below(halvings), other._below(halvings)), halvings)

    def _below(self, halvings: int) -> Numbers:
        return self.numbers[self.numbers <= limit_of(halvings)]


def limit_of(halvings: int) -> np.uint64:
    """The largest number that is kept."""
    return np.uint64((1 << (64 - halvings)) - 1)


class Sampler:
    """Gathers a sample, in memory that does not grow with the data."""

    def __init__(self, capacity: int) -> None:
        self._capacity, self._halvings = capacity, 0
        self._grow(64)

    def _grow(self, capacity: int, held: Numbers | None = None) -> None:
        """A table with room for so many, and what is in it already."""
        room = min(capacity, self._capacity)
        self._table: Numbers = np.zeros(1 << (2 * room - 1).bit_length(), np.uint64)
        self._state = np.array([limit_of(self._halvings), 0, room], np.uint64)
        if held is not None:
            self.add(held)

    def add(self, numbers: Numbers, used: np.ndarray[Any, np.dtype[np.bool_]] | None = None) -> None:
        """Take in values, of which some may have come before."""
        from worker.engine.kernels import keyed

        wanted = np.ones(len(numbers), np.bool_) if used is None else used
        start = 0
        while (start := keyed.keep(numbers, wanted, start, self._table, self._state)) < len(numbers):
            held, room = self.numbers, int(self._state[2])
            if room == self._capacity:
                self._halvings += 1
                held = held[held <= limit_of(self._halvings)]
            self._grow(2 * room, held)

    @property
    def numbers(self) -> Numbers:
        """What was kept."""
        held: Numbers = self._table[self._table != 0]
        return held

    def sample(self, key: Numbers, without: Numbers | None = None) -> Sample:
        """The sample as it may be kept."""
        from worker.engine.kernels import keyed

        found = self.numbers
        found = found if without is None else found[~np.isin(found, without)]
        kept = np.empty_like(found)
        keyed.concealed(found, key, kept)
        return Sample(kept, self._halvings)


@dataclass(frozen=True, slots=True)
class Numbered:
    """The numbers of a batch: of each column's values, and which of them occur; of its rows."""

    columns: list[tuple[Numbers, np.ndarray[Any, np.dtype[np.bool_]]]]
    rows: Numbers


class Likenesses:
    """Samples of every column and of the rows of one table, gathered while its batches go by."""

    def __init__(self, names: Iterable[str], missing: Iterable[str], key: bytes) -> None:
        self._names = tuple(names)
        self._key = np.frombuffer(key, "<u8", 2)
        self._missing = self._numbered(pa.array(sorted({*missing, *MISSING_TEXTS}), pa.string()))
        self._columns = self._numbered(pa.array(self._names, pa.string()))
        capacity = max(_SMALLEST, min(_LARGEST, _ALL // max(1, len(self._names))))
        self._samplers = [Sampler(capacity) for _ in self._names]
        self._rows, self._seen = Sampler(capacity), 0

    def see(self, batch: pa.RecordBatch) -> None:
        """Take in a batch."""
        self.add(self.numbered(batch))

    def numbered(self, batch: pa.RecordBatch) -> Numbered:
        """The numbers of a batch: any thread may work them out, in any order."""
        from worker.engine.kernels import keyed

        rows = np.zeros(batch.num_rows, np.uint64)
        columns = []
        for column, name in zip(batch.columns, self._columns, strict=True):
            values = self._numbered(column.dictionary)
            used = np.zeros(len(values), np.bool_)
            keyed.add_to_rows(column.indices.fill_null(-1).to_numpy(), values, name, rows, used)
            columns.append((values, used))
        return Numbered(columns, rows)

    def add(self, batch: Numbered) -> None:
        """Take in the numbers of a batch."""
        for sampler, (values, used) in zip(self._samplers, batch.columns, strict=True):
            sampler.add(values, used)
        self._rows.add(batch.rows)
        self._seen += len(batch.rows)

    def _numbered(self, texts: pa.Array) -> Numbers:
        from worker.engine.kernels import keyed

        found, strange = np.empty(len(texts), np.uint64), np.empty(len(texts), np.bool_)
        data, offsets = string_parts(texts.fill_null("") if texts.null_count else texts)
        if keyed.numbers(data, offsets, self._key, found, strange):
            data, offsets = string_parts(_composed(texts.filter(pa.array(strange))))
            others = np.empty(int(strange.sum()), np.uint64)
            keyed.plain_numbers(data, offsets, self._key, others)
            found[strange] = others
        return found

    def write(self, file: BinaryIO) -> None:
        """Keep what can tell people apart, rows only where at least half of them differ; or write nothing."""
        of_columns = (sampler.sample(self._key, self._missing) for sampler in self._samplers)
        found = {name: one for name, one in zip(self._names, of_columns, strict=True) if one.size >= FEWEST}
        rows = self._rows.sample(self._key)
        whole = rows if rows.size >= FEWEST and self._seen <= 2 * rows.size else None
        if found or whole:
            _write(file, found, whole)


def _composed(texts: pa.Array) -> pa.Array:
    """The normal form of texts that are not ASCII: compatibility forms composed, small letters, trimmed."""
    return pc.utf8_trim_whitespace(pc.utf8_lower(pc.utf8_normalize(texts, form="NFKC")))


def _write(file: BinaryIO, columns: Mapping[str, Sample], rows: Sample | None) -> None:
    whole = [] if rows is None else [rows]
    samples = [*columns.values(), *whole]
    said = [[len(one.numbers), one.halvings] for one in samples]
    head = json.dumps({"form": FORM, "columns": list(columns), "rows": bool(whole), "samples": said}).encode()
    file.write(len(head).to_bytes(_HEAD, "little") + head)
    for one in samples:
        file.write(one.numbers.astype("<u8").tobytes())


def read(file: BinaryIO, column: str | None) -> Sample | None:
    """The sample of a column, or of the rows; None where nothing was kept of it."""
    file.seek(0)
    head = int.from_bytes(file.read(_HEAD), "little")
    if not head:
        return None
    said = json.loads(file.read(head))
    names = [*said["columns"], *([None] if said["rows"] else [])]
    if said["form"] != FORM or column not in names:
        return None
    at = names.index(column)
    count, halvings = said["samples"][at]
    before = list(accumulate((one[0] for one in said["samples"]), initial=0))[at]
    file.seek(_HEAD + head + 8 * before)
    return Sample(np.frombuffer(file.read(8 * count), "<u8"), halvings)
