"""What a table is like: kinds, counts, shapes, suggested roles, how identifying. Aggregates only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Required, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.arrays import Longs
from worker.engine.io.dialect import Dialect, DialectJson
from worker.engine.io.identifying import Scan, SetJson
from worker.engine.io.kinds import Fitting, KindGuess
from worker.engine.io.masks import ROWS, masked
from worker.engine.io.shapes import BARS, NumberSample, has_range, scaled
from worker.engine.io.sketch import Hashes, Sketch, hashes
from worker.engine.io.suggestions import SAMPLE, Looks, Seen, alone, suggest
from worker.engine.io.tuples import Coded
from worker.engine.io.value_counts import ColumnCounts
from worker.engine.io.words import Hint
from worker.engine.tables.column import MISSING_TEXTS
from worker.engine.tables.kinds import Role

if TYPE_CHECKING:
    from worker.engine.io.foreign import OfFile

_SKETCHED = 1 << 22
_SMALLEST, _LARGEST = 1 << 11, 1 << 18

Codes = np.ndarray[Any, np.dtype[np.int32]]


class ColumnJson(TypedDict, total=False):
    """A column in the profile; label and categories are what the file itself says of it."""

    name: Required[str]
    position: int
    kind: Required[str]
    distinct: int
    distinct_is_exact: bool
    missing: int
    shape: list[int]
    shape_kind: str
    unique_share: float
    few_share: float
    suggested_role: str
    reason: str
    label: str
    categories: Sequence[str]


class ProfileJson(TypedDict, total=False):
    """A profile as it is stored and shown."""

    rows: Required[int]
    dialect: DialectJson
    columns: Required[list[ColumnJson]]
    preview: list[list[str | None]]
    identifying: list[SetJson]


@dataclass(frozen=True)
class Profile:
    """The profile of one table. `as_json` is what is stored and shown."""

    rows: int
    dialect: Dialect
    columns: tuple[ColumnJson, ...]
    preview: tuple[tuple[str | None, ...], ...]
    identifying: tuple[SetJson, ...]

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column."""
        return {column["name"]: column["kind"] for column in self.columns}

    def described(self, said: Mapping[str, OfFile]) -> Profile:
        """With what the file itself says of its columns: label, kind, categories in their order."""
        columns = tuple(_described(column, said.get(column["name"], {})) for column in self.columns)
        return replace(self, columns=columns)

    def as_json(self) -> ProfileJson:
        """Plain JSON values."""
        return {
            "rows": self.rows,
            "dialect": self.dialect.as_json(),
            "columns": list(self.columns),
            "preview": [list(row) for row in self.preview],
            "identifying": list(self.identifying),
        }


def _described(column: ColumnJson, said: OfFile) -> ColumnJson:
    return {**column, **said}


@dataclass(frozen=True, slots=True)
class ColumnPart:
    """What there is to know of one column of a batch."""

    coded: Coded
    labels: pa.Array
    texts: pa.Array
    """Those that occur and are no missing codes, with their rows and numbers."""
    rows: Longs
    numbers: Hashes
    fitting: Fitting | None
    looks: Looks


