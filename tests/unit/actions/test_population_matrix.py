"""Every action that takes a population or a proposal × everybody who might try, alone or with an accomplice.

The first of them does it, or proposes it; the second one, if there is one, agrees. What counts is whether
the population is afterwards what it was: its limit, its parts, whom it shares people with, who holds data.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from stewardapp.access.verdict import NotAllowed, Refused
from stewardapp.actions import (
    accounts,
    budgets,
    datasets,
    memberships,
    officers,
    proposals,
    surveys,
    versions,
)
from stewardapp.actions.sharing import separate
from stewardapp.domain.holding import facts_of, guardians
from stewardapp.models import (
    Allotment,
    Dataset,
    Notification,
    Population,
    Proposal,
    ProposalState,
    User,
)
from tests import factories
from tests.scenes import once
from tests.unit.actions.test_ledger import make_scene
from tests.unit.actions.test_one_event_each import public_actions
from worker.engine.contracts.privacy import Spend

pytestmark = pytest.mark.django_db

WHO = (
    "stranger",
    "two strangers",
    "strangers with data",
    "holder",
    "two holders",
    "holder and stranger",
    "holder and officer",
    "holder and admin",
    "officer",
    "two officers",
    "officer and admin",
    "admin",
    "two admins",
    "reviewer",
    "analyst",
)
AGREED = frozenset({"two holders", "holder and officer"})
ALONE = AGREED | {"holder", "holder and stranger", "holder and admin"}
NOBODY: frozenset[str] = frozenset()


@dataclass
class Scene:
    """A population that a team holds data about, and everybody who might try something with it."""

    team: factories.Team
    strangers: factories.Team
    officers: tuple[User, User]
    second_admin: User
    population: Population
    dataset: Dataset
    other: Population
    allotment: Allotment

    @classmethod
    def make(cls) -> Scene:
        team, strangers = factories.make_project(), factories.make_project()
        population = factories.make_population(team)
        allotment = factories.give_budget(team, population, Spend(100))
        dataset = Dataset.objects.get(population=population)
        other = factories.make_held_population(team)
        both = factories.make_officer(), factories.make_officer()
        admin = factories.make_admin()
        return cls(team, strangers, both, admin, population, dataset, other, allotment)

    def people(self, who: str) -> tuple[User, ...]:
        """The one who begins, and the accomplice."""
        team, strangers, second_admin = self.team, self.strangers, self.second_admin
        found: dict[str, tuple[User, ...]] = {
            "stranger": (strangers.steward,),
            "two strangers": (strangers.steward, strangers.co_steward),
            "strangers with data": (strangers.steward, strangers.co_steward),
            "holder": (team.steward,),
            "two holders": (team.steward, team.co_steward),
            "holder and stranger": (team.steward, strangers.steward),
            "holder and officer": (team.steward, self.officers[0]),
            "holder and admin": (team.steward, team.admin),
            "officer": self.officers[:1],
            "two officers": self.officers,
            "officer and admin": (self.officers[0], team.admin),
            "admin": (team.admin,),
            "two admins": (team.admin, second_admin),
            "reviewer": (team.reviewer,),
            "analyst": (team.analyst,),
        }
        if who == "strangers with data":
            factories.hold(strangers, self.population)
        return found[who]

    def proposal(self, by: User) -> Proposal:
        """Another steward's, unless it is this one's turn."""
        mine = self.team.co_steward if by == self.team.steward else self.team.steward
        return proposals.propose_limit(population=self.population, limit=Spend(200), reason="More.", by=mine)

    def state(self) -> tuple[object, ...]:
        """What those who may not decide must never change."""
        found = Population.objects.get(pk=self.population.pk)
        parts = sorted(found.allotments.values_list("project", "limit_epsilon_micro"))
        ties = sorted(found.overlaps.values_list("pk", flat=True))
        return (
            found.limit,
            parts,
            ties,
            sorted(Dataset.objects.holding([found]).values_list("project", flat=True)),
            (self.population.proposals.exclude(state=ProposalState.OPEN).count()),
            found.leaks.count(),
        )


made, scene = once(Scene.make)
Try = Callable[[Scene, tuple[User, ...]], object]


def through(propose: Callable[..., Proposal], **asked: Callable[[Scene], object]) -> Try:
    """One proposes, the other agrees."""

    def tried(scene: Scene, people: tuple[User, ...]) -> None:
        given = {name: value(scene) for name, value in asked.items()}
        proposal = propose(reason="Why.", by=people[0], **given)
        for accomplice in people[1:]:
            proposals.confirm(proposal=proposal, by=accomplice)

    return tried


def overlapping(scene: Scene) -> None:
    """What is to be lifted."""
    factories.declare_overlap(scene.team, scene.population, scene.other)


def _is(value: object) -> Callable[[Scene], object]:
    return lambda scene: value


def admitted(scene: Scene, people: tuple[User, ...]) -> None:
    """Strangers ask to count; the first of these agrees, then the second."""
    theirs = factories.hold(scene.strangers, scene.population)
    proposal = proposals.propose_admission(dataset=theirs, reason="Ours too.", by=scene.strangers.steward)
    for person in people:
        proposals.confirm(proposal=proposal, by=person)


def confirmed(scene: Scene, people: tuple[User, ...]) -> None:
    proposals.confirm(proposal=scene.proposal(people[0]), by=people[0])


def declined(scene: Scene, people: tuple[User, ...]) -> None:
    proposals.decline(proposal=scene.proposal(people[0]), by=people[0])


def name_them(scene: Scene, people: tuple[User, ...]) -> None:
    """A dataset in one's own project about these people."""
    own = people[0].memberships.filter(role="steward").first()
    project = own.project if own else scene.strangers.project
    datasets.create(project=project, population=scene.population, name="Named", by=people[0])


