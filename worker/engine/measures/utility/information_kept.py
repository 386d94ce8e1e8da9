"""How much each row of a release still says of what it was."""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

import numpy as np

from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Found, Measure, Section, register
from worker.engine.contracts.scene import Scene
from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import levels_of
from worker.engine.information.bins import ORDERED
from worker.engine.information.columns import (
    CONSTANT,
    PASSED_OVER,
    Scores,
    at_random,
    entropy,
    released_columns,
    row_by_row,
)
from worker.engine.information.side_by_side import in_bins
from worker.engine.tables.column import SUPPRESSED
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain, FrequencyTable
from worker.engine.tables.keys import distinct, group, pack
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Codes, Field, Mask

TOO_MANY = (
    "Chance changed it, and it has more different values than the square root of the rows: every pair of "
    "values would be rare, and say too much. Declare a hierarchy for it."
)


@register
class InformationKept(Measure):
    """How much each row of the release still says of what it was.

    For each column 1 − H(original | released) ÷ H(original): 1 where the released value tells the original
    one, 0 where it tells nothing. Numbers and dates are put into ten quantile bins of the original on both
    sides, because an exact number of its own would tell everything, however much noise is in it. A missing
    value and `*` are values of their own; a row that was left out is `*` in every column. A column of
    categories that chance changed is read at the lowest level of its hierarchy with at most √n values.
    Columns that do not leave count 0.
    """

    slug = "information-kept"
    title = "Information kept"
    section = Section.UTILITY
    references = ("Shannon (1948), A mathematical theory of communication", "Domingo-Ferrer & Torra (2001)")
    figures: ClassVar = (
        Figure(
            "information_kept",
            "Information kept",
            "The mean over all columns of the original but identifiers and keys; a column that does not "
            "leave counts 0. 100 % is the original, 0 % says nothing of any row.",
            unit="share",
            better="high",
            usual=(0.3, 1),
            headline=True,
            of_rows=True,
        ),
        Figure(
            "per_column",
            "Information kept in each column",
            "1 − H(original | released) ÷ H(original): the part of what there was to know of a row's value "
            "that its released value still tells.",
            unit="share",
            better="high",
            usual=(0.3, 1),
            per="column",
            of_rows=True,
            tabled=True,
        ),
        PASSED_OVER,
        Figure("removed", "Columns that do not leave", "They count 0.", unit="count", better="low"),
    )

    def compare(self, scene: Scene) -> Found:
        beside = row_by_row(scene)
        columns = released_columns(scene)
        beside.announce(in_bins(one.name) for one in columns)
        scores = Scores.where_gone(scene, 0.0)
        removed = len(scores.found)
        for column in columns:
            scores.add(column.name, _kept(scene, beside, column))
        return scores.told(scene, self.slug, self.title, NOTE, removed=removed)


NOTE = "100 % means that the released value tells the original one, 0 % that it tells nothing of it."


def _kept(scene: Scene, beside: Statistics, column: Field) -> float | str:
    """The share kept in a column, or why there is none."""
    pairs = beside.counts(in_bins(column.name).columns)
    if column.kind not in ORDERED and at_random(scene, column.name, pairs):
        readable = _few_values(pairs, scene.before.declaration(column.name).hierarchy)
        if readable is None:
            return TOO_MANY
        pairs = readable
    before = entropy(pairs.marginal(pairs.names[0]))
    if not before:
        return CONSTANT
    return min(max(1 - (entropy(pairs.counts) - entropy(pairs.marginal(pairs.names[1]))) / before, 0.0), 1.0)


def _values(domain: Domain) -> int:
    """How many different values there are."""
    return int(_is_value(domain).sum())


def _is_value(domain: Domain) -> Mask:
    """Which entries are neither missing nor `*`."""
    return np.asarray(~domain.missing & (np.arange(len(domain)) != domain.find(SUPPRESSED)))


def _few_values(pairs: FrequencyTable, spec: HierarchySpec | None) -> FrequencyTable | None:
    """Both sides as they are, or at the lowest level of few values; None where the hierarchy has none."""
    if _values(pairs.domains[0]) <= sqrt(pairs.rows):
        return pairs
    if spec is None:
        return None
    texts = tuple(sorted(set(pairs.domains[0].texts) | set(pairs.domains[1].texts)))
    whole = Domain(pairs.names[0], pairs.domains[0].kind, texts, np.array([not text for text in texts], bool))
    try:
        levels = levels_of(spec, whole)
    except EngineError:
        return None
    codes = [whole.places_of(domain)[held] for domain, held in zip(pairs.domains, pairs.codes, strict=True)]
    occurs = whole.places_of(pairs.domains[0])[_is_value(pairs.domains[0])]
    for level, labels in enumerate(levels.labels):
        to = levels.from_values[level]
        if len(distinct(to[occurs])) <= sqrt(pairs.rows):
            return _counted(pairs, labels, [to[one] for one in codes])
    return None


def _counted(pairs: FrequencyTable, labels: tuple[str, ...], codes: list[Codes]) -> FrequencyTable:
    blank = np.zeros(len(labels), bool)
    domains = tuple(Domain(one.name, one.kind, labels, blank) for one in pairs.domains)
    groups = group(pack(codes, [len(labels)] * 2, len(pairs)))
    return FrequencyTable(domains, tuple(one[groups.first] for one in codes), groups.sum(pairs.counts))
