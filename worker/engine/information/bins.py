"""Numbers and dates in ten quantile bins of the original, so that an exact number is no clue by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.io.kinds import date_forms
from worker.engine.tables.column import Codes, Column, Floats, Mask, parse_numbers
from worker.engine.tables.dense import FIRST_OTHER, Numbers
from worker.engine.tables.frequency import Counts, Domain, FrequencyTable
from worker.engine.tables.intervals import ends_of
from worker.engine.tables.keys import distinct
from worker.engine.tables.kinds import NUMERIC, Kind
from worker.engine.tables.numeric import NumberColumn

ORDERED = NUMERIC | {Kind.DATE}
"""Kinds whose values lie on a line."""
DECILES = np.arange(1, 10) / 10
ISO = "%Y-%m-%d"
DAY = 86_400.0


@dataclass(frozen=True)
class Line:
    """Where the values of a column lie: numbers by size, dates by day."""

    dates: str | None = None
    """How dates are written; None where values are numbers."""

    @classmethod
    def of(cls, table: FrequencyTable, kind: Kind) -> Line:
        """From the values of the original."""
        if kind is not Kind.DATE:
            return cls()
        domain = table.domains[0]
        forms = date_forms(domain.arrow.filter(pa.array(~domain.missing)))
        return cls(forms[0] if forms else None)

    def places(self, labels: pa.Array, missing: Mask) -> Floats:
        """The number or day of each label; NaN for a label that is neither."""
        found = parse_numbers(labels) if self.dates is None else _days(labels, self.dates)
        found[missing] = np.nan
        return found

    def of_texts(self, texts: pa.Array) -> Floats:
        """The number or day that each text says."""
        return self.places(texts, np.zeros(len(texts), bool))

    def numbers(self, domain: Domain) -> Floats:
        """The number or day of each value."""
        return domain.numbers if self.dates is None else self.places(domain.arrow, domain.missing)

    def middles(self, domain: Domain) -> Floats:
        """The same, an interval of numbers by its middle."""
        found = self.numbers(domain).copy()
        if self.dates is None:
            for code in np.flatnonzero(np.isnan(found)).tolist():
                if ends := ends_of(domain.text(code)):
                    found[code] = sum(ends) / 2
        return found


def _days(labels: pa.Array, form: str) -> Floats:
    texts = labels.cast(pa.string())
    if form == ISO:  # a time of day may follow
        texts = pc.utf8_slice_codeunits(texts, 0, 10)
    times = pc.strptime(texts, format=form, unit="s", error_is_null=True)
    seconds = pc.cast(pc.cast(times, pa.int64()), pa.float64()).to_numpy(zero_copy_only=False)
    return np.array(seconds, np.float64) / DAY


@dataclass(frozen=True)
class Bins:
    """Between the distinct deciles; a value on an edge belongs above. Whatever is no number, a missing value
    and `*` among it, is a bin of its own."""

    line: Line
    edges: Floats

    @classmethod
    def of(cls, table: FrequencyTable, kind: Kind) -> Bins:
        """The bins of an original column."""
        line = Line.of(table, kind)
        numbers = line.numbers(table.domains[0])[table.codes[0]]
        return cls(line, distinct(quantiles(numbers, table.counts, DECILES)))

    def placed(self, column: Column) -> Column:
        """The bin of each row."""
        held = column.decimals if isinstance(column, NumberColumn) else column
        if isinstance(held, Numbers) and self.line.dates is None:
            numbers, others = held.numbers, held.others
            beside = (held.values - FIRST_OTHER).astype(np.int64)
            codes = np.where(np.isnan(numbers), len(self.edges) + 1 + beside, self.bins_of(numbers))
            return self._column(column, codes.astype(np.int32), others)
        some = column.compact()
        numbers = self.line.places(some.labels, some.missing)
        unknown = np.flatnonzero(np.isnan(numbers))
        to = self.bins_of(numbers)
        to[unknown] = len(self.edges) + 1 + np.arange(len(unknown))
        codes = to[some.codes] if len(to) else np.zeros(0, np.int32)
        return self._column(column, codes.astype(np.int32), some.labels.take(pa.array(unknown)))

    def bins_of(self, numbers: Floats) -> Codes:
        """The bin of each number."""
        found: Codes = np.searchsorted(self.edges, numbers, side="right").astype(np.int32)
        return found

    def _column(self, column: Column, codes: Codes, others: pa.Array) -> Column:
        bins = pa.array([f"\x00{number}" for number in range(len(self.edges) + 1)], pa.string())
        labels = pa.concat_arrays([bins, others.cast(pa.string())])
        return Column(column.name, Kind.CATEGORICAL, codes, labels)


def binned_variation(old: FrequencyTable, new: FrequencyTable, kind: Kind) -> float | None:
    """Half the sum of differences between the shares of bins: numbers in those of the original, an interval
    spread over the originals that lie in it, any other text by itself."""
    if not old.rows or not new.rows:
        return None
    spread = Spread(Bins.of(old, kind), old)
    (before, was), (after, became) = spread.shares(old), spread.shares(new)
    others = sum(abs(was.get(text, 0.0) - became.get(text, 0.0)) for text in was.keys() | became.keys())
    return float((np.abs(before - after).sum() + others) / 2)


class Spread:
    """Puts a column into the bins of the original, and intervals where the originals in them lie."""

    def __init__(self, bins: Bins, original: FrequencyTable) -> None:
        self.bins, self._original = bins, original

    def _numbers(self, table: FrequencyTable) -> Floats:
        return self.bins.line.numbers(table.domains[0])[table.codes[0]]

    def shares(self, table: FrequencyTable) -> tuple[Floats, dict[str, float]]:
        """The share of rows in each bin, and of each text that is no number."""
        numbers, weights = self._numbers(table), table.counts / table.rows
        known = ~np.isnan(numbers)
        found: Floats = np.zeros(len(self.bins.edges) + 1)
        np.add.at(found, self.bins.bins_of(numbers[known]), weights[known])
        texts = table.domains[0].column(table.codes[0][~known]).texts()
        others = dict(zip(texts, weights[~known].tolist(), strict=True))
        ends = {text: ends_of(text) if self.bins.line.dates is None else None for text in others}
        lying = [(*one, text.endswith("["), others.pop(text)) for text, one in ends.items() if one]
        if not lying:
            return found, others
        intervals = np.array(lying)
        return found + (self.lying(intervals[:, :3]) * intervals[:, 3:]).sum(axis=0), others

    def lying(self, intervals: Floats) -> Floats:
        """The share of each interval – from, to, open at the end – that lies in each bin."""
        low, high, is_open = intervals.T
        numbers = self._numbers(self._original)
        order = np.argsort(numbers, kind="stable")[: len(numbers) - int(np.isnan(numbers).sum())]
        ordered, running = numbers[order], np.append(0, np.cumsum(self._original.counts[order]))
        first, last = (np.searchsorted(ordered, ends) for ends in (low, high))
        last = np.where(is_open > 0, last, np.searchsorted(ordered, high, side="right"))
        edges = np.concatenate([[0], np.searchsorted(ordered, self.bins.edges), [len(order)]])
        begins, stops = (one[:, None].clip(edges[:-1], edges[1:]) for one in (first, last))
        rows = (running[stops] - running[begins]).clip(min=0).astype(np.float64)
        empty = rows.sum(axis=1) == 0  # then it lies where its middle is
        rows[empty, self.bins.bins_of((low + high)[empty] / 2)] = 1.0
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def quantiles(values: Floats, counts: Counts, shares: Floats) -> Floats:
    """Quantiles of counted numbers, halfway between neighbours in proportion; nothing of no number."""
    known = ~np.isnan(values)
    ordered, rows = values[known], counts[known]
    if (ordered[1:] < ordered[:-1]).any():
        order = np.argsort(ordered)
        ordered, rows = ordered[order], rows[order]
    running = np.cumsum(rows)
    if not len(ordered):
        return np.empty(0)
    at = shares * (running[-1] - 1)
    low = ordered[np.searchsorted(running, np.floor(at), side="right")]
    high = ordered[np.searchsorted(running, np.ceil(at), side="right")]
    part, step = at - np.floor(at), high - low
    return np.asarray(np.where(part < 0.5, low + step * part, high - step * (1 - part)))
