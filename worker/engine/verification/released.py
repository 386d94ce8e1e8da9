"""The released bytes as integers: read again and again, a piece at a time, with our own list of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from worker.engine.errors import EngineError
from worker.engine.io import formats
from worker.engine.io.csv_reader import CsvReader
from worker.engine.io.dialect import DELIMITERS, Dialect, sniff
from worker.engine.io.foreign import readable
from worker.engine.io.formulas import defused_name
from worker.engine.io.limits import Limits
from worker.engine.io.parquet_reader import ParquetReader
from worker.engine.verification.tallying import PARTS, Parts, distinct, parts_of

Codes = np.ndarray[Any, np.dtype[np.int32]]
Persons = np.ndarray[Any, np.dtype[np.int64]]


class Vocabulary:
    """Numbers texts in the order in which they are met. A null is the empty text."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def encode(self, column: pa.DictionaryArray) -> Codes:
        """A number for each row."""
        numbers = self._numbers
        own = [numbers.setdefault(text or "", len(numbers)) for text in column.dictionary.to_pylist()]
        own.append(numbers.setdefault("", len(numbers)))
        codes: Codes = np.asarray(own, np.int32)[column.indices.fill_null(-1).to_numpy()]
        return codes

    def find(self, text: str) -> int:
        """The number of a text; -1 when no row holds it."""
        return self._numbers.get(text, -1)

    def texts(self) -> list[str]:
        """All texts, by number."""
        return list(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class Released:
    """A released CSV or Parquet file. `persons` holds a 64-bit little-endian number per released row."""

    def __init__(self, file: BinaryIO, expected: Sequence[str] = (), persons: BinaryIO | None = None) -> None:
        self._file, self._persons = readable(file), persons
        self._dialect: Dialect | None = None
        if formats.detect(self._file) == formats.CSV:
            self._dialect = self._fitting(
                sniff(file, suggesting=False), frozenset(map(defused_name, expected))
            )
        self.names: tuple[str, ...] = self._reader().names
        self._vocabularies: dict[str, Vocabulary] = {}
        self._distributions: dict[str, Persons] = {}

    def _reader(self) -> CsvReader | ParquetReader:
        if self._dialect is None:
            return ParquetReader(self._file, Limits())
        return CsvReader(self._file, self._dialect, Limits())

    def _fitting(self, sniffed: Dialect, expected: frozenset[str]) -> Dialect:
        """The delimiter under which most of the recipe's columns are there; else the one that was found."""
        others = (replace(sniffed, delimiter=mark) for mark in DELIMITERS)
        return max((sniffed, *others), key=lambda dialect: len(expected & self._names_under(dialect)))

    def _names_under(self, dialect: Dialect) -> frozenset[str]:
        try:
            return frozenset(CsvReader(self._file, dialect, Limits()).names)
        except EngineError:
            return frozenset()

    @property
    def knows_persons(self) -> bool:
        """Whether distinct persons can be counted."""
        return self._persons is not None

    def name_of(self, column: str) -> str | None:
        """What a column of the recipe is called in the file; None when it was not released."""
        return next((name for name in (column, defused_name(column)) if name in self.names), None)

    def vocabulary(self, name: str) -> Vocabulary:
        """The texts of a column met so far."""
        return self._vocabularies.setdefault(name, Vocabulary())

    def distribution(self, name: str) -> Persons:
        """How many rows of the whole file (or distinct persons) hold each text, by number."""
        if name not in self._distributions:
            pieces = ((codes, persons) for _, (codes,), persons in self.pieces((name,)))
            each = _persons_apart(pieces) if self.knows_persons else (codes for codes, _ in pieces)
            total = np.zeros(0, np.int64)
            for codes in each:
                found = np.bincount(codes, minlength=len(self.vocabulary(name)))
                found[: len(total)] += total
                total = found
            self._distributions[name] = total
        return self._distributions[name]

    def texts(self, name: str) -> list[str]:
        """The texts of a column met so far, by number."""
        return self.vocabulary(name).texts()

    def pieces(self, names: Sequence[str]) -> Iterator[tuple[int, list[Codes], Persons | None]]:
        """From the first row to the last: how many rows, the columns, and who each row is about."""
        first = 0
        for batch in self._batches(names):
            at = [batch.schema.names.index(name) for name in names]
            columns = [
                self.vocabulary(name).encode(batch.column(i)) for name, i in zip(names, at, strict=True)
            ]
            yield batch.num_rows, columns, self._persons_of(first, batch.num_rows)
            first += batch.num_rows
        if self._persons is not None and self._persons_of(first, 1, final=True) is not None:
            raise _persons_misfit()

    def _batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """At least the columns asked for; without any, one that tells the number of rows."""
        reader = self._reader()
        if isinstance(reader, ParquetReader):
            return reader.batches(names or reader.names[:1])
        return reader.batches()

    def _persons_of(self, first: int, rows: int, final: bool = False) -> Persons | None:
        if self._persons is None:
            return None
        self._persons.seek(first * 8)
        read = self._persons.read(rows * 8)
        if len(read) % 8:
            raise _persons_misfit()
        numbers = np.frombuffer(read, "<i8").astype(np.int64)
        if final:
            return numbers if len(numbers) else None
        if len(numbers) != rows:
            raise _persons_misfit()
        return numbers


def _persons_apart(pieces: Iterator[tuple[Codes, Any]]) -> Iterator[Codes]:
    """A code for every text of every person, however many rows say so."""
    parts = Parts()
    for codes, persons in pieces:
        pairs = distinct(codes, persons)
        parts.deal(pairs, parts_of(pairs[1:], len(pairs[0])))
    for part in range(PARTS):
        if pairs := tuple(parts.take(part)):
            yield distinct(*pairs)[0]


def _persons_misfit() -> EngineError:
    return EngineError(
        "verify-persons", "The list of persons does not fit the rows of the release. Run it again."
    )
