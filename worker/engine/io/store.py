"""Rows read once and kept small: what later passes over a table read instead of the file.

A column with few distinct texts becomes codes of one, two or four bytes; one with many plain decimals eight
bytes per row; anything else keeps its texts. A column turns from one form into the next while it is read, and
pieces that were put away before are brought to the last form when they are taken out. What exceeds the room
given lies sealed in a scratch file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from worker.engine.io.ahead import ahead
from worker.engine.io.kinds import KindGuess
from worker.engine.tables.column import MISSING_TEXTS, Codes, Column, Mask, marks
from worker.engine.tables.dense import FIRST_OTHER, Numbers, Texts, Values, codes_of, plain_texts, texts_of
from worker.engine.tables.keys import distinct
from worker.engine.tables.kinds import Kind
from worker.engine.tables.scratch import Place, Shelf

MOST_LABELS = 1 << 17
"""More distinct texts than this are not worth a list."""
MOST_OTHERS = 256
"""More texts among numbers that are none, and the column is text."""


class Form(IntEnum):
    """How a column is kept; it only ever goes up."""

    CODES = 0
    NUMBERS = 1
    TEXTS = 2


class _Piece(NamedTuple):
    """One segment of one column, put away."""

    form: Form
    dtype: str
    kept: bytes | Place


Part = Any
"""Codes, decimal codes, or an array of texts."""


Given: TypeAlias = "pa.Array | Numbers"
"""Rows as they come: texts or numbers as an array, or decimal codes already."""


@dataclass(frozen=True)
class Prepared:
    """Rows as they came, with what could be worked out about them in the thread that read them."""

    given: Given
    numbers: Values | None = None


class StoredColumn:
    """Everything of one column."""

    def __init__(self, name: str, missing: frozenset[str], segment: int, shelf: Shelf) -> None:
        self.name = name
        self.form = Form.CODES
        self.rows = 0
        self._segment = segment
        self._shelf = shelf
        self._missing = missing
        self._index: dict[str, int] = {}
        self._others: dict[str, int] = {"": 0}
        self._waiting: list[tuple[Form, Part]] = []
        self._pieces: list[_Piece] = []
        self._listed: pa.Array = pa.array([], pa.string())
        self._label_values: Values | None = None

    def prepared(self, values: Given) -> Prepared:
        """What any thread may do ahead of `add`."""
        if self.form is Form.NUMBERS:
            return Prepared(values, _decimals(values))
        if isinstance(values, Numbers) or self.form is Form.TEXTS or pa.types.is_dictionary(values.type):
            return Prepared(values)
        return Prepared(plain_texts(values).dictionary_encode())

    def add(self, prepared: Prepared) -> None:
        """Append rows; full segments are put away."""
        self._waiting.append(self._encoded(prepared))
        self.rows += len(prepared.given)
        while self.rows - len(self._pieces) * self._segment >= self._segment:
            self._put_away(self._segment)

    def finish(self) -> None:
        """Put away what is left. Nothing is looked up any more: the list of texts is enough."""
        if rest := self.rows - len(self._pieces) * self._segment:
            self._put_away(rest)
        self._listed, self._index = self.labels, {}

    def _encoded(self, prepared: Prepared) -> tuple[Form, Part]:
        values = prepared.given
        if self.form is Form.CODES:
            codes = self._as_codes(values)
            if codes is not None:
                return Form.CODES, codes
            self._close_list()
        if self.form is Form.NUMBERS:
            known = prepared.numbers
            numbers = self._as_numbers(values, _decimals(values) if known is None else known)
            if numbers is not None:
                return Form.NUMBERS, numbers
            self.form = Form.TEXTS
        return Form.TEXTS, _texts(values)

    def _close_list(self) -> None:
        """The list grew too long: what is in it stays for the rows that are there."""
        self._label_values = self._as_numbers(self.labels, codes_of(self.labels))
        self._index = {}
        self.form = Form.TEXTS if self._label_values is None else Form.NUMBERS

    def _as_codes(self, values: Given) -> Codes | None:
        """Codes into our own list; None when the list grows too long."""
        encoded = _listed(values)
        if encoded is None:
            return None
        labels = encoded.dictionary
        own = encoded.indices
        if own.null_count or labels.null_count:
            labels = pa.concat_arrays([labels.fill_null(""), pa.array([""], labels.type)])
            own = own.fill_null(len(labels) - 1)
        if len(labels) > MOST_LABELS:
            return None
        index = self._index
        to = [index.setdefault(text, len(index)) for text in labels.to_pylist()]
        if len(index) > MOST_LABELS:
            return None
        translated: Codes = np.array(to, np.int32)[own.to_numpy()] if len(own) else np.empty(0, np.int32)
        return translated

    def _as_numbers(self, given: Given, values: Values) -> Values | None:
        """Decimal codes; None when too many texts have none."""
        beside = np.flatnonzero(values == FIRST_OTHER)
        if len(beside):
            found = _texts(given.take(beside)).dictionary_encode()
            if len(found.dictionary) > MOST_OTHERS:
                return None
            others = self._others
            to = [others.setdefault(text, len(others)) for text in found.dictionary.to_pylist()]
            if len(others) > MOST_OTHERS:
                return None
            values[beside] = FIRST_OTHER + np.array(to, np.int64)[found.indices.to_numpy()]
        return values

    def _put_away(self, rows: int) -> None:
        """Make a segment of the oldest rows that wait."""
        form = max(self._waiting, key=lambda one: one[0])[0]
        parts, left = [], rows
        while left:
            own, part = self._waiting.pop(0)
            if len(part) > left:
                self._waiting.insert(0, (own, part[left:]))
                part = part[:left]
            parts.append(self._raised(own, part, form))
            left -= len(part)
        if form is Form.TEXTS:
            self._pieces.append(_Piece(form, "", self._shelf.put(texts_to_bytes(parts))))
            return
        whole = np.concatenate(parts)
        if form is Form.CODES:
            whole = whole.astype(_narrow(len(self._index)))
        self._pieces.append(_Piece(form, whole.dtype.str, self._shelf.put(whole.tobytes())))

    def _raised(self, own: Form, part: Part, form: Form) -> Part:
        """The same rows in a later form."""
        if own is Form.CODES and form is Form.NUMBERS:
            assert self._label_values is not None
            values: Values = self._label_values[part]
            return values
        if own is Form.CODES and form is Form.TEXTS:
            return self.labels.take(pa.array(part))
        if own is Form.NUMBERS and form is Form.TEXTS:
            return texts_of(part, self.others)
        return part

    @property
    def labels(self) -> pa.Array:
        """The list of texts that codes point into."""
        if self.form is Form.CODES and len(self._index) > len(self._listed):
            self._listed = pa.array(list(self._index), pa.string())
        return self._listed

    @property
    def others(self) -> pa.Array:
        """The texts among numbers that are none."""
        return pa.array(list(self._others), pa.string())

    def part(self, segment: int, kind: Kind) -> Column:
        """One segment as a column."""
        piece = self._pieces[segment]
        kept = self._shelf.get(piece.kept)
        part: Part
        part = (
            texts_from_bytes(kept) if piece.form is Form.TEXTS else np.frombuffer(kept, np.dtype(piece.dtype))
        )
        part = self._raised(piece.form, part, self.form)
        if self.form is Form.CODES:
            return Column(self.name, kind, part, self.labels, self._marked)
        if self.form is Form.NUMBERS:
            return Numbers(self.name, kind, part, self.others).described(missing_texts=self._missing)
        return Texts(self.name, kind, part).described(missing_texts=self._missing)

    @cached_property
    def _marked(self) -> Mask:
        return marks(self.labels, self._missing | MISSING_TEXTS)

    def kind(self, segments: Iterable[Column]) -> Kind:
        """What its texts are; `segments` are read only when there is nothing shorter to look at."""
        guess = KindGuess()
        if self.form is Form.CODES:
            texts = self.labels.filter(pa.array(~self._marked))
            guess.see(texts)
            return guess.kind(len(texts))
        if self.form is Form.NUMBERS:
            guess.see(self._typical(segments))
            return guess.kind(MOST_LABELS)
        for column in segments:
            assert isinstance(column, Texts)
            guess.see(column.plain.filter(pa.array(~column.missing_rows)))
        return guess.kind(MOST_LABELS)

    def _typical(self, segments: Iterable[Column]) -> pa.Array:
        """A text of each shape that occurs among the numbers, and every other text."""
        texts = {text for text in self._others if text not in self._missing | MISSING_TEXTS}
        for column in segments:
            assert isinstance(column, Numbers)
            plain = column.values[column.values >= column.smallest]
            if len(plain) and int((plain & 7).min()) == 0:
                texts.add("1")
            if len(plain) and int((plain & 7).max()) > 0:
                texts.add("1.5")
        return pa.array(sorted(texts), pa.string())


def _decimals(given: Given) -> Values:
    """The decimal code of each row; `FIRST_OTHER` for what has none."""
    if isinstance(given, Numbers):
        return np.where(given.values < given.smallest, FIRST_OTHER, given.values)
    return codes_of(given)


def _texts(given: Given) -> pa.Array:
    """The text of each row."""
    return texts_of(given.values, given.others) if isinstance(given, Numbers) else plain_texts(given)


def _listed(given: Given) -> pa.DictionaryArray | None:
    """The rows as places in a list of texts; None where that is sure to be too long."""
    if isinstance(given, Numbers):
        if len(distinct(given.values)) > MOST_LABELS:
            return None
        return given.arrow()
    return given if pa.types.is_dictionary(given.type) else plain_texts(given).dictionary_encode()


def _narrow(labels: int) -> Any:
    return np.uint8 if labels <= 1 << 8 else np.uint16 if labels <= 1 << 16 else np.int32


def texts_to_bytes(parts: Sequence[pa.Array]) -> bytes:
    """Texts to put away."""
    sink = pa.BufferOutputStream()
    whole = pa.concat_arrays([part.cast(pa.large_string()) for part in parts])
    batch = pa.RecordBatch.from_arrays([whole], ["texts"])
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return bytes(sink.getvalue())


def texts_from_bytes(kept: bytes) -> pa.Array:
    """The same texts."""
    with pa.ipc.open_stream(pa.py_buffer(kept)) as stream:
        return stream.read_next_batch().column(0)


class Store:
    """Some columns of a table, in segments of equal length."""

    def __init__(self, names: Sequence[str], missing: frozenset[str], segment: int, room: int | None) -> None:
        shelf = Shelf(room)
        self.columns = {name: StoredColumn(name, missing, segment, shelf) for name in names}
        self.rows = 0
        self.dense: set[str] = set()
        """Columns with too many different values for a list: better read without a dictionary."""
        self._segment = segment

    def prepared(self, batch: pa.RecordBatch) -> list[Prepared]:
        """What any thread may do ahead of `fill`."""
        return [
            column.prepared(batch.column(batch.schema.get_field_index(name)))
            for name, column in self.columns.items()
        ]

    def fill(self, batches: Iterable[Sequence[Prepared]]) -> None:
        """Take all rows, side by side."""
        for batch in batches:
            self.add(batch)
        self.finish()

    def add(self, batch: Sequence[Prepared]) -> None:
        """Take some rows, side by side."""
        for column, values in zip(self.columns.values(), batch, strict=True):
            self._add(column, values)

    def fill_columns(self, read: Callable[[str, Set[str]], Iterable[pa.Array]]) -> None:
        """Take all rows, a column at a time, several at once; `read` gives the pieces of one."""

        def fill(column: StoredColumn) -> None:
            for values in read(column.name, self.dense):
                self._add(column, column.prepared(values))

        for _ in ahead(fill, self.columns.values()):
            pass
        self.finish()

    def _add(self, column: StoredColumn, values: Prepared) -> None:
        column.add(values)
        if column.form is not Form.CODES:
            self.dense.add(column.name)

    def finish(self) -> None:
        """Nothing more comes."""
        for column in self.columns.values():
            column.finish()
            self.rows = column.rows

    def column(self, name: str, segment: int, kind: Kind) -> Column:
        """One segment of one column."""
        return self.columns[name].part(segment, kind)

    def segments(self) -> Iterator[tuple[int, int, int]]:
        """Each segment's number, its first row and its rows."""
        for number, first in enumerate(range(0, self.rows, self._segment)):
            yield number, first, min(self._segment, self.rows - first)

    def kind(self, name: str) -> Kind:
        """What the texts of a column are."""
        return self.columns[name].kind(self.column(name, number, Kind.TEXT) for number, *_ in self.segments())
