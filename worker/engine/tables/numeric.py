"""A column of numbers that become text only when somebody writes or counts them."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.tables.column import MOST_PLACES, Codes, Column, Floats, Mask
from worker.engine.tables.dense import FIRST_OTHER, Numbers, Values, codes_of
from worker.engine.tables.kinds import Kind

_EXACT = 2.0**53


class NumberColumn(Column):
    """Holds float64 values, NaN where there is none. Codes and labels are made on demand.

    A method that adds noise makes nearly every value distinct: coding them at once would cost
    more than the noise. Whoever asks for `numbers` never pays for texts.
    """

    def __init__(self, name: str, kind: Kind, values: Floats, places: int | None = None) -> None:
        self.name = name
        self.kind = kind
        self._places = 0 if kind is Kind.INTEGER else places
        self._values = np.asarray(values, dtype=np.float64)
        self._values.setflags(write=False)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def numbers(self) -> Floats:
        """The number in each row; NaN where there is none."""
        return self._values

    @property
    def missing_rows(self) -> Mask:
        """Which rows hold no value."""
        return np.isnan(self._values)

    def has_value(self) -> bool:
        """Whether any of its rows holds a number; most answers are found out early."""
        return not (np.isnan(self._values[:1000]).all() and np.isnan(self._values).all())

    @property
    def known_places(self) -> int | None:
        """How many decimals whoever made the numbers rounded them to, if it is known."""
        return self._places

    def places(self) -> int:
        """How many digits stand after the decimal point, at most."""
        if self._places is None:
            self._places = _places_of(self._values[~np.isnan(self._values)])
        return self._places

    @cached_property
    def decimals(self) -> Numbers:
        """The same as decimal codes: for whoever writes or counts many of them without a list of labels."""
        numbers = self._values + 0.0  # one zero, not two
        known = ~np.isnan(numbers)
        values = _codes_of(numbers, known, self.kind)
        beside = np.flatnonzero((values == FIRST_OTHER) & known)
        texts = texts_of(numbers[beside], self.kind)
        values[beside] = codes_of(texts)
        left = beside[values[beside] == FIRST_OTHER]
        listed = texts_of(numbers[left], self.kind).dictionary_encode()
        values[left] = FIRST_OTHER + 1 + listed.indices.to_numpy().astype(np.int64)
        others = pa.concat_arrays([pa.array([""], pa.string()), listed.dictionary])
        return Numbers(self.name, self.kind, values, others)

    @cached_property
    def _coded(self) -> pa.DictionaryArray:
        return pa.array(self._values + 0.0).dictionary_encode()  # + 0.0: one zero, not two

    @cached_property
    def codes(self) -> Codes:  # type: ignore[override]
        """Each row's position in `labels`."""
        codes = np.asarray(self._coded.indices.to_numpy(zero_copy_only=False), np.int32)
        codes.setflags(write=False)
        return codes

    @cached_property
    def labels(self) -> pa.Array:
        """The texts of the distinct numbers, in order of appearance."""
        return texts_of(self._coded.dictionary.to_numpy(zero_copy_only=False), self.kind)

    @cached_property
    def missing(self) -> Mask:  # type: ignore[override]
        """Which label stands for "no value"."""
        return np.isnan(self.label_numbers)

    @property
    def label_numbers(self) -> Floats:
        """The number each label stands for."""
        numbers: Floats = self._coded.dictionary.to_numpy(zero_copy_only=False)
        return numbers

    def described(self, kind: Kind | None = None, missing_texts: frozenset[str] | None = None) -> Column:
        """The same numbers under another kind; other texts for "no value" need texts."""
        if missing_texts or (kind is not None and kind not in (Kind.INTEGER, Kind.DECIMAL)):
            return Column(self.name, self.kind, self.codes, self.labels, self.missing).described(
                kind, missing_texts
            )
        return NumberColumn(self.name, kind or self.kind, self._values, self._places)

    def compact(self) -> Column:
        """Itself: there are no labels to be too many."""
        return self

    def take(self, rows: Mask | Codes | slice) -> Column:
        """Some rows: a mask or row positions."""
        return NumberColumn(self.name, self.kind, self._values[rows], self._places)


def differing(one: Column, other: Column) -> Mask:
    """Which cells of two columns of equal length differ: as numbers where both are, else as texts."""
    if one.is_numeric and other.is_numeric:
        x, y = one.numbers, other.numbers
        return np.asarray((x != y) & ~(np.isnan(x) & np.isnan(y)))
    if one.labels is other.labels:
        return np.asarray(one.codes != other.codes)
    texts = [column.compact().merged() for column in (one, other)]
    both = pa.concat_arrays([column.labels.cast(pa.string()) for column in texts]).dictionary_encode()
    words: Codes = np.asarray(both.indices.to_numpy(zero_copy_only=False), np.int32)
    first, second = words[: len(texts[0].labels)], words[len(texts[0].labels) :]
    return np.asarray(first[texts[0].codes] != second[texts[1].codes])


def _places_of(numbers: Floats) -> int:
    for places in range(MOST_PLACES):
        scale = 10.0**places
        for some in (numbers[:1000], numbers):  # most answers are found out early
            if not (np.rint(some * scale) / scale == some).all():
                break
        else:
            return places
    return MOST_PLACES


def _codes_of(numbers: Floats, known: Mask, kind: Kind) -> Values:
    """The decimal codes of the texts that most numbers have; `FIRST_OTHER` for the rest and for none."""
    if not _are_whole(numbers, known, kind):
        return codes_of(pa.array(numbers))
    values = codes_of(pa.array(np.where(known, numbers, 0).astype(np.int64)))
    values[~known] = FIRST_OTHER
    return values


def _are_whole(numbers: Floats, known: Mask, kind: Kind) -> bool:
    """Whether their texts are those of whole numbers."""
    return kind is Kind.INTEGER and bool((np.abs(numbers[known]) < _EXACT).all())


def texts_of(numbers: Floats, kind: Kind) -> pa.Array:
    """Plain texts: no decimal point for integers, shortest exact text for decimals, "" for none."""
    known = ~np.isnan(numbers)
    if _are_whole(numbers, known, kind):
        whole = pa.array(np.where(known, numbers, 0).astype(np.int64), mask=~known)
        return pc.fill_null(pc.cast(whole, pa.string()), "")
    texts = pc.fill_null(pc.cast(pa.array(numbers, from_pandas=True), pa.string()), "")
    return _without_exponents(texts, numbers)


def _without_exponents(texts: pa.Array, numbers: Floats) -> pa.Array:
    """Very large and very small numbers, written out."""
    short = np.asarray(pc.match_substring(texts, "e").to_numpy(zero_copy_only=False), bool)
    if not short.any():
        return texts
    long = [np.format_float_positional(x, trim="-") for x in numbers[short].tolist()]
    return pc.replace_with_mask(texts, pa.array(short), pa.array(long, pa.string()))
