"""The classes that tell most of a sensitive value, in words, and how certain all of them make each value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from worker.engine.attributes.posteriors import Posteriors
from worker.engine.contracts.chart import Axis, Chart, Series
from worker.engine.tables.classes import Classes, Ids
from worker.engine.tables.frequency import Domain
from worker.engine.wording import thousands

SHOWN = 20
FEWEST = 2
"""What one alone has is said of nobody: that a single row is found is for other measures to tell."""
VALUES = 12
EDGES = (0.1, 0.25, 0.5, 0.75)
BANDS = ("0 %", "below 10 %", "from 10 %", "from 25 %", "from 50 %", "from 75 %", "100 %")
"""How likely a class makes a value; the edges are those between the second and the last."""


def worst_classes(found: Posteriors) -> Ids:
    """The entries whose class tells most: the likeliest value first, then the rarest, then the most people.

    Only where the class tells more than the table, and several people hold the value.
    """
    several = np.flatnonzero(found.inside >= FEWEST)
    ids, codes, inside = found.ids[several], found.codes[several], found.inside[several]
    posterior = inside / found.held[ids]
    gain = posterior - found.prior[codes]
    order = np.lexsort((ids, -inside, -gain, -posterior))
    wanted = (gain > 0) & ~found.harmless[codes]
    return np.asarray(several[order[wanted[order]][:SHOWN]])


def in_words(found: Posteriors, classes: Classes, names: Sequence[str], unit: str) -> Iterator[str]:
    """A sentence for each of the worst classes."""
    table = classes.table
    for entry in worst_classes(found).tolist():
        at = int(np.argmax(classes.ids == found.ids[entry]))  # the other classes are nobody's concern
        labels = ", ".join(_said(table.domain(name), int(table.column(name)[at])) for name in names)
        value = _said(found.domain, int(found.codes[entry]))
        yield _sentence(labels, value, int(found.inside[entry]), int(found.held[found.ids[entry]]), unit)


def _sentence(labels: str, value: str, holding: int, among: int, unit: str) -> str:
    if holding == among:
        return f"Everybody with {labels} has {value} ({thousands(among)} {unit}s)"
    return f"{thousands(holding)} of {thousands(among)} {unit}s with {labels} have {value}"


def _said(domain: Domain, code: int) -> str:
    return "no value" if domain.missing[code] else domain.text(code)


def words_chart(column: str, found: Posteriors, sentences: Sequence[str]) -> Chart:
    """The worst classes in words, with the share of each that has the value."""
    entries = worst_classes(found)
    shares = (found.inside[entries] / found.held[found.ids[entries]]).tolist()
    return Chart(
        slug=f"worst-classes-{column}",
        title=f"Classes that tell most of {column}",
        kind="bar",
        x=Axis("Class", "", "category"),
        y=Axis("Share with the value", "", "percent"),
        series=(Series("", tuple(sentences), tuple(shares)),),
        note="Who knows that somebody is in such a class learns the value with this probability. A value "
        "that only one of a class has is not listed.",
        internal=True,
    )


def certainty_chart(column: str, found: Posteriors) -> Chart:
    """For each of the commonest values: how everybody is spread over classes that make it so likely."""
    values = _commonest(found)
    labels = tuple(_said(found.domain, value) for value in values)
    return Chart(
        slug=f"certainty-{column}",
        title=f"How likely classes make each value of {column}",
        kind="heatmap",
        x=Axis("Share of the class that has the value", "", "category"),
        y=Axis(column, "", "category"),
        series=(Series("", BANDS, labels, z=tuple(_spread(found, value) for value in values)),),
        note="Each line is a value, each square the share of everybody whose class makes the value so "
        "likely: weight on the right means that classes give it away.",
        internal=True,
    )


def _commonest(found: Posteriors) -> list[int]:
    """The values that most have; one that hardly anybody has is not named."""
    order = np.argsort(-found.overall, kind="stable")[:VALUES]
    return [code for code in order.tolist() if found.overall[code] >= FEWEST]


def _spread(found: Posteriors, value: int) -> tuple[float, ...]:
    """The share of everybody in classes of each band."""
    here = np.flatnonzero(found.codes == value)
    ids, total = found.ids[here], max(int(found.people.sum()), 1)
    band = 1 + np.searchsorted(EDGES, found.inside[here] / found.held[ids], side="right")
    band[found.inside[here] == found.held[ids]] = len(BANDS) - 1
    people = np.bincount(band, found.people[ids], len(BANDS))
    people[0] = total - people.sum() if found.number else 0
    return tuple((people / total).tolist())
