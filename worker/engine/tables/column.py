"""One column: integer codes into a domain of labels that keep the exact text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.tables.keys import distinct
from worker.engine.tables.kinds import NUMERIC, Kind

Codes = np.ndarray[Any, np.dtype[np.int32]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

MISSING_TEXTS = frozenset({""})
SUPPRESSED = "*"
MOST_PLACES = 12
FEW_LABELS = 1024
PLAIN = r"^-?[0-9]+(\.[0-9]+)?$"
"""Texts that everybody reads as the same number."""


class Column:
    """Immutable. `labels` never holds a null: a null and an empty text are the same missing value.

    `missing` marks the labels that stand for "no value". A label may occur twice in `labels`;
    two codes are the same value when their labels are.
    """

    def __init__(self, name: str, kind: Kind, codes: Codes, labels: pa.Array, missing: Mask | None = None):
        self.name = name
        self.kind = kind
        self.codes = codes.astype(np.int32, copy=False)
        self.codes.setflags(write=False)
        self.labels: pa.Array = labels
        self.missing: Mask = marks(labels, MISSING_TEXTS) if missing is None else missing

    @classmethod
    def of_arrow(cls, name: str, kind: Kind, values: pa.Array | pa.ChunkedArray) -> Column:
        """From any Arrow array; numbers and dates take their plain text."""
        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        if not pa.types.is_dictionary(values.type):
            values = _as_text(values).dictionary_encode()
        codes, labels = values.indices, _as_text(values.dictionary)
        if codes.null_count or labels.null_count:
            codes, labels = _without_nulls(codes, labels)
        return cls(name, kind, codes.to_numpy(zero_copy_only=False), labels)

    @classmethod
    def of_texts(cls, name: str, texts: Sequence[str | None], kind: Kind = Kind.TEXT) -> Column:
        """From plain texts; None is missing."""
        return cls.of_arrow(name, kind, pa.array(["" if t is None else t for t in texts], pa.string()))

    @classmethod
    def of_domain(cls, name: str, kind: Kind, codes: Codes, texts: Sequence[str], missing: Mask) -> Column:
        """From codes into a known domain."""
        return cls(name, kind, codes, pa.array(texts, pa.string()), missing)

    @classmethod
    def of_numbers(cls, name: str, kind: Kind, numbers: Floats) -> Column:
        """From numbers; NaN is missing. Integers are written without a decimal point."""
        distinct, codes = np.unique(numbers, return_inverse=True)
        return cls(
            name,
            kind,
            codes.reshape(-1).astype(np.int32),
            pa.array(number_texts(distinct, kind), pa.string()),
        )

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def is_numeric(self) -> bool:
        """Whether its kind is a number."""
        return self.kind in NUMERIC

    @cached_property
    def label_numbers(self) -> Floats:
        """The number each label stands for; NaN where it is missing or no number."""
        numbers = parse_numbers(self.labels)
        numbers[self.missing] = np.nan
        return numbers

    @cached_property
    def label_texts(self) -> list[str]:
        """The labels as Python texts."""
        texts: list[str] = self.labels.to_pylist()
        return texts

    @property
    def numbers(self) -> Floats:
        """The number in each row; NaN where it is missing or no number."""
        some = self.compact()  # a piece may know the labels of the whole
        return some.label_numbers[some.codes] if len(some.labels) else np.empty(0)

    @property
    def missing_rows(self) -> Mask:
        """Which rows hold no value."""
        return self.missing[self.codes] if len(self.labels) else np.zeros(0, bool)

    def has_value(self) -> bool:
        """Whether any of its rows, of which there are some, holds a value."""
        return not self.missing.any() or not self.missing_rows.all()

    def places(self) -> int:
        """How many digits stand after the decimal point in any row, at most; 12 for exponents."""
        used = distinct(self.codes)
        return places_of_texts(self.labels.take(pa.array(used[~self.missing[used]])))

    def arrow(self) -> pa.DictionaryArray:
        """The exact texts, dictionary-encoded, for writers."""
        return pa.DictionaryArray.from_arrays(pa.array(self.codes), self.labels)

    def texts(self) -> list[str]:
        """Each row's exact text."""
        labels = self.label_texts
        return [labels[code] for code in self.codes.tolist()]

    def relabelled(self, labels: Sequence[str] | pa.Array, kind: Kind | None = None) -> Column:
        """The same rows with a new text for each label."""
        fresh = labels if isinstance(labels, pa.Array) else pa.array(labels, pa.string())
        return Column(self.name, kind or self.kind, self.codes, fresh)

    def recoded(self, codes: Codes, labels: pa.Array, kind: Kind | None = None) -> Column:
        """Other values under the same name."""
        return Column(self.name, kind or self.kind, codes, labels)

    def described(self, kind: Kind | None = None, missing_texts: frozenset[str] | None = None) -> Column:
        """The same values with another kind, and every text for "no value" as the one empty text."""
        missing = self.missing if missing_texts is None else marks(self.labels, missing_texts | MISSING_TEXTS)
        labels = self.labels
        if missing.any() and pc.any(pc.not_equal(labels.filter(pa.array(missing)), "")).as_py():
            labels = pc.if_else(pa.array(missing), pa.scalar("", labels.type), labels)
        return Column(self.name, kind or self.kind, self.codes, labels, missing)

    def compact(self) -> Column:
        """Without labels that no row holds, when they are many: work on a piece follows the piece's size."""
        if len(self.labels) <= max(len(self.codes), FEW_LABELS):
            return self
        used, codes = np.unique(self.codes, return_inverse=True)
        labels = self.labels.take(pa.array(used))
        return Column(self.name, self.kind, codes.reshape(-1).astype(np.int32), labels, self.missing[used])

    def merged(self) -> Column:
        """With every text once among its labels: then equal values have equal codes."""
        encoded = self.labels.dictionary_encode()
        if len(encoded.dictionary) == len(self.labels):
            return self
        to: Codes = encoded.indices.to_numpy(zero_copy_only=False)
        missing = np.zeros(len(encoded.dictionary), bool)
        missing[to[self.missing]] = True
        return Column(self.name, self.kind, to[self.codes], encoded.dictionary, missing)

    def take(self, rows: Mask | np.ndarray[Any, np.dtype[np.signedinteger[Any]]] | slice) -> Column:
        """Some rows: a mask or row positions."""
        return Column(self.name, self.kind, self.codes[rows], self.labels, self.missing)


