"""The order of a column's values: by size, as declared, or by text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from worker.engine.hierarchies.hierarchy import read
from worker.engine.tables.column import Codes
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import NUMERIC, Kind

Order = np.ndarray[Any, np.dtype[np.intp]]


def ranks_of(domain: Domain, declared: Declaration) -> Codes:
    """The place of each value: numbers by size, ordinals as declared, everything else by text.

    A missing value comes first; values of an ordinal column that are not declared come last, by text.
    """
    ranks = np.zeros(len(domain), np.int32)
    ranks[_by_size(domain) if domain.kind in NUMERIC else _by_word(domain, declared)] = np.arange(len(domain))
    return ranks


def _by_size(domain: Domain) -> Order:
    """Columns of numbers may have as many values as rows: only those that stand for one number are looked at
    one by one."""
    numbers = np.where(np.isnan(domain.numbers), -np.inf, domain.numbers)
    order = np.argsort(numbers, kind="stable")
    fresh = np.append(True, numbers[order][1:] != numbers[order][:-1])[: len(order)]
    starts = np.flatnonzero(fresh)
    ends = np.append(starts[1:], len(order))
    for at in np.flatnonzero(ends - starts > 1).tolist():
        run = slice(starts[at], ends[at])
        order[run] = sorted(order[run].tolist(), key=domain.text)
    return order


def _by_word(domain: Domain, declared: Declaration) -> list[int]:
    said = declared_order(domain, declared) if domain.kind is Kind.ORDINAL else ()
    place = {text: number for number, text in enumerate(said)}
    pairs = zip(domain.texts, domain.missing, strict=True)
    keys = [(-1.0 if gone else float(place.get(text, len(place))), text) for text, gone in pairs]
    return sorted(range(len(domain)), key=keys.__getitem__)


def declared_order(domain: Domain, declared: Declaration) -> Sequence[str]:
    """The categories in their order, or the order of the hierarchy when it has one."""
    if declared.categories:
        return declared.categories
    spec = declared.hierarchy
    if spec is None:
        return ()
    if spec.lines is not None:
        return tuple(row[0] for row in read(spec.lines, domain.name).rows)
    values = spec.options.get("values", ()) if spec.builder == "order" else ()
    return tuple(str(value) for value in values)
