"""Budgets are spent once: what was charged is never less, and nobody spends what is not there."""

import uuid
from dataclasses import dataclass

import pytest
from django.db import DatabaseError, connection, transaction

from stewardapp.access.verdict import Conflict, Invalid, NotAllowed
from stewardapp.actions import budgets, ledger, proposals
from stewardapp.domain.pricing import Cost, funds_for, funds_of
from stewardapp.models import (
    Allotment,
    Allowance,
    AuditEvent,
    Charge,
    Desk,
    Population,
    Proposal,
    Query,
    User,
    Version,
)
from tests import factories
from tests.factories import Team
from worker.engine.contracts.privacy import Protected, Spend

pytestmark = pytest.mark.django_db

LIMIT = Spend(1_000_000, 1_000)
OWN = factories.CSV + b"40,1017,cold\n"


@dataclass
class Scene:
    team: Team
    version: Version
    population: Population
    allotment: Allotment
    allowance: Allowance

    def charge(self, epsilon_micro: int, delta_femto: int = 0, query: uuid.UUID | None = None) -> None:
        ledger.charge_query(
            query=query or uuid.uuid4(),
            version=self.version,
            cost=Spend(epsilon_micro, delta_femto),
            what="A count",
            by=self.team.analyst,
        )

    def left(self) -> tuple[int, int, int]:
        for one in (self.population, self.allotment, self.allowance):
            one.refresh_from_db()
        return (
            self.population.left_epsilon_micro,
            self.allotment.left_epsilon_micro,
            self.allowance.left_epsilon_micro,
        )


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def make_scene() -> Scene:
    team = factories.make_project()
    version = factories.make_version(team)
    allotment = factories.give_budget(team, version.dataset.population, LIMIT)
    allowance = budgets.allow(allotment=allotment, user=team.analyst, limit=LIMIT, by=team.steward)
    return Scene(team, version, version.dataset.population, allotment, allowance)


# Charging


def test_a_charge_is_taken_from_every_purse_and_noted(scene: Scene) -> None:
    scene.charge(300_000, 400)
    assert scene.left() == (700_000, 700_000, 700_000)
    assert scene.population.left_delta_femto == 600
    charge = Charge.objects.get()
    assert (charge.population, charge.project, charge.by) == (
        scene.population,
        scene.team.project,
        scene.team.analyst,
    )
    assert (charge.spend, charge.direct, charge.run, charge.step) == (Spend(300_000, 400), True, None, None)
    assert Charge.objects.total() == scene.population.spent == Spend(300_000, 400)
    assert str(charge) == "A count: ε 0.300000"


@pytest.mark.parametrize("cost", [(1_000_001, 0), (1, 1_001)])
def test_what_is_not_there_is_not_spent(scene: Scene, cost: tuple[int, int]) -> None:
    with pytest.raises(ledger.Exhausted, match="your allowance has less") as refusal:
        scene.charge(*cost)
    assert refusal.value.code == "budget-exhausted"
    assert scene.left() == (1_000_000,) * 3
    assert not Charge.objects.exists()


def test_the_last_unit_can_be_spent_and_no_more(scene: Scene) -> None:
    scene.charge(1_000_000)
    with pytest.raises(ledger.Exhausted):
        scene.charge(1)
    assert scene.left() == (0, 0, 0)


def test_whoever_has_no_part_is_told_so(scene: Scene) -> None:
    stranger = factories.make_version(scene.team)
    cost = {"cost": Spend(1), "what": "A count", "query": uuid.uuid4()}
    with pytest.raises(ledger.Exhausted, match="holds no part of the budget"):
        ledger.charge_query(version=stranger, by=scene.team.analyst, **cost)
    with pytest.raises(ledger.Exhausted, match="no allowance"):
        ledger.charge_query(version=scene.version, by=scene.team.reviewer, **cost)


