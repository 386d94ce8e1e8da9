"""What stands for a region in each column: an interval, a mean, a median, a set, or a hierarchy's label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.mondrian.axes import AS_NUMBERS, Axis, OrderedAxis, TreeAxis, kind_after
from worker.engine.mondrian.regions import Leaves
from worker.engine.tables.column import SUPPRESSED, Codes, Floats, Mask, number_texts
from worker.engine.tables.frequency import Counts, Domain
from worker.engine.tables.keys import distinct
from worker.engine.tables.kinds import NUMERIC, Kind


@dataclass(frozen=True)
class Labels:
    """The text of each region in one column, and the part of the column that it covers."""

    name: str
    kind: Kind
    texts: tuple[str, ...]
    codes: Codes
    lost: Floats

    @property
    def domain(self) -> Domain:
        """The labels as values."""
        return Domain(self.name, self.kind, self.texts, np.array([not text for text in self.texts], bool))


def labels_of(axis: Axis, values: Codes, counts: Counts, leaves: Leaves, summary: str, places: int) -> Labels:
    """One column's labels. `values` are codes of its domain, `counts` how many rows each stands for."""
    if isinstance(axis, TreeAxis):
        (texts, of), lost = _of_tree(axis, values, leaves)
    else:
        span = _Span(axis, values, leaves)
        (texts, of), lost = _of_order(span, counts, summary, places), span.lost
    index: dict[str, int] = {}
    to = np.array([index.setdefault(text, len(index)) for text in texts], np.int32)
    codes = to[of] if len(to) else np.zeros(0, np.int32)
    return Labels(axis.domain.name, kind_after(axis.domain.kind, summary), tuple(index), codes, lost)


Told = tuple[list[str], Codes]
"""Texts, not all different, and which of them stands for each region."""


class _Span:
    """The ranks that each region spans in an ordered column."""

    def __init__(self, axis: OrderedAxis, values: Codes, leaves: Leaves) -> None:
        self.axis, self.leaves = axis, leaves
        self.ranks = axis.ranks[values]
        ordered = self.ranks[leaves.order]
        self.low: Codes = np.minimum.reduceat(ordered, leaves.starts)
        self.high: Codes = np.maximum.reduceat(ordered, leaves.starts)
        self.unknown: Mask = self.low < axis.missing
        self.mixed: Mask = self.unknown & (self.high >= axis.missing)

    @property
    def lost(self) -> Floats:
        """The part of the column that each region spans; mixing missing and known spans it all."""
        numbers = np.where(np.isnan(self.axis.numbers), 0.0, self.axis.numbers)
        lost = (numbers[self.high] - numbers[self.low]) / self.axis.span
        return np.where(self.mixed, 1.0, np.where(self.unknown, 0.0, lost))


def _of_order(span: _Span, counts: Counts, summary: str, places: int) -> Told:
    axis = span.axis
    if summary in AS_NUMBERS and axis.has_distance:
        return _each(_middles(span, counts, summary, places))
    if summary == "set" or not axis.has_distance:
        return _each(_sets(span))
    size = len(axis.domain)
    keys, of = np.unique(span.low.astype(np.int64) * size + span.high, return_inverse=True)
    texts = axis.texts
    return [_interval(axis, texts, *divmod(key, size)) for key in keys.tolist()], of.reshape(-1)


def _each(texts: list[str]) -> Told:
    return texts, np.arange(len(texts), dtype=np.int32)


def _interval(axis: OrderedAxis, texts: list[str], low: int, high: int) -> str:
    if low < axis.missing <= high:
        return SUPPRESSED
    if low == high or axis.numbers[low] == axis.numbers[high]:
        return texts[low]
    return f"[{texts[low]}, {texts[high]}]"


def _sets(span: _Span) -> list[str]:
    """The values that occur in each region, in their order."""
    texts, size = span.axis.texts, max(len(span.axis.domain), 1)
    keys = distinct(span.leaves.of.astype(np.int64) * size + span.ranks)
    listed: list[list[str]] = [[] for _ in range(len(span.leaves))]
    for leaf, rank in zip((keys // size).tolist(), (keys % size).tolist(), strict=True):
        listed[leaf].append(texts[rank])
    mixed = span.mixed.tolist()
    return [
        SUPPRESSED if many else some[0] if len(some) == 1 else "{" + ", ".join(map(_quoted, some)) + "}"
        for some, many in zip(listed, mixed, strict=True)
    ]


def _quoted(text: str) -> str:
    """A member of a set, so that it can be told from its neighbours."""
    return '"' + text.replace('"', '""') + '"' if any(sign in text for sign in ',"') else text


def _middles(span: _Span, counts: Counts, summary: str, places: int) -> list[str]:
    """The mean or median of the known values of each region; nothing where some are missing."""
    axis, of = span.axis, span.leaves.of
    numbers = axis.numbers[span.ranks]
    if summary == "mean" and axis.domain.kind is not Kind.ORDINAL:
        rows = np.bincount(of, weights=counts, minlength=len(span.leaves))
        found = np.bincount(of, weights=counts * np.nan_to_num(numbers), minlength=len(span.leaves)) / rows
    else:
        found = _medians(axis, span.ranks, counts, of, len(span.leaves))
    found = np.where(span.unknown, np.nan, found)
    return _written(axis, found, places)


def _medians(axis: OrderedAxis, ranks: Codes, counts: Counts, of: Codes, number: int) -> Floats:
    """Halfway between the two middle rows; the lower one where there is no halfway."""
    order = np.lexsort((ranks, of))
    running = np.cumsum(counts[order])
    total = np.bincount(of, weights=counts, minlength=number).astype(np.int64)
    before = np.cumsum(total) - total
    low = axis.numbers[ranks[order[np.searchsorted(running, before + (total - 1) // 2, "right")]]]
    if axis.domain.kind is Kind.ORDINAL:
        return np.asarray(low)
    high = axis.numbers[ranks[order[np.searchsorted(running, before + total // 2, "right")]]]
    return np.asarray((low + high) / 2.0)


def _written(axis: OrderedAxis, numbers: Floats, places: int) -> list[str]:
    """Numbers as the column writes them."""
    kind = axis.domain.kind
    if kind in NUMERIC:
        return number_texts(np.round(numbers, places) + 0.0, kind)
    gone = np.isnan(numbers)
    whole = np.where(gone, 0, np.floor(numbers)).astype(np.int64)
    if kind is Kind.DATE:
        written = [str(day) for day in whole.astype("datetime64[D]")]
    else:
        texts = axis.texts
        written = [texts[rank] for rank in whole.tolist()]
    return ["" if none else text for none, text in zip(gone.tolist(), written, strict=True)]


def _of_tree(axis: TreeAxis, values: Codes, leaves: Leaves) -> tuple[Told, Floats]:
    """The lowest label that all rows of a region share."""
    ordered = values[leaves.order]
    first = ordered[leaves.starts]
    level = np.zeros(len(leaves), np.int64)
    mixed = np.ones(len(leaves), bool)
    for codes in axis.maps[:-1]:
        groups = codes[ordered]
        low, high = (np.minimum.reduceat(groups, leaves.starts), np.maximum.reduceat(groups, leaves.starts))
        mixed &= low != high
        level += mixed
    number, losses = np.stack(axis.maps), np.stack(axis.losses)
    ends = np.cumsum([0, *map(len, axis.labels)])
    texts = [text for labels in axis.labels for text in labels]
    return (texts, (ends[level] + number[level, first]).astype(np.int32)), losses[level, first]
