"""Columns with nearly as many values as rows: held without a list of labels until somebody asks for one.

`Numbers` keeps eight bytes per row, `Texts` the texts themselves. Both are columns like any other; whoever
asks for `codes` and `labels` gets them, worked out for the piece at hand.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.tables.column import (
    MISSING_TEXTS,
    Codes,
    Column,
    Floats,
    Mask,
    marks,
    parse_numbers,
    places_of_texts,
)
from worker.engine.tables.keys import distinct
from worker.engine.tables.kinds import Kind

Values = np.ndarray[Any, np.dtype[np.int64]]
Rows = Mask | np.ndarray[Any, np.dtype[np.signedinteger[Any]]] | slice

FIRST_OTHER = int(np.iinfo(np.int64).min)
"""Values from here on number the texts that are no plain decimals; the first of them is the empty text."""


def string_parts(texts: pa.Array) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The bytes of all texts, and where each begins; no text may be null."""
    if pa.types.is_large_string(texts.type):
        kind: Any = np.int64
    else:
        texts, kind = texts.cast(pa.string()), np.int32
    _, offsets, data = texts.buffers()
    if offsets is None or not len(texts):
        return np.empty(0, np.uint8), np.zeros(1, np.int32)
    places = np.frombuffer(offsets, kind)[texts.offset : texts.offset + len(texts) + 1]
    held = np.frombuffer(data, np.uint8) if data is not None and data.size else np.empty(0, np.uint8)
    return held, places


class _Dense(Column):
    """What both share: labels on demand."""

    def __init__(self, name: str, kind: Kind) -> None:
        self.name = name
        self.kind = kind

    @cached_property
    def _coded(self) -> tuple[Codes, pa.Array]:
        raise NotImplementedError

    @property
    def codes(self) -> Codes:  # type: ignore[override]
        """Each row's label."""
        return self._coded[0]

    @property
    def labels(self) -> pa.Array:
        """The distinct texts of this piece."""
        return self._coded[1]

    def has_value(self) -> bool:
        """Whether any of its rows, of which there are some, holds a value."""
        return not self.missing_rows.all()

    @cached_property
    def missing(self) -> Mask:  # type: ignore[override]
        """Which labels stand for no value."""
        return marks(self.labels, MISSING_TEXTS)

    def compact(self) -> Column:
        """It is."""
        return self


class Numbers(_Dense):
    """Decimal codes (`kernels.decimals`) per row, and the few texts that are none."""

    def __init__(self, name: str, kind: Kind, values: Values, others: pa.Array) -> None:
        super().__init__(name, kind)
        self.values = values
        self.values.setflags(write=False)
        self.others = others

    def __len__(self) -> int:
        return len(self.values)

    @property
    def smallest(self) -> int:
        """Codes below this one number the other texts."""
        return FIRST_OTHER + len(self.others)

    @property
    def numbers(self) -> Floats:
        """The number in each row; NaN where it is missing or no number."""
        return numbers_of(self.values, self.others)

    @property
    def missing_rows(self) -> Mask:
        """Which rows hold no value."""
        gone: Mask = self.values == FIRST_OTHER
        return gone

    @property
    def used_others(self) -> pa.Array:
        """Texts of this piece that are neither plain decimals nor missing."""
        found = self.values[(self.values < self.smallest) & (self.values != FIRST_OTHER)]
        return self.others.take(pa.array(distinct(found) - FIRST_OTHER))

    def places(self) -> int:
        """How many digits stand after the decimal point in any row, at most: each code tells its own."""
        decimals = self.values & 7
        decimals[self.values < self.smallest] = 0
        return max(int(decimals.max(initial=0)), places_of_texts(self.used_others))

    @cached_property
    def _coded(self) -> tuple[Codes, pa.Array]:
        distinct, codes = np.unique(self.values, return_inverse=True)
        return codes.reshape(-1).astype(np.int32), texts_of(distinct, self.others)

    def described(self, kind: Kind | None = None, missing_texts: frozenset[str] | None = None) -> Column:
        """The same values with another kind, and every text for "no value" as the one empty text."""
        values = self.values
        if missing_texts:
            gone = np.flatnonzero(marks(self.others, missing_texts | MISSING_TEXTS)) + FIRST_OTHER
            if len(gone) > 1:
                values = np.where(np.isin(values, gone), FIRST_OTHER, values)
            plain = codes_of(pa.array(sorted(missing_texts), pa.string()))
            plain = plain[plain != FIRST_OTHER]
            if len(plain):
                values = np.where(np.isin(values, plain), FIRST_OTHER, values)
        return Numbers(self.name, kind or self.kind, values, self.others)

    def take(self, rows: Rows) -> Column:
        """Some rows: a mask or row positions."""
        return Numbers(self.name, self.kind, self.values[rows], self.others)