def test_a_question_is_charged_once(scene: Scene) -> None:
    query = uuid.uuid4()
    scene.charge(1, query=query)
    with pytest.raises(Conflict, match="before"), transaction.atomic():
        scene.charge(1, query=query)
    assert scene.left() == (999_999,) * 3


def test_people_in_two_populations_are_charged_in_both(scene: Scene) -> None:
    other = factories.make_population(scene.team)
    factories.give_budget(scene.team, other, Spend(500_000))
    factories.declare_overlap(scene.team, other, scene.population)
    scene.charge(200_000)
    other.refresh_from_db()
    assert (other.left_epsilon_micro, scene.left()[0]) == (300_000, 800_000)
    assert set(Charge.objects.values_list("population", "direct")) == {
        (scene.population.pk, True),
        (other.pk, False),
    }
    with pytest.raises(ledger.Exhausted, match=str(other)):
        scene.charge(300_001)
    assert scene.left() == (800_000,) * 3


def test_a_purchase_says_whom_it_protects_wherever_it_is_charged(scene: Scene) -> None:
    asked = {"version": scene.version, "cost": Spend(10), "what": "A count", "by": scene.team.analyst}
    ledger.charge_query(query=uuid.uuid4(), unit=Protected.PERSON, **asked)
    ledger.charge_query(query=uuid.uuid4(), **asked)
    other = overlapping(scene, LIMIT)
    factories.declare_overlap(scene.team, scene.population, other)
    for population in (scene.population, other):
        for unit in Protected:
            assert population.charges.protecting(unit).total() == Spend(10)
    run = factories.make_run(factories.make_release(scene.team, version=scene.version))
    fence = type(run).objects.claim(run.pk, "w", 60)
    assert fence is not None
    costs = [Cost(0, "One", Spend(5), Protected.PERSON)]
    ledger.charge_run(run=run, fence=fence, costs=costs, by=scene.team.steward)
    assert other.charges.protecting(Protected.PERSON).total() == Spend(15)


def overlapping(scene: Scene, limit: Spend) -> Population:
    """Other people with a budget, not yet known to share anybody with the first."""
    other = factories.make_population(scene.team)
    factories.give_budget(scene.team, other, limit)
    return other


def test_what_was_bought_before_an_overlap_was_known_counts_for_both(scene: Scene) -> None:
    other = overlapping(scene, LIMIT)
    theirs = factories.make_dataset(scene.team)
    type(theirs).objects.filter(pk=theirs.pk).update(population=other)
    theirs.refresh_from_db()
    bought = factories.make_version(scene.team, dataset=theirs, data=OWN)
    run = factories.make_run(factories.make_release(scene.team, version=bought))
    fence = type(run).objects.claim(run.pk, "w", 60)
    assert fence is not None
    costs = [Cost(0, "One", Spend(50_000)), Cost(1, "Another", Spend(50_000, 7))]
    ledger.charge_run(run=run, fence=fence, costs=costs, by=scene.team.steward)
    scene.charge(200_000)
    factories.declare_overlap(scene.team, scene.population, other)
    other.refresh_from_db()
    assert scene.left() == (700_000, 800_000, 800_000)
    assert (other.spent, scene.population.spent) == (Spend(300_000, 7), Spend(300_000, 7))
    for population in (scene.population, other):
        assert population.charges.total() == population.spent
        assert population.charges.count() == 3
    event = AuditEvent.objects.latest("id")
    assert event.details["charged"][str(other.pk)] == {"epsilon_micro": 200_000, "delta_femto": 0}
    scene.charge(1)
    other.refresh_from_db()
    assert other.left_epsilon_micro == 699_999


def test_only_what_was_bought_about_them_is_passed_on(scene: Scene) -> None:
    """People of the third are perhaps people of the second, which says nothing about the first."""
    second, third = overlapping(scene, LIMIT), overlapping(scene, LIMIT)
    factories.declare_overlap(scene.team, scene.population, second)
    scene.charge(10)
    factories.declare_overlap(scene.team, third, second)
    third.refresh_from_db()
    assert third.spent == Spend()
    factories.declare_overlap(scene.team, third, scene.population)
    third.refresh_from_db()
    assert third.spent == Spend(10)