def places_of_texts(texts: pa.Array) -> int:
    """How many digits stand after the decimal point in any text, at most; 12 for exponents."""
    if not len(texts):
        return 0
    if pc.any(pc.match_substring(texts, "e", ignore_case=True)).as_py():
        return MOST_PLACES
    point = pc.find_substring(texts, ".").to_numpy()
    after = pc.utf8_length(texts).to_numpy() - point - 1
    return int(min(np.where(point < 0, 0, after).max(), MOST_PLACES))


def marks(labels: pa.Array, texts: frozenset[str]) -> Mask:
    """Which labels are among the texts."""
    found = pc.is_in(labels, value_set=pa.array(sorted(texts), labels.type))
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


def parse_numbers(labels: pa.Array) -> Floats:
    """Labels as float64; NaN for anything that is not a finite number."""
    try:
        numbers = pc.cast(labels, pa.float64()).to_numpy(zero_copy_only=False).copy()
    except pa.ArrowInvalid:
        numbers = _one_by_one(labels)
    numbers[~np.isfinite(numbers)] = np.nan
    return np.asarray(numbers, dtype=np.float64)


def _one_by_one(labels: pa.Array) -> Floats:
    """Plain decimals together, and each of the other texts as far as it is a number."""
    plain: Mask = np.asarray(pc.match_substring_regex(labels, PLAIN).to_numpy(zero_copy_only=False), bool)
    numbers = np.empty(len(labels))
    numbers[plain] = pc.cast(labels.filter(pa.array(plain)), pa.float64()).to_numpy(zero_copy_only=False)
    numbers[~plain] = [_number(text) for text in labels.filter(pa.array(~plain)).to_pylist()]
    return numbers


def number_texts(numbers: Floats, kind: Kind) -> list[str]:
    """Plain texts of numbers: no exponent for integers, shortest exact text for decimals, "" for NaN."""
    if kind is Kind.INTEGER:
        return ["" if x != x else str(int(x)) for x in numbers.tolist()]
    return ["" if x != x else _decimal_text(x) for x in numbers.tolist()]


def _decimal_text(x: float) -> str:
    return np.format_float_positional(x, trim="-")


def _number(text: str) -> float:
    try:
        return float(text) if "_" not in text else np.nan
    except ValueError:
        return np.nan


def _as_text(values: pa.Array) -> pa.Array:
    if pa.types.is_large_string(values.type) or pa.types.is_string(values.type):
        return values
    if pa.types.is_dictionary(values.type):
        return _as_text(values.dictionary_decode())
    return pc.cast(values, pa.string())


def _without_nulls(codes: pa.Array, labels: pa.Array) -> tuple[pa.Array, pa.Array]:
    """One extra label, the empty text, in place of nulls of either sort."""
    labels = pa.concat_arrays([pc.fill_null(labels, ""), pa.array([""], labels.type)])
    return pc.fill_null(pc.cast(codes, pa.int32()), pa.scalar(len(labels) - 1, pa.int32())), labels