def ask_them(scene: Scene, people: tuple[User, ...]) -> None:
    own = people[0].memberships.filter(role="steward").first()
    project = own.project if own else scene.strangers.project
    surveys.create(project=project, population=scene.population, title="Asked", by=people[0])


def moved_here(scene: Scene, people: tuple[User, ...]) -> None:
    """Strangers say that data of theirs are about these people."""
    theirs = factories.hold(scene.strangers, factories.make_population(scene.strangers))
    proposal = proposals.propose_move(
        dataset=theirs, target=scene.population, reason="Ours too.", by=scene.strangers.steward
    )
    for person in people:
        proposals.confirm(proposal=proposal, by=person)


POPULATION = {"population": lambda scene: scene.population}
OTHER = {"other": lambda scene: scene.other}
PROJECT = {"project": lambda scene: scene.team.project}

TABLE: dict[str, tuple[Try, frozenset[str]]] = {
    "proposals.propose_limit": (
        through(proposals.propose_limit, limit=_is(Spend(200)), **POPULATION),
        AGREED,
    ),
    "proposals.propose_limit lower": (
        through(proposals.propose_limit, limit=_is(Spend(100, 1)), **POPULATION),
        AGREED,
    ),
    "proposals.propose_part": (
        through(proposals.propose_part, limit=_is(Spend(50)), **POPULATION, **PROJECT),
        AGREED,
    ),
    "proposals.propose_overlap": (through(proposals.propose_overlap, **POPULATION, **OTHER), AGREED),
    "proposals.propose_separation": (through(proposals.propose_separation, **POPULATION, **OTHER), AGREED),
    "proposals.propose_move": (
        through(
            proposals.propose_move,
            dataset=lambda scene: scene.dataset,
            target=lambda scene: factories.make_population(scene.team),
        ),
        AGREED,
    ),
    "proposals.propose_move here": (moved_here, NOBODY),
    "proposals.propose_admission": (admitted, AGREED),
    # The proposal is a holder's: with one more who has a say it is done
    "proposals.confirm": (confirmed, ALONE | {"officer", "two officers", "officer and admin"}),
    "proposals.decline": (declined, ALONE | {"officer", "two officers", "officer and admin"}),
    "budgets.allot": (
        lambda scene, people: budgets.allot(
            population=scene.population, project=scene.strangers.project, limit=Spend(0), by=people[0]
        ),
        ALONE,
    ),
    # A file that is said to have leaked lies beside whatever anybody releases
    "leaks.register": (
        lambda scene, people: factories.make_leak(scene.population, people[0], done=False),
        ALONE | {"officer", "two officers", "officer and admin"},
    ),
    # Naming people gives no say about them
    "datasets.create": (name_them, NOBODY),
    "surveys.create": (ask_them, NOBODY),
    # What a project makes of its own part is its own affair
    "budgets.allow": (
        lambda scene, people: budgets.allow(
            allotment=scene.allotment, user=scene.team.analyst, limit=Spend(1), by=people[0]
        ),
        NOBODY,
    ),
}