class ColumnProfiler:
    """Gathers what is to be known of one column, batch by batch."""

    def __init__(
        self, name: str, missing: frozenset[str], columns: int, counts: ColumnCounts | None = None
    ) -> None:
        self._name, self._missing = name, pa.array(sorted(missing | MISSING_TEXTS), pa.string())
        capacity = min(_LARGEST, max(_SMALLEST, _SKETCHED // columns))
        self._sketch, self._kind, self._looks = Sketch(capacity), KindGuess(), Looks()
        self._numbers: NumberSample | None = NumberSample()
        self._rows = self._missing_rows = 0
        self._counts = counts
        self._seen_before: tuple[bytes, Looks] = b"", Looks()

    def part(self, column: pa.DictionaryArray) -> ColumnPart:
        """Look at a batch: any thread may, in any order."""
        labels = column.dictionary
        codes: Codes = column.indices.fill_null(-1).to_numpy()
        present = ~pc.is_in(labels, self._missing).to_numpy(zero_copy_only=False)
        counts = np.bincount(codes[codes >= 0], minlength=len(labels))
        used = present & (counts > 0)
        texts = labels.filter(pa.array(used))
        numbers = hashes(texts)
        of_labels = np.zeros(len(labels) + 1, np.uint64)  # missing values are one value, the number 0
        of_labels[:-1][used] = numbers
        here = np.append(used, False)[codes]
        coded = Coded(np.where(here, codes, len(labels)).astype(np.int32), of_labels)
        fitting, looks = self._kind.looked_at(texts), self._looks_at(texts, numbers)
        return ColumnPart(coded, labels, texts, counts[used].astype(np.int64), numbers, fitting, looks)

    def _looks_at(self, texts: pa.Array, numbers: Hashes) -> Looks:
        """Of few texts, those of another batch are mostly the same ones."""
        if len(texts) > SAMPLE:
            return Looks.at(texts)
        which, (known, looks) = np.sort(numbers).tobytes(), self._seen_before
        if which != known:
            looks = Looks.at(texts)
            self._seen_before = which, looks
        return looks

    def add(self, part: ColumnPart) -> None:
        """Take in a batch; in the order of the rows."""
        rows = len(part.coded.codes)
        self._sketch.add(part.numbers, part.rows)
        self._kind.add(part.fitting)
        self._looks += part.looks
        if self._counts is not None:
            self._counts.add(part.texts, part.rows)
        codes = part.coded.codes
        self._sample(np.where(codes < len(part.labels), codes, np.int32(-1)), part.labels)
        self._rows += rows
        self._missing_rows += rows - int(part.rows.sum())

    def _sample(self, codes: Codes, labels: pa.Array) -> None:
        """Numbers are kept only as long as the column may be one of numbers or dates."""
        if self._numbers is None:
            return
        if self._kind.any and not has_range(self._kind.kind(3)):
            self._numbers = None
        else:
            self._numbers.see(codes, labels, self._rows)

    @property
    def seen(self) -> Seen:
        """What is known so far."""
        sketch = self._sketch
        kind = self._kind.kind(sketch.distinct)
        rows = self._rows - self._missing_rows
        return Seen(
            self._name,
            kind,
            sketch.distinct,
            rows,
            sketch.all_differ,
            sketch.unique_share,
            self._looks,
            self._kind.date_forms,
        )

    def result(self, position: int, hint: Hint | None) -> ColumnJson:
        """The column's entry in the profile. Its unique share counts all rows, as the scan does."""
        seen = self.seen
        on_a_line = has_range(seen.kind) and self._numbers is not None and seen.distinct > BARS
        return {
            "name": self._name,
            "position": position,
            "kind": seen.kind.value,
            "distinct": seen.distinct,
            "distinct_is_exact": self._sketch.is_exact,
            "missing": self._missing_rows,
            "shape": self._heights(on_a_line),
            "shape_kind": "histogram" if on_a_line else "largest",
            "unique_share": round(seen.unique_share * seen.rows / self._rows, 6) if self._rows else 0.0,
            "few_share": round(self._sketch.few_share * seen.rows / self._rows, 6) if self._rows else 0.0,
            "suggested_role": hint.role.value if hint else "",
            "reason": hint.reason if hint else "",
        }

    def _heights(self, on_a_line: bool) -> list[int]:
        if on_a_line and self._numbers is not None:
            return self._numbers.heights()
        return scaled(self._sketch.largest(BARS))


class Profiler:
    """Gathers a table's profile while its batches go by."""

    def __init__(
        self,
        names: tuple[str, ...],
        dialect: Dialect,
        counts: Mapping[str, ColumnCounts] | None = None,
    ) -> None:
        self._names, self._dialect, self._rows = names, dialect, 0
        self._missing = frozenset(dialect.missing) | MISSING_TEXTS
        self._columns = [
            ColumnProfiler(name, self._missing, len(names), (counts or {}).get(name)) for name in names
        ]
        self._scan: Scan | None = None
        self._preview: tuple[tuple[str | None, ...], ...] = ()

    def see(self, batch: pa.RecordBatch) -> None:
        """Take in a batch."""
        self.add(batch, self.parts(batch))

    def parts(self, batch: pa.RecordBatch) -> list[ColumnPart]:
        """What there is to know of a batch: any thread may work it out, in any order."""
        return [one.part(column) for one, column in zip(self._columns, batch.columns, strict=True)]

    def add(self, batch: pa.RecordBatch, parts: Sequence[ColumnPart]) -> None:
        """Take in a batch; in the order of the rows."""
        for profiler, part in zip(self._columns, parts, strict=True):
            profiler.add(part)
        if self._scan is None:
            self._scan = Scan(*self._candidates())
            self._preview = self._masked(batch)
        self._scan.see({name: parts[self._names.index(name)].coded for name in self._scan.columns})
        self._rows += batch.num_rows

    def _candidates(self) -> tuple[list[str], list[str]]:
        """Columns that may be known of a person, by what the first rows show; the likely ones first."""
        likely, possible = [], []
        for profiler in self._columns:
            seen, hint = profiler.seen, suggest(profiler.seen)
            if hint and hint.role is Role.QUASI_IDENTIFIER:
                likely.append(seen.name)
            elif (hint is None or hint.role is Role.SENSITIVE) and seen.unique_share < 0.5:
                possible.append(seen.name)
        return likely, possible

    def _masked(self, batch: pa.RecordBatch) -> tuple[tuple[str | None, ...], ...]:
        columns = [column.slice(0, ROWS).to_pylist() for column in batch.columns]
        rows = zip(*columns, strict=True)
        return tuple(
            tuple(None if t is None or t in self._missing else masked(t) for t in row) for row in rows
        )

    def result(self) -> Profile:
        """The profile of everything seen."""
        seen = [column.seen for column in self._columns]
        hints = alone({one.name: suggest(one) for one in seen}, {one.name: one.distinct for one in seen})
        columns = tuple(
            column.result(position, hints[one.name])
            for position, (column, one) in enumerate(zip(self._columns, seen, strict=True), start=1)
        )
        scan = self._scan.result() if self._scan else ()
        return Profile(self._rows, self._dialect, columns, self._preview, scan)
