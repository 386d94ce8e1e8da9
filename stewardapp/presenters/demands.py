"""The rows of a policy as pages print them, and the figures of runs that they judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from stewardapp.access.facts import ANY_FAMILY
from stewardapp.access.thresholds import applies, demand_words, judge
from stewardapp.domain.manifest import KeptFigures
from stewardapp.presenters.how_to_read import printed
from stewardapp.presenters.measures import figure_of, help_of
from worker.engine import catalogue
from worker.engine.contracts.figure import Figure

if TYPE_CHECKING:
    from stewardapp.access.facts import RowFacts, RunFacts
    from stewardapp.access.verdict import Verdict
    from stewardapp.models import Policy


@dataclass(frozen=True)
class DemandLine:
    """One row of a policy in words."""

    title: str
    demand: str
    explanation: str
    measure: str
    family: str = ""
    excusable: bool = False


def demand_lines(policy: Policy) -> tuple[DemandLine, ...]:
    """Every row of a policy with how to read its figure."""
    return tuple(
        demand_line(row.measure, row.figure, facts)
        for row, facts in zip(policy.rows.all(), policy.demanded, strict=True)
    )


def demand_line(slug: str, figure: str, facts: RowFacts) -> DemandLine:
    """One row; a measure that is gone is called by its name."""
    contract = catalogue.measures().get(slug)
    return DemandLine(
        title=facts.title,
        demand=demand_words(facts),
        explanation=help_of(figure_of(slug, figure)),
        measure=contract.title if contract else slug,
        family="" if facts.family == ANY_FAMILY else facts.family,
        excusable=facts.excusable,
    )


def value_of(facts: RunFacts, row: RowFacts) -> Decimal | None:
    """The figure of a run that a row is about, where there is one and the row is about such runs."""
    found = facts.measured.get(row.instance)
    return found.figures.get(row.figure) if found and applies(row, facts) else None


@dataclass(frozen=True)
class Judged:
    """A row of a policy with the figure of a run and the slug of the measure it is of."""

    row: RowFacts
    slug: str
    line: DemandLine
    value: str
    verdict: Verdict

    @property
    def useful(self) -> bool:
        """Whether it is a floor of utility; any other row bounds a risk."""
        contract = catalogue.measures().get(self.slug)
        return contract is not None and contract.section == "utility"


def judged_lines(facts: RunFacts, policy: Policy) -> Iterator[Judged]:
    """Every row of a policy with what it says of a run; a figure that nobody knows is a dash."""
    written = policy.rows.all()
    for row, one, line in zip(policy.demanded, written, demand_lines(policy), strict=True):
        value = in_words(value_of(facts, row), row.unit)
        yield Judged(row, one.measure, line, value, judge(row, facts))


def in_words(value: Decimal | None, unit: str) -> str:
    """A figure of a run as lists print it."""
    # `printed` asks a figure for nothing but its unit.
    number = None if value is None else int(value) if unit == "count" else float(value)
    return printed(Figure("", "", "", unit=unit), number)  # type: ignore[arg-type]


def headlines(kept: KeptFigures, section: str = "") -> Iterator[tuple[str, str, Figure, Any]]:
    """(instance, key, figure, value) of the single headline figures that a run keeps, of a section or all."""
    for id, one in kept.get("results", {}).items():
        contract = catalogue.measures().get(one["measure"])
        if contract is None or section not in ("", contract.section):
            continue
        for figure in contract.figures:
            if figure.headline and figure.name in one["figures"]:
                yield id, figure.name, figure, one["figures"][figure.name]
