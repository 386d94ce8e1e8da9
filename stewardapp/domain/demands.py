"""What policies may demand of figures, and what a run has to measure for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from typing import Any

from stewardapp.access.facts import ANY_FAMILY, RunFacts
from stewardapp.access.thresholds import applies
from stewardapp.access.verdict import Invalid
from stewardapp.domain.assessed import ANSWERED
from stewardapp.models.policy import Policy
from stewardapp.models.policy_row import PolicyRow, figure_named
from worker.engine import catalogue
from worker.engine.contracts.figure import Figure
from worker.engine.contracts.measure import Measure
from worker.engine.contracts.parameters import FILES, Params
from worker.engine.contracts.traces import ReleaseFamily
from worker.engine.recipes.document import Entry, RecipeJson

FAMILIES = (ANY_FAMILY, *(str(one) for one in ReleaseFamily if one is not ReleaseFamily.TABLE))
"""Of a table with noise nothing is measured; its promise is its ε."""
MOST_ROWS = 30
LARGEST = Decimal(10) ** 9
PLACES = Decimal("0.0001")


@dataclass(frozen=True)
class Demand:
    """A row of a policy before it is written. `part` is the threshold of a figure that has several."""

    measure: str
    figure: str
    bound: Decimal
    part: str = ""
    params: Params = field(default_factory=dict)
    family: str = ANY_FAMILY
    excusable: bool = False


def demandable() -> dict[str, type[Measure]]:
    """The measures that every file can be measured by: with a figure to compare, and no file to be named."""
    return {slug: one for slug, one in catalogue.measures().items() if _is_demandable(one)}


@cache
def _is_demandable(contract: type[Measure]) -> bool:
    """Asked of every measure for each row of a page."""
    return _fits_every_file(contract) and any(True for _ in offered(contract))


def offered(contract: type[Measure]) -> Iterator[tuple[Figure, str]]:
    """The figures that can be held against a bound, each with each of its thresholds."""
    for figure in contract.figures:
        if figure.comparable:
            yield from ((figure, part) for part in figure.parts or ("",))


def plain_parameters(contract: type[Measure]) -> tuple[str, ...]:
    """What a policy may say of a measure: columns follow from their roles, files belong to a release."""
    return tuple(one.name for one in contract.parameters() if one.columns is None and one.type not in FILES)


def _fits_every_file(contract: type[Measure]) -> bool:
    plain = plain_parameters(contract)
    info = contract.model_fields
    return all(one.name in plain or not info[one.name].is_required() for one in contract.parameters())


def range_of(figure: Figure) -> tuple[Decimal, Decimal]:
    """Between which a bound lies."""
    if figure.unit == "share":
        return Decimal(0), Decimal(1)
    return (Decimal(0) if figure.unit == "count" else -LARGEST), LARGEST


def checked_bound(figure: Figure, bound: Decimal) -> Decimal:
    """The bound as it is kept, or Invalid at `bound`."""
    low, high = range_of(figure)
    if not (bound.is_finite() and low <= bound <= high):
        ends = "0 % and 100 %" if figure.unit == "share" else f"{low} and {high}"
        raise Invalid("out-of-range", f"{figure.title} must lie between {ends}.", "bound")
    if figure.unit == "count" and bound != int(bound):
        raise Invalid("out-of-range", f"{figure.title} is a whole number.", "bound")
    return bound.quantize(PLACES)


def checked(demand: Demand) -> Demand:
    """The demand as it is kept, or Invalid at what is wrong with it."""
    contract = demandable().get(demand.measure)
    if contract is None:
        raise Invalid("unknown-measure", "This installation has no such measure for policies.", "measure")
    figure = figure_named(contract, demand.figure)
    if figure is None or (figure, demand.part) not in list(offered(contract)):
        raise Invalid("unknown-figure", f"{contract.title} has no such figure with a bound.", "figure")
    if demand.family not in FAMILIES:
        raise Invalid("unknown-family", "Choose one of the families of releases.", "family")
    if not demand.params.keys() <= set(plain_parameters(contract)):
        raise Invalid("bad-parameter", "A policy names neither columns nor files: roles decide.", "params")
    for problem in contract.problems(demand.params):
        raise Invalid("bad-parameter", problem.message, f"params.{problem.param}")
    return replace(demand, bound=checked_bound(figure, demand.bound))


def rows_of(policy: Policy, demands: Sequence[Demand]) -> list[PolicyRow]:
    """The rows of a new policy, unwritten; Invalid names the place of what is wrong."""
    if not 1 <= len(demands) <= MOST_ROWS:
        raise Invalid("rows", f"A policy makes between 1 and {MOST_ROWS} demands.", "rows")
    rows = [_row(policy, at, demand) for at, demand in enumerate(demands)]
    facts = [row.facts() for row in rows]
    for at, one in enumerate(facts):
        if any(_same(one, other) for other in facts[:at]):
            raise Invalid("row-twice", f"{one.title} is demanded twice.", f"rows[{at}].figure")
    return rows


def _row(policy: Policy, at: int, demand: Demand) -> PolicyRow:
    try:
        right = checked(demand)
    except Invalid as refused:
        raise Invalid(refused.code, refused.reason, f"rows[{at}].{refused.param}") from None
    return PolicyRow(policy=policy, position=at + 1, **{**vars(right), "params": dict(right.params)})


def _same(one: Any, other: Any) -> bool:
    return (one.instance, one.figure, one.family) == (other.instance, other.figure, other.family)


def demands_of(policy: Policy) -> tuple[Demand, ...]:
    """What a policy demands, to be written again."""
    names = ("measure", "figure", "bound", "part", "params", "family", "excusable")
    return tuple(Demand(**{name: getattr(row, name) for name in names}) for row in policy.rows.all())


def lacking(measured: Iterable[Measure], policy: Policy) -> list[Entry]:
    """What a recipe has to measure besides, so that its policy can be judged."""
    return _wanted(policy.rows.all(), {one.id for one in measured})


def unanswered(run: RunFacts, policy: Policy) -> list[Entry]:
    """What a policy asks of a run and nobody measured, or somebody in vain."""
    known = {id for id, one in run.measured.items() if one.state in ANSWERED}
    return _wanted([row for row in policy.rows.all() if applies(row.facts(), run)], known)


def looking_beside(policy: Policy) -> list[Measure]:
    """What is asked of a candidate when other releases about the same people are out, whatever the policy
    says: the measures that look at them, with the parameters that the policy gives them."""
    contracts = {slug: one for slug, one in catalogue.measures().items() if one.looks_beside}
    rows = policy.rows.filter(measure__in=contracts)
    named = {one.id: one for row in rows if (one := row.instance) is not None}
    left = contracts.keys() - {one.slug for one in named.values()}
    return [
        *named.values(),
        *(contracts[slug]() for slug in sorted(left) if _fits_every_file(contracts[slug])),
    ]


def looks_beside(recipe: RecipeJson) -> bool:
    """Whether it measures something that looks at other releases."""
    asked = {named if isinstance(named, str) else named["measure"] for named in recipe["measures"]}
    known = catalogue.measures()
    return any(slug not in known or known[slug].looks_beside for slug in asked)


def entries(wanted: Iterable[Measure]) -> list[Entry]:
    """Instances as a recipe lists them."""
    told = ((one.slug, one.model_dump(mode="json", exclude_unset=True)) for one in wanted)
    return [Entry(measure=slug, params=params) for slug, params in told]


def _wanted(rows: Iterable[PolicyRow], there: Set[str]) -> list[Entry]:
    wanted = {one.id: one for row in rows if (one := row.instance) is not None}
    return entries(one for one in wanted.values() if one.id not in there)