BEFORE: dict[str, Callable[[Scene], object]] = {"proposals.propose_separation": overlapping}


def test_the_table_names_every_action_that_takes_a_population() -> None:
    taking = {
        name
        for name, function in public_actions().items()
        if {"Population", "Proposal", "Allotment"} & set(function.__annotations__.values())
        and name not in ("populations.create", "survey_questions.add")
        and not name.startswith("looks.")  # they change nothing of a population; test_looks asks who may
    }
    about_a_dataset = {"proposals.propose_admission"}
    assert {name.partition(" ")[0] for name in TABLE} == taking | about_a_dataset


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("name", TABLE)
def test_who_decides(scene: Scene, name: str, who: str) -> None:
    tried, deciding = TABLE[name]
    people = scene.people(who)
    BEFORE.get(name, _is(None))(scene)
    before = scene.state()
    with suppress(Refused):
        tried(scene, people)
    assert (scene.state() != before) is (who in deciding)


# Of two populations each has its own say


@pytest.fixture
def two_teams(scene: Scene) -> tuple[Scene, Population]:
    """The second population is held by the strangers."""
    return scene, factories.make_held_population(scene.strangers)


@pytest.mark.parametrize("propose", [proposals.propose_overlap, proposals.propose_separation])
@pytest.mark.parametrize(
    ("agreeing", "done"),
    [
        (("strangers.steward",), True),
        (("team.co_steward",), False),
        (("team.co_steward", "strangers.co_steward"), True),
        (("officer",), True),
        (("team.admin",), False),
    ],
)
def test_an_overlap_needs_both(
    two_teams: tuple[Scene, Population],
    agreeing: tuple[str, ...],
    done: bool,
    propose: Callable[..., Proposal],
) -> None:
    scene, theirs = two_teams
    shared = scene.population.overlaps.filter(pk=theirs.pk).exists
    if propose is proposals.propose_separation:
        scene.population.overlaps.add(theirs)
    before = shared()
    proposal = propose(population=scene.population, other=theirs, reason="Why.", by=scene.team.steward)
    for name in agreeing:
        with suppress(NotAllowed):
            proposals.confirm(proposal=proposal, by=person(scene, name))
    assert (shared() != before) is done


def person(scene: Scene, name: str) -> User:
    if name == "officer":
        return scene.officers[0]
    team, _, who = name.partition(".")
    return getattr(scene, team).persona(who)  # type: ignore[no-any-return]


