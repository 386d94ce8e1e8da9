"""Which labels of a release may stand for each known value, as pairs: few values have many labels."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import hierarchy_for
from worker.engine.hierarchies.value_order import declared_order
from worker.engine.linkage.coverage import among, between, paths_of
from worker.engine.tables.classes import Ids
from worker.engine.tables.column import SUPPRESSED, Mask
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Domain
from worker.engine.tables.intervals import ends_of
from worker.engine.tables.kinds import NUMERIC, Kind

MASK = "*"
BEYOND = chr(0x10FFFF)
"""Stands behind every text that goes on."""


@dataclass(frozen=True)
class Labels:
    """The labels that cover value `v` are `labels[starts[v]:starts[v + 1]]`."""

    starts: Ids
    labels: Ids

    @classmethod
    def covering(cls, values: Domain, known: Domain, labels: Domain, declared: Declaration) -> Labels:
        """By equality, by the hierarchy of the `known` values, and by what a label says of itself."""
        pairs = _by_name(values, known, labels, declared) | _above(values, known, labels, declared)
        pairs |= _by_number(values, labels) | _begun(values, labels) | _wider(values, labels)
        named = {label for label, _ in pairs}
        order = declared_order(known, declared) if known.kind is Kind.ORDINAL else ()
        for label, text in enumerate(labels.texts):
            if text == SUPPRESSED or (label not in named and _describes(text, labels.kind)):
                held = np.flatnonzero(_described(text, values, order)).tolist()
                pairs.update((label, value) for value in held)
        return cls._of(pairs, len(values))

    @classmethod
    def _of(cls, pairs: set[tuple[int, int]], values: int) -> Labels:
        laid = np.array(sorted((value, label) for label, value in pairs), np.int64).reshape(-1, 2)
        starts = np.searchsorted(laid[:, 0], np.arange(values + 1)).astype(np.int64)
        return cls(starts, laid[:, 1])


def _by_name(values: Domain, known: Domain, labels: Domain, declared: Declaration) -> set[tuple[int, int]]:
    """Labels that are the value itself or stand above it in the hierarchy."""
    plain = [
        value for value, text in enumerate(values.texts) if not _describes(text, values.kind) or not text
    ]
    asked = Domain(
        values.name, values.kind, tuple(values.texts[value] for value in plain), values.missing[plain]
    )
    try:
        paths = paths_of(declared.hierarchy, known, asked)
    except EngineError:  # a text for which the hierarchy has no rule stands for itself
        paths = tuple(frozenset((text,)) for text in asked.texts)
    found = ((labels.find(text), value) for value, path in zip(plain, paths, strict=True) for text in path)
    same = {(labels.find(text), value) for value, text in enumerate(values.texts)}
    return {(label, value) for label, value in {*found, *same} if label >= 0}


def _above(values: Domain, known: Domain, labels: Domain, declared: Declaration) -> set[tuple[int, int]]:
    """Labels above values that are labels themselves, of another release."""
    found: set[tuple[int, int]] = set()
    for row in hierarchy_for(declared.hierarchy, known).rows if declared.hierarchy else ():
        for level, text in enumerate(row[1:-1], 1):
            if (value := values.find(text)) >= 0:
                found |= {(label, value) for one in row[level:] if (label := labels.find(one)) >= 0}
    return found


def _wider(values: Domain, labels: Domain) -> set[tuple[int, int]]:
    """Intervals around values that are intervals themselves."""
    if labels.kind not in NUMERIC:
        return set()
    inner = [(value, ends) for value, text in enumerate(values.texts) if (ends := ends_of(text))]
    outer = [(label, ends) for label, text in enumerate(labels.texts) if inner and (ends := ends_of(text))]
    return {
        (label, value)
        for value, (low, high) in inner
        for label, (lowest, highest) in outer
        if lowest <= low and high <= highest
    }


def _by_number(values: Domain, labels: Domain) -> set[tuple[int, int]]:
    """Labels that write the same number in another way."""
    if labels.kind not in NUMERIC or not len(labels):
        return set()
    order = np.argsort(labels.numbers, kind="stable")  # those that are none stand last
    numbers = labels.numbers[order]
    first, end = (np.searchsorted(numbers, values.numbers, side) for side in ("left", "right"))
    known = np.flatnonzero(~np.isnan(values.numbers)).tolist()
    return {(int(order[at]), value) for value in known for at in range(first[value], end[value])}


def _begun(values: Domain, labels: Domain) -> set[tuple[int, int]]:
    """Texts and dates of which only the beginning stands: the year of a day, an area of a postcode."""
    if labels.kind not in (Kind.TEXT, Kind.DATE):
        return set()
    texts = sorted((text, value) for value, text in enumerate(values.texts))
    found = set()
    for label, text in enumerate(labels.texts):
        if text and values.find(text) < 0:
            ends = bisect_left(texts, (text,)), bisect_left(texts, (text + BEYOND,))
            found |= {(label, value) for _, value in texts[slice(*ends)]}
    return found


def _describes(text: str, kind: Kind) -> bool:
    """Whether a label may be more than a value: an interval, a set, a mask."""
    return not text or text[0] in "[{<>" or MASK in text or (kind in NUMERIC and ends_of(text) is not None)


def _described(text: str, values: Domain, order: Sequence[str]) -> Mask:
    """The values that it holds."""
    if text == SUPPRESSED:
        return np.ones(len(values), bool)
    if not text:
        return values.missing
    held = between(text, values.numbers) | among(text, values, order) | _masked(text, values)
    if text[0] != "[" and (ends := ends_of(text)):  # as other tools write it, with both ends
        held |= (values.numbers >= ends[0]) & (values.numbers <= ends[1])
    return held


def _masked(text: str, values: Domain) -> Mask:
    """The values of the same length that agree wherever a character still stands."""
    if MASK not in text:
        return np.zeros(len(values), bool)
    shown = [(at, sign) for at, sign in enumerate(text) if sign != MASK]
    fit = (len(one) == len(text) and all(one[at] == sign for at, sign in shown) for one in values.texts)
    return np.fromiter(fit, bool, len(values))
