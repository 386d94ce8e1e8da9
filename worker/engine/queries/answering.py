"""What a file answers to a query, when labels say only how likely a cell is to meet a condition."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from worker.engine.hierarchies.hierarchy import Hierarchy
from worker.engine.queries.language import Condition, Query
from worker.engine.tables.column import SUPPRESSED, Floats, Mask
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.intervals import ends_of
from worker.engine.tables.kinds import Kind

COMPARED: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
FEWEST = 10
"""A sum or mean over fewer rows would tell the values of single ones."""


@dataclass(frozen=True)
class Known:
    """What is known of a column beside its cells: the numbers of texts and of values, where they lie on a
    line, and what labels stand for.
    """

    kind: Kind
    hierarchy: Hierarchy | None
    places: Callable[[pa.Array], Floats] | None = None
    numbers: Callable[[Domain], Floats] | None = None
    middles: Callable[[Domain], Floats] | None = None


def answer(query: Query, table: FrequencyTable, known: Mapping[str, Known]) -> float | None:
    """What is expected, when every value that a label stands for is as likely as the others."""
    rows = table.counts.astype(np.float64)
    for condition in query.conditions:
        likely = likelihoods(condition, table.domain(condition.column), known[condition.column])
        rows *= likely[table.column(condition.column)]
    if query.asks == "count":
        return float(rows.sum())
    if query.asks == "share":
        return float(rows.sum() / table.rows) if table.rows else None
    assert query.column is not None
    middles = known[query.column].middles
    assert middles is not None
    numbers = middles(table.domain(query.column))[table.column(query.column)]
    told = ~np.isnan(numbers) & (rows > 0)
    if rows[told].sum() < FEWEST:
        return None
    total = float(np.dot(rows[told], numbers[told]))
    return total if query.asks == "sum" else total / float(rows[told].sum())


def likelihoods(condition: Condition, domain: Domain, known: Known) -> Floats:
    """How likely each value or label meets a condition. A missing value and `*` meet none."""
    numbers = None if known.numbers is None else known.numbers(domain)
    found = _met(condition, known, domain.arrow, numbers).astype(np.float64)
    labels = _above(known.hierarchy)
    open_ones = np.arange(len(domain)) if numbers is None else np.flatnonzero(np.isnan(numbers))
    for code in open_ones.tolist() if labels or numbers is not None else ():
        text = domain.text(code)
        if text in labels:
            found[code] = _met_by_texts(condition, known, labels[text]).mean()
        elif numbers is not None and known.kind is not Kind.DATE and (ends := ends_of(text)):
            found[code] = _inside(condition, known, ends, not text.endswith("["))
    found[domain.missing] = 0.0
    star = domain.find(SUPPRESSED)
    if star >= 0:
        found[star] = 0.0
    return found


def _above(hierarchy: Hierarchy | None) -> Mapping[str, Sequence[str]]:
    """The values below each label that is none itself."""
    found: dict[str, list[str]] = {}
    for path in hierarchy.rows if hierarchy else ():
        for label in set(path[1:]):
            if hierarchy is not None and label not in hierarchy.paths:
                found.setdefault(label, []).append(path[0])
    return found


def _bound(condition: Condition, known: Known) -> float:
    """The number that a condition names; NaN where it names none."""
    if known.places is None:
        return float("nan")
    return float(known.places(pa.array([condition.value], pa.string()))[0])


def _met(condition: Condition, known: Known, texts: pa.Array, numbers: Floats | None) -> Mask:
    """Which values meet a condition: as numbers where both sides are, otherwise as texts."""
    bound = _bound(condition, known)
    if numbers is not None and not np.isnan(bound):
        return np.asarray(COMPARED[condition.sign](numbers, bound) & ~np.isnan(numbers))
    equal = np.asarray(pc.equal(texts, condition.value).to_numpy(zero_copy_only=False), bool)
    return ~equal if condition.sign == "!=" else equal


def _met_by_texts(condition: Condition, known: Known, texts: Sequence[str]) -> Mask:
    held = pa.array(texts, pa.string())
    return _met(condition, known, held, None if known.places is None else known.places(held))


def _inside(condition: Condition, known: Known, ends: tuple[float, float], closed: bool) -> float:
    """The part of an interval that meets a condition; whole numbers are counted where they are not many."""
    bound, (low, high) = _bound(condition, known), ends
    if known.kind is Kind.INTEGER and high - low <= MOST_COUNTED:
        inside = np.arange(np.ceil(low), np.floor(high) + closed)
        return float(COMPARED[condition.sign](inside, bound).mean()) if len(inside) else 0.0
    below = min(max((bound - low) / (high - low), 0.0), 1.0) if high > low else float(low < bound)
    return {"<": below, "<=": below, ">": 1 - below, ">=": 1 - below, "=": 0.0, "!=": 1.0}[condition.sign]


MOST_COUNTED = 1000