class Texts(_Dense):
    """The text of each row; missing is the empty text."""

    def __init__(self, name: str, kind: Kind, plain: pa.Array) -> None:
        super().__init__(name, kind)
        self.plain: pa.Array = plain

    def __len__(self) -> int:
        return len(self.plain)

    @cached_property
    def _coded(self) -> tuple[Codes, pa.Array]:
        encoded = self.plain.dictionary_encode()
        return np.asarray(encoded.indices.to_numpy(), np.int32), encoded.dictionary.cast(pa.string())

    @property
    def missing_rows(self) -> Mask:
        """Which rows hold no value."""
        return np.asarray(pc.equal(self.plain, "").to_numpy(zero_copy_only=False), dtype=bool)

    def described(self, kind: Kind | None = None, missing_texts: frozenset[str] | None = None) -> Column:
        """The same values with another kind, and every text for "no value" as the one empty text."""
        plain = self.plain
        if missing_texts:
            gone = marks(plain, missing_texts)
            if gone.any():
                plain = pc.if_else(pa.array(gone), pa.scalar("", plain.type), plain)
        return Texts(self.name, kind or self.kind, plain)

    def take(self, rows: Rows) -> Column:
        """Some rows: a mask or row positions."""
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(self.plain))
            return Texts(self.name, self.kind, self.plain.slice(start, max(stop - start, 0)))
        chosen = pa.array(rows)
        taken = self.plain.filter(chosen) if pa.types.is_boolean(chosen.type) else self.plain.take(chosen)
        return Texts(self.name, self.kind, taken)


def codes_of(given: pa.Array) -> Values:
    """The decimal code of each text or number; `FIRST_OTHER` for what has none."""
    from worker.engine.kernels import decimals

    values: Values = np.empty(len(given), np.int64)
    if pa.types.is_int64(given.type) and not given.null_count:
        decimals.encode_integers(given.to_numpy(), values)
    elif pa.types.is_float64(given.type):
        decimals.encode_doubles(given.to_numpy(zero_copy_only=False), values)
    else:
        data, offsets = string_parts(plain_texts(given))
        decimals.encode(data, offsets, values)
    return values


def plain_texts(given: pa.Array) -> pa.Array:
    """The text of each row; nothing, and what is not a number among numbers, is the empty text."""
    if pa.types.is_dictionary(given.type):
        given = given.dictionary_decode()
    if pa.types.is_floating(given.type):
        given = pc.if_else(pc.is_nan(given), pa.scalar(None, given.type), given)
    if not pa.types.is_large_string(given.type):
        given = pc.cast(given, pa.string())
    return given.fill_null("") if given.null_count else given


def numbers_of(values: Values, others: pa.Array) -> Floats:
    """The number of each code; NaN where it is missing or no number."""
    from worker.engine.kernels import decimals

    numbers = np.empty(len(values), np.float64)
    decimals.numbers(values, numbers)
    beside = np.flatnonzero(values < FIRST_OTHER + len(others))
    if len(beside):
        known = parse_numbers(others)
        known[0] = np.nan
        numbers[beside] = known[values[beside] - FIRST_OTHER]
    return numbers


def texts_of(values: Values, others: pa.Array) -> pa.Array:
    """The text of each code."""
    from worker.engine.kernels import rows

    data, offsets = string_parts(others)
    ends = np.zeros(len(values) + 1, np.int64)
    smallest = FIRST_OTHER + len(others)
    rows.add_numbers(values, smallest, offsets, ends[1:], -1)
    np.cumsum(ends, out=ends)
    out = np.empty(int(ends[-1]), np.uint8)
    rows.put_numbers(values, smallest, data, offsets, out, ends[:-1].copy(), -1)
    large = pa.LargeStringArray.from_buffers(len(values), pa.py_buffer(ends), pa.py_buffer(out))
    return large if ends[-1] >= 2**31 else large.cast(pa.string())