def test_an_overlap_that_would_overspend_is_declared_after_the_limit_was_raised(scene: Scene) -> None:
    other = overlapping(scene, Spend(100_000))
    scene.charge(200_000)
    with pytest.raises(Invalid, match="Propose a higher limit") as refusal, transaction.atomic():
        factories.declare_overlap(scene.team, scene.population, other)
    assert (refusal.value.code, refusal.value.param) == ("overlap-overspends", "other")
    assert not scene.population.overlaps.exists()
    proposal = proposals.propose_limit(
        population=other, limit=Spend(200_000), reason="The overlap.", by=scene.team.steward
    )
    proposals.confirm(proposal=proposal, by=scene.team.co_steward)
    factories.declare_overlap(scene.team, scene.population, other)
    other.refresh_from_db()
    assert (other.left, other.charges.count()) == (Spend(), 1)


@pytest.mark.parametrize("kind", ["query", "run"])
def test_a_purchase_that_did_not_know_of_an_overlap_is_made_again(
    scene: Scene, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared_while_buying(scene, monkeypatch, kind)


def declared_while_buying(scene: Scene, monkeypatch: pytest.MonkeyPatch, kind: str = "query") -> None:
    """Somebody declares an overlap after the purchase has looked whom it is charged to."""
    other = factories.make_population(scene.team)
    factories.give_budget(scene.team, other, LIMIT)
    looked = Version.charged_populations.fget
    assert looked is not None
    before = [looked(scene.version)]
    factories.declare_overlap(scene.team, scene.population, other)
    seen = property(lambda version: before.pop() if before else looked(version))
    monkeypatch.setattr(Version, "charged_populations", seen)
    if kind == "query":
        scene.charge(10)
    else:
        run = factories.make_run(factories.make_release(scene.team, version=scene.version))
        fence = type(run).objects.claim(run.pk, "w", 60)
        assert fence is not None
        ledger.charge_run(run=run, fence=fence, costs=[Cost(0, "One", Spend(10))], by=scene.team.steward)
    other.refresh_from_db()
    assert (scene.left()[0], other.left_epsilon_micro) == (999_990, 999_990)
    assert Charge.objects.count() == 2


def test_the_same_bytes_under_another_name_are_the_same_people(scene: Scene) -> None:
    """A copy filed under people with money of their own is paid for by both."""
    copy = factories.make_version(scene.team, data=OWN + b"!")
    factories.give_budget(scene.team, copy.dataset.population, LIMIT)
    scene.version, same = factories.make_version(scene.team, data=OWN), scene.version
    for version in (copy, scene.version):
        assert version.dataset.population not in same.charged_populations
    twin = factories.make_version(scene.team, data=OWN, dataset=copy.dataset)
    assert set(twin.charged_populations) == {copy.dataset.population, scene.version.dataset.population}
    run = factories.make_run(factories.make_release(scene.team, version=twin))
    fence = type(run).objects.claim(run.pk, "w", 60)
    assert fence is not None
    costs = [Cost(0, "One", Spend(1))]
    with pytest.raises(ledger.Exhausted, match="another population that the same data") as refused:
        ledger.charge_run(run=run, fence=fence, costs=costs, by=scene.team.steward)
    assert str(scene.version.dataset.population) not in refused.value.reason


def test_what_there_is_to_pay_from(scene: Scene) -> None:
    scene.charge(300_000)
    scene.left()
    names = ["your allowance", "the allotment of the project", f"the population {scene.population}"]
    found = funds_for(scene.version, scene.team.analyst)
    assert [(one.name, one.epsilon_micro) for one in found] == [(name, 700_000) for name in names]
    assert funds_for(scene.version, scene.team.reviewer)[0].epsilon_micro == 0
    assert funds_for(scene.version) == found[1:] == funds_of(scene.team.project, scene.population)


def test_steps_of_a_run_are_charged_each_under_its_number(scene: Scene) -> None:
    run = factories.make_run(factories.make_release(scene.team, version=scene.version))
    fence = type(run).objects.claim(run.pk, "w", 60)
    assert fence is not None
    costs = [Cost(0, "One", Spend(100_000)), Cost(2, "Another", Spend(200_000, 1))]
    ledger.charge_run(run=run, fence=fence, costs=costs, by=scene.team.steward)
    assert run.charged_at is not None
    assert list(run.charges.values_list("step", "epsilon_micro")) == [(0, 100_000), (2, 200_000)]
    assert scene.left()[:2] == (700_000, 700_000)
    with pytest.raises(Conflict, match="charged before"):
        ledger.charge_run(run=run, fence=fence, costs=costs, by=scene.team.steward)
    assert run.charges.count() == 2


def test_a_run_that_cannot_be_paid_is_not_marked_as_charged(scene: Scene) -> None:
    run = factories.make_run(factories.make_release(scene.team, version=scene.version))
    fence = type(run).objects.claim(run.pk, "w", 60)
    assert fence is not None
    costs = [Cost(0, "One", Spend(600_000)), Cost(1, "Another", Spend(600_000))]
    with pytest.raises(ledger.Exhausted, match="allotment"):
        ledger.charge_run(run=run, fence=fence, costs=costs, by=scene.team.steward)
    run.refresh_from_db()
    assert run.charged_at is None
    assert scene.left()[0] == 1_000_000


# Nothing is given back


def test_charges_are_only_added_to(scene: Scene) -> None:
    scene.charge(1)
    charge = Charge.objects.get()
    for change in (charge.save, charge.delete, Charge.objects.delete, lambda: Charge.objects.update(step=1)):
        with pytest.raises(TypeError, match="only added to"):
            change()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE stewardapp_charge SET epsilon_micro = 0, delta_femto = 1",
        "DELETE FROM stewardapp_charge",
        "UPDATE stewardapp_population SET left_epsilon_micro = left_epsilon_micro + 1",
        "UPDATE stewardapp_allotment SET left_delta_femto = left_delta_femto + 1",
        "UPDATE stewardapp_allowance SET left_epsilon_micro = limit_epsilon_micro",
        "UPDATE stewardapp_population SET left_epsilon_micro = -1",
        "UPDATE stewardapp_population SET limit_epsilon_micro = limit_epsilon_micro - 1",
        "UPDATE stewardapp_population SET unshared_epsilon_micro = limit_epsilon_micro + 1",
    ],
)
def test_the_database_itself_refuses(scene: Scene, statement: str) -> None:
    scene.charge(10, 10)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_whatever_becomes_of_the_dataset_what_was_spent_stays_spent(scene: Scene) -> None:
    from stewardapp.actions import datasets, versions

    scene.charge(400_000)
    versions.destroy(version=scene.version, reason="Asked for.", by=scene.team.steward)
    again = factories.make_version(scene.team, dataset=scene.version.dataset)
    copied = datasets.create(
        project=scene.team.project, population=scene.population, name="A copy", by=scene.team.steward
    )
    copy = factories.make_version(scene.team, dataset=copied)
    for version in (again, copy):
        scene.version = version
        scene.charge(300_000)
    assert scene.left() == (0, 0, 0)
    scene.version = factories.make_version(scene.team)  # a new name for the people begins at nothing
    with pytest.raises(ledger.Exhausted):
        scene.charge(1)


