"""A population's privacy budget as its page prints it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from stewardapp.access import rules
from stewardapp.access.amounts import delta_words, epsilon_words, spend_words
from stewardapp.access.verdict import Verdict
from stewardapp.domain.holding import facts_of, proposal_facts, stake_in, stake_of
from stewardapp.models import Allotment, Allowance, Charge, Desk, Population, Proposal, Release, User, Version
from stewardapp.models.membership import person_anywhere
from stewardapp.presenters.numbers import NO_BREAK, percent
from stewardapp.reads import populations as reads
from stewardapp.reads.populations import Bought, Mixture, out_about
from worker.engine.contracts.chart import Axis, Chart, Series, Threshold
from worker.engine.contracts.privacy import Protected, Spend
from worker.engine.dp import accounting, promises

if TYPE_CHECKING:
    from stewardapp.models.purse import Purse

SLACK_FEMTO = 1_000_000  # δ = 1e-9
HIDDEN = "a purchase of a project that you do not see"
RARE, FAMILIES = 0.01, (2, 4, 8)


def words(spend: Spend) -> str:
    """ε, and δ where there is some."""
    return spend_words(spend.epsilon_micro, spend.delta_femto)


@dataclass(frozen=True)
class Level:
    """A purse in numbers and as a share."""

    limit: str
    spent: str
    left: str
    share: int


def level(purse: Purse) -> Level:
    """How full a purse is; the fuller of ε and δ counts."""
    shares = [
        Decimal(spent) / limit
        for spent, limit in (
            (purse.spent.epsilon_micro, purse.limit_epsilon_micro),
            (purse.spent.delta_femto, purse.limit_delta_femto),
        )
        if limit
    ]
    share = round(100 * max(shares, default=Decimal(0)))
    return Level(words(purse.limit), words(purse.spent), words(purse.left), share)


@dataclass(frozen=True)
class Purchase:
    """One line of what was bought: all steps of a run are charged at once, a query is one line."""

    at: datetime
    what: str
    by: str
    project: str
    url: str
    amount: str
    spent: str
    direct: bool
    protects: str


def purchases(bought: Bought) -> list[Purchase]:
    """Every charge with what had been spent by then; strangers' purchases are amounts only."""
    found, total = [], Spend()
    for charge in bought.charges:
        total += charge.spend
        open_ = charge.pk in bought.told
        found.append(
            Purchase(
                at=charge.created_at,
                what=charge.what if open_ else HIDDEN,
                by=charge.by.display_name if open_ else "–",
                project=str(charge.project) if open_ else "–",
                url=reverse("run-detail", args=[charge.run_id]) if charge.run_id in bought.runs else "",
                amount=words(charge.spend),
                spent=words(total),
                direct=charge.direct,
                protects="persons" if charge.unit == Protected.PERSON else "rows",
            )
        )
    return found


def history(population: Population, charges: Sequence[Charge]) -> Chart:
    """What had been spent after each day with a purchase, against the limit of today."""
    days = [(day, list(bought)) for day, bought in groupby(charges, key=lambda one: one.created_at.date())]
    spent, total = [], 0
    for _, bought in days:
        total += sum(charge.epsilon_micro for charge in bought)
        spent.append(float(Decimal(total).scaleb(-6)))
    series = Series("spent", tuple(f"{day:%d %b %Y}" for day, _ in days), tuple(spent))
    limit = float(population.limit.epsilon)
    return Chart(
        slug="budget",
        title="Budget over time",
        kind="bar",
        x=Axis("day", scale="category"),
        y=Axis("ε spent so far"),
        series=(series,) if days else (),
        note="The dashed line is the limit of today. What is spent never falls.",
        threshold=Threshold(limit, "limit"),
    )


@dataclass(frozen=True)
class Sum:
    """One way of adding the same purchases up."""

    name: str
    amount: str
    note: str