def test_what_an_overlap_charged_stays_charged_when_it_is_lifted() -> None:
    scene = make_scene()
    team, other = scene.team, factories.make_population(scene.team)
    factories.give_budget(team, other, Spend(100))
    factories.declare_overlap(team, scene.population, other)
    scene.charge(10)
    proposal = proposals.propose_separation(
        population=other, other=scene.population, reason="A mistake.", by=team.steward
    )
    proposals.confirm(proposal=proposal, by=team.co_steward)
    scene.charge(7)
    spent = [Population.objects.get(pk=one.pk).spent for one in (scene.population, other)]
    assert spent == [Spend(17), Spend(10)]
    with pytest.raises(Refused, match="No overlap"):
        proposals.propose_separation(
            population=other, other=scene.population, reason="Again.", by=team.steward
        )
    with pytest.raises(Refused, match="No overlap"):
        separate(other, scene.population)


def test_an_overlap_declared_meanwhile_is_not_declared_again(scene: Scene) -> None:
    asked = {"population": scene.population, "other": scene.other, "reason": "Why."}
    proposal = proposals.propose_overlap(by=scene.team.steward, **asked)
    scene.population.overlaps.add(scene.other)
    with pytest.raises(Refused, match="already declared"):
        proposals.confirm(proposal=proposal, by=scene.team.co_steward)


# Whom nobody holds data about any more


@pytest.mark.parametrize(
    ("first", "second", "done"),
    [
        ("officer", "admin", True),
        ("admin", "officer", True),
        ("officer", "second officer", True),
        ("admin", "second admin", False),
        ("officer", "steward", False),
        ("steward", "officer", False),
    ],
)
def test_where_all_data_are_destroyed_an_officer_and_an_administrator_decide(
    scene: Scene, first: str, second: str, done: bool
) -> None:
    people = {
        "officer": scene.officers[0],
        "second officer": scene.officers[1],
        "admin": scene.team.admin,
        "second admin": scene.second_admin,
        "steward": scene.team.steward,
    }
    versions.destroy(version=scene.dataset.versions.get(), reason="Done.", by=scene.team.admin)
    before = scene.state()
    with suppress(Refused):
        proposal = proposals.propose_limit(
            population=scene.population, limit=Spend(300), reason="Why.", by=people[first]
        )
        proposals.confirm(proposal=proposal, by=people[second])
    assert (scene.state() != before) is done
    assert scene.team.admin in guardians([scene.population])


# Who counts is asked when it is decided


def test_the_word_of_somebody_who_left_does_not_count(scene: Scene) -> None:
    theirs = factories.hold(scene.strangers, scene.population)
    proposal = proposals.propose_admission(dataset=theirs, reason="Ours too.", by=scene.strangers.steward)
    assert proposals.confirm(proposal=proposal, by=scene.team.steward).state == "open"
    with pytest.raises(NotAllowed, match="agreed already"):
        proposals.confirm(proposal=proposal, by=scene.team.steward)
    role = scene.team.steward.memberships.get(project=scene.team.project)
    memberships.remove(membership=role, by=scene.team.admin)
    assert proposals.confirm(proposal=proposal, by=scene.team.co_steward).state == "open"
    officers.dismiss(user=scene.officers[1], by=scene.team.admin)
    with pytest.raises(NotAllowed, match="Only a steward"):
        proposals.confirm(proposal=proposal, by=scene.officers[1])
    assert proposals.confirm(proposal=proposal, by=scene.officers[0]).state == "confirmed"
    theirs.refresh_from_db()
    assert theirs.admitted
    assert facts_of([scene.population])[0].holders == 2
    with pytest.raises(Refused, match="counts already"):
        proposals.propose_admission(dataset=theirs, reason="Again.", by=scene.strangers.steward)
    with pytest.raises(NotAllowed, match="Other projects hold"):
        budgets.allot(
            population=scene.population, project=scene.team.project, limit=Spend(1), by=scene.team.co_steward
        )


def a_steward_by_now(scene: Scene) -> User:
    colleague = scene.team.outsider
    memberships.add(project=scene.team.project, user=scene.team.admin, role="analyst", by=scene.team.admin)
    given = memberships.add(project=scene.team.project, user=colleague, role="steward", by=scene.team.admin)
    assert given.later_only
    return colleague