# Limits


def test_a_limit_is_raised_by_two(scene: Scene) -> None:
    team, higher = scene.team, Spend(3_000_000, 1_000)
    proposal = proposals.propose_limit(
        population=scene.population, limit=higher, reason="A second wave.", by=team.steward
    )
    scene.population.refresh_from_db()
    assert scene.population.limit == LIMIT
    with pytest.raises(NotAllowed, match="somebody else"):
        proposals.confirm(proposal=proposal, by=team.steward)
    proposals.confirm(proposal=proposal, by=team.co_steward)
    scene.population.refresh_from_db()
    assert (scene.population.limit, scene.population.left_epsilon_micro) == (higher, 3_000_000)
    assert scene.population.unshared == Spend(2_000_000)
    with pytest.raises(NotAllowed, match="decided"):
        proposals.confirm(proposal=proposal, by=team.co_steward)


def test_a_confirmation_that_comes_too_late_changes_nothing(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = propose(scene)
    monkeypatch.setattr(proposals, "locked", lambda row: row)
    proposals.decline(proposal=Proposal.objects.get(pk=proposal.pk), by=scene.team.co_steward)
    with pytest.raises(Conflict, match="in the meantime"):
        proposals.confirm(proposal=proposal, by=scene.team.co_steward)


def propose(scene: Scene) -> Proposal:
    return proposals.propose_limit(
        population=scene.population, limit=Spend(2_000_000, 1_000), reason="More.", by=scene.team.steward
    )


def test_what_is_added_to_a_limit_can_go_to_a_project(scene: Scene) -> None:
    proposal = proposals.propose_limit(
        population=scene.population,
        project=scene.team.project,
        limit=Spend(1_500_000, 2_000),
        reason="Another table.",
        by=scene.team.steward,
    )
    assert "what is added goes to" in proposal.words
    proposals.confirm(proposal=proposal, by=scene.team.co_steward)
    scene.allotment.refresh_from_db()
    assert scene.allotment.limit == Spend(1_500_000, 2_000)
    scene.population.refresh_from_db()
    assert scene.population.unshared == Spend()
    event = AuditEvent.objects.latest("id")
    assert event.details["before"] == {"epsilon_micro": 1_000_000, "delta_femto": 1_000}


@pytest.mark.parametrize(("limit", "project", "code"), [
    (LIMIT, False, "no-change"),
    (Spend(999_999, 1_000), True, "not-higher"),
])  # fmt: skip
def test_no_limit_that_changes_nothing_or_hands_on_what_it_takes(
    scene: Scene, limit: Spend, project: bool, code: str
) -> None:
    given = {"project": scene.team.project} if project else {}
    with pytest.raises(Invalid) as refusal:
        proposals.propose_limit(
            population=scene.population, limit=limit, reason="Why.", by=scene.team.steward, **given
        )
    assert refusal.value.code == code


def test_one_proposal_at_a_time(scene: Scene) -> None:
    first = propose(scene)
    with pytest.raises(Conflict, match="waits for a decision"):
        propose(scene)
    proposals.decline(proposal=first, by=scene.team.steward)
    assert str(propose(scene)).startswith("limit of")


def lower(scene: Scene, limit: Spend) -> None:
    proposal = proposals.propose_limit(
        population=scene.population, limit=limit, reason="Less.", by=scene.team.steward
    )
    assert proposal.words.startswith("Lower")
    try:
        proposals.confirm(proposal=proposal, by=scene.team.co_steward)
    except Invalid:
        proposals.decline(proposal=proposal, by=scene.team.steward)
        raise


def test_two_lower_but_not_below_what_is_spent_or_handed_on(scene: Scene) -> None:
    scene.charge(600_000)
    with pytest.raises(Invalid, match="spent or handed on"):
        lower(scene, Spend(700_000, 0))
    with pytest.raises(Invalid, match="spent or handed on"):
        budgets.allot(
            population=scene.population, project=scene.team.project, limit=Spend(1), by=scene.team.steward
        )
    with pytest.raises(Invalid, match="spent or handed on"):
        budgets.allow(
            allotment=scene.allotment, user=scene.team.analyst, limit=Spend(599_999), by=scene.team.steward
        )
    budgets.allow(
        allotment=scene.allotment, user=scene.team.analyst, limit=Spend(600_000), by=scene.team.steward
    )
    budgets.allot(
        population=scene.population, project=scene.team.project, limit=Spend(600_000), by=scene.team.steward
    )
    lower(scene, Spend(600_000))
    scene.population.refresh_from_db()
    assert (scene.population.left, scene.population.spent) == (Spend(), Spend(600_000))


def test_parts_stay_within_the_whole(scene: Scene) -> None:
    elsewhere = factories.make_project()
    with pytest.raises(Invalid, match="Only ε = 0 is not handed on"):
        budgets.allot(
            population=scene.population, project=elsewhere.project, limit=Spend(1), by=scene.team.co_steward
        )
    with pytest.raises(Invalid, match="Only ε = 0 is not handed on"):
        budgets.allow(
            allotment=scene.allotment, user=scene.team.reviewer, limit=Spend(1), by=scene.team.steward
        )
    with pytest.raises(Invalid, match="members"):
        budgets.allow(
            allotment=scene.allotment, user=scene.team.outsider, limit=Spend(), by=scene.team.steward
        )
    assert not Allotment.objects.filter(project=elsewhere.project).exists()


# Other people


def test_that_these_are_other_people_takes_two(scene: Scene) -> None:
    scene.charge(900_000)
    dataset, others = scene.version.dataset, factories.make_population(scene.team)
    with pytest.raises(Invalid, match="already"):
        proposals.propose_move(dataset=dataset, target=scene.population, reason="Why.", by=scene.team.steward)
    proposal = proposals.propose_move(
        dataset=dataset, target=others, reason="Another year.", by=scene.team.steward
    )
    with pytest.raises(NotAllowed, match="somebody else"):
        proposals.confirm(proposal=proposal, by=scene.team.steward)
    proposals.confirm(proposal=proposal, by=scene.team.co_steward)
    dataset.refresh_from_db()
    assert dataset.population == others
    assert scene.left()[0] == 100_000
    assert scene.population.charges.count() == 1


def test_a_purchase_that_did_not_know_of_a_move_is_made_again(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever the data are about by then pays."""
    others = factories.make_population(scene.team)
    factories.give_budget(scene.team, others, LIMIT)
    looked = Version.charged_populations.fget
    assert looked is not None
    before = [looked(scene.version)]
    moving = {"dataset": scene.version.dataset, "target": others, "reason": "Another year."}
    proposal = proposals.propose_move(by=scene.team.steward, **moving)
    proposals.confirm(proposal=proposal, by=scene.team.co_steward)
    seen = property(lambda version: before.pop() if before else looked(version))
    monkeypatch.setattr(Version, "charged_populations", seen)
    scene.charge(10)
    assert Charge.objects.get().population == others


def test_a_move_that_was_overtaken_is_proposed_again(scene: Scene) -> None:
    dataset, others = scene.version.dataset, factories.make_population(scene.team)
    proposal = proposals.propose_move(dataset=dataset, target=others, reason="Why.", by=scene.team.steward)
    factories.hold(scene.team, scene.population)
    type(dataset).objects.filter(pk=dataset.pk).update(population=factories.make_population(scene.team))
    with pytest.raises(Conflict, match="propose it again"):
        proposals.confirm(proposal=proposal, by=scene.team.co_steward)


def test_a_move_can_be_declined(scene: Scene) -> None:
    others = factories.make_population(scene.team)
    proposal = proposals.propose_move(
        dataset=scene.version.dataset, target=others, reason="Why.", by=scene.team.steward
    )
    assert proposals.decline(proposal=proposal, by=scene.team.co_steward).state == "declined"


# -- questions that repeat an answer ------------------------------------------------------------------


def asked(scene: Scene, by: User, epsilon_micro: int = 1000) -> tuple[Query, int]:
    """A question that a worker has, of a meaning that all of these share."""
    version = scene.version
    desk = version.desks.first()
    if desk is None:
        desk = Desk(version=version, reading=version.read_now(), opened_by=scene.team.steward)
        desk.saying(dictionary={}).save()
    query = Query(desk=desk, version=version, reading=desk.reading, asked_by=by, fingerprint="f" * 64)
    query.epsilon_micro = epsilon_micro
    query.saying(question={"ask": "count"}, words="How many rows").save()
    fence = Query.objects.claim(query.pk, "w", 60)
    assert fence is not None
    return query, fence


def colleague(scene: Scene, limit: int = 5000) -> User:
    """Somebody with an allowance beside the analyst's."""
    team, found = scene.team, factories.make_user("colleague")
    half = Spend(LIMIT.epsilon_micro // 2)
    budgets.allow(allotment=scene.allotment, user=team.analyst, limit=half, by=team.steward)
    factories.memberships.add(project=team.project, user=found, role="analyst", by=team.admin)
    budgets.allow(allotment=scene.allotment, user=found, limit=Spend(limit), by=team.steward)
    return found


def pay(scene: Scene, query: Query, fence: int) -> None:
    """In full, as the first one does."""
    ledger.charge_query(
        query=query.pk,
        fence=fence,
        version=scene.version,
        cost=query.spend,
        what=query.bought,
        by=query.asked_by,
    )


def test_a_repeated_answer_is_paid_from_the_own_allowance_alone(scene: Scene) -> None:
    other = colleague(scene)
    first, fence = asked(scene, scene.team.analyst)
    pay(scene, first, fence)
    before = scene.left()
    again, fence = asked(scene, other)
    ledger.charge_repeat(query=again, fence=fence, earlier=first, by=other)
    assert scene.left() == before
    assert other.allowances.get().spent == again.spend
    assert (again.repeats, again.charged_at is None) == (first, False)
    assert AuditEvent.objects.get(action="query.repeated").details["repeats"] == str(first.pk)
    assert Charge.objects.count() == 1


def test_two_workers_never_draw_the_answer_to_one_question(scene: Scene) -> None:
    """Neither saw the other: the database lets one of them pay, the other one waits for its answer."""
    other = colleague(scene)
    first, second = asked(scene, scene.team.analyst), asked(scene, other)
    pay(scene, *first)
    before = scene.left()
    with pytest.raises(ledger.BeingAnswered), transaction.atomic():
        pay(scene, *second)
    assert scene.left() == before
    second[0].refresh_from_db()
    assert second[0].charged_at is None
    assert not other.allowances.get().spent


def test_a_repeated_answer_is_refused_when_a_new_one_would_be(scene: Scene) -> None:
    """Of each purse, in the same words; nothing is taken and nothing is marked."""
    other = colleague(scene)
    first, fence = asked(scene, scene.team.analyst)
    pay(scene, first, fence)

    def refused(by: User, epsilon_micro: int, query: tuple[Query, int] | None = None) -> str:
        again, held = query or asked(scene, by, epsilon_micro)
        with pytest.raises((ledger.Exhausted, Conflict)) as found, transaction.atomic():
            ledger.charge_repeat(query=again, fence=held, earlier=first, by=by)
        again.refresh_from_db()
        assert again.repeats is None
        return str(found.value.reason)

    assert "your allowance has less" in refused(other, 5001)
    assert "no allowance" in refused(scene.team.reviewer, 10)
    left = scene.left()
    assert "allotment of the project has less" in refused(other, left[1] + 1)
    late, held = asked(scene, other)
    assert "Another worker" in refused(other, 0, (late, held - 1))
    scene.population.refresh_from_db()
    Population.objects.filter(pk=scene.population.pk).update(left_epsilon_micro=10)
    assert f"population {scene.population} has less" in refused(other, 11)
    assert not other.allowances.get().spent