def sums(charges: Iterable[Charge]) -> list[Sum]:
    """The sum that is enforced, and what finer accounting would say of the same purchases."""
    spends = [charge.spend for charge in charges]
    plain = accounting.basic(spends)
    return [
        Sum("Sum (enforced)", words(plain), "holds whatever is asked, in whatever order"),
        *(Sum(name, words(one), _holds(one, plain)) for name, one in _finer(spends)),
    ]


def sums_by_unit(charges: Sequence[Charge]) -> list[tuple[str, list[Sum]]]:
    """Purchases that protect persons by themselves; where some protect rows only, all of them, for rows."""
    persons = [one for one in charges if one.unit == Protected.PERSON]
    found = [("each person", persons)] if persons else []
    if len(persons) < len(charges):
        found.append(("each row", list(charges)))
    return [(whom, sums(bought)) for whom, bought in found]


def _finer(spends: Sequence[Spend]) -> list[tuple[str, Spend]]:
    return [
        ("Advanced composition", accounting.advanced(spends, SLACK_FEMTO)),
        ("Concentrated (zCDP)", accounting.zero_concentrated(spends, SLACK_FEMTO)),
        ("Privacy loss distribution", accounting.loss_distribution(spends, SLACK_FEMTO)),
    ]


def _holds(one: Spend, plain: Spend) -> str:
    if one == plain:
        return "no better than the sum for these purchases"
    return f"with {delta_words(SLACK_FEMTO)} added to δ"


@dataclass(frozen=True)
class Meaning:
    """What an amount promises, and to whom."""

    title: str
    sentences: tuple[str, ...]


def meanings(population: Population, charges: Sequence[Charge]) -> list[Meaning]:
    """The limit as far as purchases protect persons; what was spent on persons, and apart from it on rows."""
    found = [Meaning("The limit, when every purchase protects persons", meaning(population.limit))]
    for unit in Protected:
        bought = [one for one in charges if one.unit == unit]
        # A promise to a person holds for each row of the person too; the other way round it does not.
        counted = charges if unit is Protected.ROW else bought
        if bought:
            total = sum((one.spend for one in counted), Spend())
            found.append(Meaning(f"Spent so far: what is promised to {EACH[unit]}", meaning(total, unit)))
    return found


EACH = {Protected.PERSON: "each person, by purchases that protect persons", Protected.ROW: "each row"}


def meaning(spend: Spend, unit: Protected = Protected.PERSON) -> tuple[str, ...]:
    """What an amount promises, in sentences."""
    attribute = percent(promises.belief_after(RARE, promises.attribute_factor(spend.epsilon_micro)))
    presence = percent(promises.belief_after(RARE, promises.presence_factor(spend.epsilon_micro)))
    said = [
        f"{words(spend)}: what follows from it.",
        *promises.promised(spend, unit),
        f"Who thought a fact about somebody in the data {percent(RARE)} likely can think it {attribute} "
        f"likely afterwards, at most; who thought so of somebody's being in the data, {presence} likely.",
    ]
    if unit is Protected.PERSON:
        groups = ", ".join(
            f"{people}{NO_BREAK}people {epsilon_words(accounting.for_group(spend, people).epsilon_micro)}"
            for people in FAMILIES
        )
        said.append(f"It is a promise to each single person. For a family it is weaker: {groups}.")
    return tuple(said)


@dataclass(frozen=True)
class ProposalLine:
    """What waits for others, who stands behind it, who must still agree, and whether this one may."""

    proposal: Proposal
    backers: str
    missing: tuple[str, ...]
    may_confirm: Verdict
    may_decline: Verdict


def proposal_lines(population: Population, user: User) -> list[ProposalLine]:
    """Open proposals that concern these people, with their buttons."""
    return [_proposal_line(one, user) for one in reads.open_proposals(population)]


def _proposal_line(proposal: Proposal, user: User) -> ProposalLine:
    facts, stake = proposal_facts(proposal), stake_of(user, proposal.concerned)
    agreed = [one.by.display_name for one in proposal.agreements.all()]
    return ProposalLine(
        proposal,
        ", ".join(agreed),
        rules.still_missing(facts),
        rules.may_agree(stake_in(proposal, user), facts),
        rules.may_decline(stake, facts),
    )