def with_another_password(scene: Scene) -> User:
    other = scene.team.co_steward
    return accounts.reset_password(user=other, by=scene.team.admin)


@pytest.mark.parametrize("came", [a_steward_by_now, with_another_password])
def test_who_came_since_agrees_to_what_is_proposed_later(scene: Scene, came: Callable[[Scene], User]) -> None:
    def proposed(limit: int) -> Proposal:
        asked = {"population": scene.population, "limit": Spend(limit), "reason": "Why."}
        return proposals.propose_limit(**asked, by=scene.team.steward)  # type: ignore[arg-type]

    before = proposed(300)
    person = came(scene)
    with pytest.raises(NotAllowed, match="proposed before"):
        proposals.confirm(proposal=before, by=person)
    assert proposals.decline(proposal=before, by=person).state == "declined"
    assert proposals.confirm(proposal=proposed(400), by=person).state == "confirmed"


def test_an_agreement_outlives_a_reset(scene: Scene) -> None:
    theirs = factories.hold(scene.strangers, scene.population)
    proposal = proposals.propose_admission(dataset=theirs, reason="Ours too.", by=scene.strangers.steward)
    assert proposals.confirm(proposal=proposal, by=scene.team.steward).state == "open"
    accounts.reset_password(user=scene.team.steward, by=scene.team.admin)
    assert proposals.confirm(proposal=proposal, by=scene.team.co_steward).state == "confirmed"


def test_a_project_that_holds_data_names_the_people_again_without_leave(scene: Scene) -> None:
    more = datasets.create(
        project=scene.team.project, population=scene.population, name="More", by=scene.team.steward
    )
    theirs = datasets.create(
        project=scene.strangers.project, population=scene.population, name="T", by=scene.strangers.steward
    )
    assert (more.admitted, theirs.admitted) == (True, False)


def test_who_asks_people_first_begins_to_hold_data_about_them() -> None:
    team, strangers = factories.make_project(), factories.make_project()
    population = factories.make_population(team)
    surveys.create(project=team.project, population=population, title="Asked", by=team.steward)
    made = {"population": population, "name": "First"}
    assert not datasets.create(project=strangers.project, by=strangers.steward, **made).admitted


# Officers


def test_officers_are_appointed_once_by_somebody_else() -> None:
    team = factories.make_project()
    with pytest.raises(Refused, match="nobody appoints themselves"):
        officers.appoint(user=team.admin, by=team.admin)
    with pytest.raises(NotAllowed):
        officers.appoint(user=team.analyst, by=team.steward)
    with pytest.raises(Refused, match="no data protection officer"):
        officers.dismiss(user=team.analyst, by=team.admin)
    officers.appoint(user=team.analyst, by=team.admin)
    with pytest.raises(Refused, match="already"):
        officers.appoint(user=team.analyst, by=team.admin)


# Everybody else who has a say is told


def test_the_others_are_told(scene: Scene, django_capture_on_commit_callbacks: Any) -> None:
    told = {scene.team.co_steward, *scene.officers}
    with django_capture_on_commit_callbacks(execute=True):
        proposal = scene.proposal(scene.team.co_steward)
    assert heard("Proposed: Raise the limit") == told
    with django_capture_on_commit_callbacks(execute=True):
        proposals.confirm(proposal=proposal, by=scene.officers[0])
    assert heard("Agreed to: Raise the limit") == {
        scene.team.steward,
        scene.team.co_steward,
        scene.officers[1],
    }
    with django_capture_on_commit_callbacks(execute=True):
        budgets.allot(
            population=scene.population, project=scene.team.project, limit=Spend(90), by=scene.team.steward
        )
    assert heard(f"{scene.team.project} has") == told


def heard(beginning: str) -> set[User]:
    return {one.user for one in Notification.objects.filter(text__startswith=beginning)}