def deciders(population: Population, user: User) -> list[str]:
    """Who has a say about these people: the projects that hold data, and the officers of the site."""
    holders = reads.holders_of(population, user)
    named = [f"stewards of {project}" for project in holders.seen]
    if hidden := holders.hidden:
        named.append(f"stewards of {hidden} {'project' if hidden == 1 else 'projects'} that you do not see")
    return [*named, *(f"{one.display_name}, data protection officer" for one in reads.officers())]


@dataclass(frozen=True)
class AllotmentLine:
    """A project's part, and those of its analysts."""

    allotment: Allotment
    level: Level
    free: str
    may_allow: Verdict
    allowances: list[tuple[Allowance, Level]]


def allotment_lines(population: Population, user: User) -> list[AllotmentLine]:
    """The parts of the projects this person sees."""
    return [
        AllotmentLine(
            one,
            level(one),
            words(one.unshared),
            rules.may_allow(one.project.person(user)),
            [(allowance, level(allowance)) for allowance in one.allowances.all()],
        )
        for one in reads.parts_seen(population, user)
    ]


def _told_mixture(population: Population, told: bool) -> Mixture:
    """To whoever may not know of colleagues' questions it is as if there were some."""
    found = reads.mixture_about(population.pk)
    return found if told else Mixture(max(found.private, 1), found.other)


BROKEN = (
    "Others have releases of these people that are not differentially private. The statement about ε "
    "holds for the differentially private results alone, not for everything that is published about them."
)


def mixed_populations(desks: Iterable[Desk]) -> list[tuple[Population, str]]:
    """The same for a list of desks, once for each population of which it is true."""
    found = {one.version.dataset.population_id: one.version.dataset.population for one in desks}
    said = ((one, mixed_desk_warning(one)) for one in found.values())
    return [(one, warning) for one, warning in said if warning]


def mixed_desk_warning(population: Population) -> str:
    """Said at a query desk, whose answers are promised the same ε: before the first one too."""
    return BROKEN if out_about(population.pk).other else ""


def is_private(manifest: Any) -> bool:
    """Whether a release is paid for from the budget: a table that takes some ε."""
    return Decimal(str((manifest.get("privacy_loss") or {}).get("epsilon", 0))) > 0


def mixed_warning(release: Release) -> str:
    """Said on a release: together with what is out, this one would mix promises. Empty when it does not."""
    out, run = out_about(release.version.dataset.population_id), release.candidate
    if run is None or release.state == "published":
        return BROKEN if out.private and out.other else ""
    return BROKEN if out.broken_by(private=is_private(run.stated)) else ""


def destructible(population: Population, user: User) -> list[tuple[Version, Verdict]]:
    """Raw data about these people that still exist, with who may destroy them."""
    return [
        (one, rules.may_destroy(one.person(user), one.facts())) for one in reads.raw_data(population, user)
    ]


def page(population: Population, user: User) -> dict[str, Any]:
    """Everything the page prints apart from its forms."""
    told = bool(rules.may_see_purchases(person_anywhere(user)))
    bought = reads.bought_about(population, user) if told else Bought()
    stake, facts = stake_of(user, [population]), facts_of([population])
    exhausted = told and bool(population.limit) and not population.left.epsilon_micro
    return {
        "population": population,
        "limit": words(population.limit),
        "own": [level(one) for one in reads.own_allowances(population, user)],
        "level": level(population) if told else None,
        "unshared": words(population.unshared),
        "purchases": purchases(bought)[::-1],
        "sums": sums_by_unit(bought.charges),
        "meanings": meanings(population, bought.charges) if population.limit else [],
        "proposals": proposal_lines(population, user),
        "deciders": deciders(population, user),
        "allotments": allotment_lines(population, user) if told else [],
        "mixture": _told_mixture(population, told),
        "broken": BROKEN,
        "exhausted": exhausted,
        "destructible": destructible(population, user) if exhausted else [],
        "history": history(population, bought.charges),
        "may_propose": rules.may_propose(stake, facts),
        "may_allot": rules.may_allot(stake, *facts),
    }
