"""Whoever agrees to a budget is told that its people are probably known: only that, seldom, in the log."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from stewardapp import storage
from stewardapp.access import population_rules
from stewardapp.access.verdict import NotAllowed
from stewardapp.actions import columns, datasets, looks, proposals, readings, versions
from stewardapp.domain import familiarity
from stewardapp.models import (
    AuditEvent,
    Blob,
    Dataset,
    Look,
    Notification,
    Population,
    Proposal,
    Resemblance,
    User,
    Version,
)
from tests import factories
from worker.engine.contracts.privacy import Spend

pytestmark = pytest.mark.django_db

DRAWN = random.Random(7)
PEOPLE = [f"{DRAWN.randrange(10**9, 10**10)}" for _ in range(6000)]


@pytest.fixture(autouse=True)
def floor(monkeypatch: pytest.MonkeyPatch) -> None:
    """At its lowest, so that figures of tests are exact."""
    monkeypatch.setattr(familiarity, "HIGHEST", 1)


def table_of(keys: Sequence[str], said: str = "n") -> bytes:
    """People with keys, and something that only this file says of them."""
    lines = [f"{key},{number},{said}{number}" for number, key in enumerate(keys)]
    return "\n".join(["pid,age,note", *lines, ""]).encode()


def hold(
    team: factories.Team, keys: Sequence[str], population: Population | None = None, **said: str
) -> Version:
    """Data about these people, in a dataset of a population of their own unless one is named."""
    dataset = datasets.create(
        project=team.project,
        population=population or factories.make_population(team),
        name=factories.unique("Dataset"),
        by=team.steward,
    )
    return version_of(team, dataset, table_of(keys, **said))


def version_of(team: factories.Team, dataset: Dataset, data: bytes) -> Version:
    version = factories.read_for_real(factories.upload(team, data=data, dataset=dataset))
    columns.tag(version=version, roles={"pid": "person-key"}, by=team.steward)
    return version


Committed = Callable[..., AbstractContextManager[object]]


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Committed) -> Committed:
    """What waits for the end of a transaction is done at the end of a block."""
    return django_capture_on_commit_callbacks


@dataclass
class Scene:
    """Two projects that do not know of each other, and an officer."""

    known: factories.Team
    new: factories.Team
    officer: User

    @classmethod
    def make(cls) -> Scene:
        return cls(factories.make_project(), factories.make_project(), factories.make_officer())

    def proposal(self, version: Version, epsilon: int = 2) -> Proposal:
        """Of a limit for the people of a version."""
        people = version.dataset.population
        return proposals.propose_limit(
            population=people, limit=Spend.of(epsilon), reason="Why.", by=self.new.steward
        )

    def told(self, version: Version) -> bool | None:
        """What the colleague is told who would agree."""
        return looks.look(proposal=self.proposal(version), by=self.new.co_steward).told


# What is told, and of whom


@pytest.mark.parametrize(("shared", "told"), [(0, False), (99, False), (100, True), (1000, True)])
def test_people_known_under_another_name(shared: int, told: bool) -> None:
    scene = Scene.make()
    hold(scene.known, PEOPLE[:2000])
    version = hold(scene.new, PEOPLE[2000 - shared : 3000], said="m")
    assert scene.told(version) is told
    assert Resemblance.objects.exists() is told


def test_less_than_a_share_of_the_smaller_is_not_told() -> None:
    scene = Scene.make()
    hold(scene.known, PEOPLE[:3000])
    assert scene.told(hold(scene.new, PEOPLE[3000 - 149 : 6000 - 149], said="m")) is False
    assert scene.told(hold(scene.new, PEOPLE[3000 - 150 : 6000 - 150], said="m")) is True


def test_the_floor_is_drawn_anew_for_each_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(familiarity, "HIGHEST", 1.2)
    drawn = {familiarity._drawn_floor() for _ in range(50)}
    assert len(drawn) == 50
    assert 1 <= min(drawn) < 1.1 < max(drawn) <= 1.2


def test_rows_tell_where_there_is_no_person_key() -> None:
    scene = Scene.make()
    version = hold(scene.known, PEOPLE[:500])
    columns.tag(version=version, roles={"pid": "direct-identifier"}, by=scene.known.steward)
    assert scene.told(hold(scene.new, PEOPLE[:200], said="m")) is False
    assert scene.told(hold(scene.new, PEOPLE[200:400])) is False
    assert scene.told(hold(scene.new, [*PEOPLE[:100], *PEOPLE[1000:1200]])) is True


def test_versions_and_datasets_of_the_same_people_are_no_news() -> None:
    scene = Scene.make()
    version = hold(scene.new, PEOPLE[:500])
    version_of(scene.new, version.dataset, table_of(PEOPLE[:501]))
    hold(scene.new, PEOPLE[:400], population=version.dataset.population)
    assert scene.told(version) is False


def test_declared_overlaps_are_no_news() -> None:
    scene = Scene.make()
    one, other = hold(scene.new, PEOPLE[:500]), hold(scene.new, PEOPLE[:400])
    factories.declare_overlap(scene.new, one.dataset.population, other.dataset.population)
    assert scene.told(one) is False


def test_a_dataset_that_moves_is_compared_with_those_it_leaves() -> None:
    scene = Scene.make()
    stays = hold(scene.new, PEOPLE[:500])
    moves = hold(scene.new, PEOPLE[:400], population=stays.dataset.population, said="m")
    fresh = factories.make_population(scene.new)
    proposal = proposals.propose_move(
        dataset=moves.dataset, target=fresh, reason="Others.", by=scene.new.steward
    )
    assert looks.look(proposal=proposal, by=scene.new.co_steward).told is True
    found = Resemblance.objects.get()
    assert (found.population, found.known) == (fresh, stays.dataset.population)


def test_destroyed_data_and_data_that_do_not_count_are_compared_with_nothing() -> None:
    scene = Scene.make()
    gone, version = hold(scene.known, PEOPLE[:500]), hold(scene.new, PEOPLE[:500], said="m")
    versions.destroy(version=gone, reason="Done.", by=scene.known.steward)
    held = factories.make_held_population(scene.known)
    theirs = hold(scene.new, PEOPLE[:500], population=held, said="o")  # named, never admitted
    assert not theirs.dataset.admitted
    assert scene.told(version) is False


def test_what_is_destroyed_while_it_is_compared_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = Scene.make()
    hold(scene.known, PEOPLE[:500])
    proposal = scene.proposal(hold(scene.new, PEOPLE[:500], said="m"))

    def destroyed(_: Blob) -> Any:
        raise storage.Destroyed

    monkeypatch.setattr(storage, "reading", destroyed)
    assert familiarity.found_by(proposal) == []


# Agreeing


def test_nobody_agrees_without_having_been_told() -> None:
    scene = Scene.make()
    hold(scene.known, PEOPLE[:500])
    proposal = scene.proposal(hold(scene.new, PEOPLE[:500], said="m"))
    by = {"proposal": proposal, "by": scene.new.co_steward}
    with pytest.raises(NotAllowed, match="not looked at yet"):
        proposals.confirm(**by)
    looks.look(**by)
    with pytest.raises(NotAllowed, match="people already known to this site"):
        proposals.confirm(**by)
    assert proposals.confirm(**by, aware=True).state == "confirmed"


def test_where_nothing_can_be_compared_or_nothing_is_added_nobody_is_told() -> None:
    scene = Scene.make()
    hold(scene.known, PEOPLE[:500])
    plain = factories.make_held_population(scene.new)
    factories.give_budget(scene.new, plain, Spend.of(1))  # no likeness: read before it was kept
    version = hold(scene.new, PEOPLE[:500], said="m")
    proposals.confirm(proposal=_looked(scene, scene.proposal(version)), by=scene.new.co_steward, aware=True)
    lower = scene.proposal(version, epsilon=1)
    assert looks.look(proposal=lower, by=scene.new.co_steward).told is None
    assert proposals.confirm(proposal=lower, by=scene.new.co_steward).state == "confirmed"
    assert Look.objects.count() == 1


def _looked(scene: Scene, proposal: Proposal) -> Proposal:
    looks.look(proposal=proposal, by=scene.new.co_steward)
    return proposal


# No membership oracle


def test_asking_again_is_no_attempt_and_tells_the_same() -> None:
    scene = Scene.make()
    version = hold(scene.new, PEOPLE[:500])
    proposal = scene.proposal(version)
    assert looks.look(proposal=proposal, by=scene.new.co_steward).told is False
    hold(scene.known, PEOPLE[:500])
    assert looks.look(proposal=proposal, by=scene.new.co_steward).told is False
    assert Look.objects.count() == 1
    assert AuditEvent.objects.filter(action="proposal.limit-looked").count() == 1


def test_so_many_looks_a_day_and_each_in_the_log() -> None:
    scene = Scene.make()
    version = hold(scene.new, PEOPLE[:200])

    def look() -> Proposal:
        proposal = scene.proposal(version)
        looks.look(proposal=proposal, by=scene.new.co_steward)
        proposals.decline(proposal=proposal, by=scene.new.steward)
        return proposal

    for _ in range(population_rules.LOOKS_A_DAY):
        look()
    waiting = scene.proposal(version)
    with pytest.raises(NotAllowed, match="told 5 times within a day"):
        looks.look(proposal=waiting, by=scene.new.co_steward)
    assert AuditEvent.objects.filter(action="proposal.limit-looked").count() == 5
    assert looks.look(proposal=waiting, by=scene.officer).told is False  # somebody else may
    proposals.decline(proposal=waiting, by=scene.new.steward)
    Look.objects.update(at=F("at") - timedelta(days=1))
    look()


def test_a_stranger_and_the_proposer_are_told_nothing() -> None:
    scene = Scene.make()
    proposal = scene.proposal(hold(scene.new, PEOPLE[:200]))
    for by in (scene.new.steward, scene.known.steward, scene.new.analyst, scene.new.outsider):
        with pytest.raises(NotAllowed):
            looks.look(proposal=proposal, by=by)
        with pytest.raises(NotAllowed):
            looks.told(proposal=proposal, found=[], by=by)
    assert not Look.objects.exists()


# Who sees which and how much


def test_only_holders_of_the_known_people_and_officers_see_which_and_how_much(committed: Committed) -> None:
    scene = Scene.make()
    version = hold(scene.known, PEOPLE[:2000])
    new = hold(scene.new, PEOPLE[800:1800], said="m")
    with committed(execute=True):
        assert scene.told(new)
    sees = {scene.known.steward, scene.known.co_steward, scene.officer}
    everybody = [
        *(team.persona(name) for team in (scene.known, scene.new) for name in factories.PERSONAS),
        scene.officer,
    ]
    for user in everybody:
        seen = Resemblance.objects.visible_to(user).exists()
        told = Notification.objects.filter(user=user, text__startswith="Probably some").exists()
        assert (seen, told) == ((user in sees),) * 2, user
    found = Resemblance.objects.get()
    assert (found.population, found.known) == (new.dataset.population, version.dataset.population)
    assert found.found == {"people": 1000, "percent": 100}
    said = AuditEvent.objects.get(action="proposal.limit-looked")
    assert said.details == {}
    scene.officer.is_active = False
    assert not Resemblance.objects.visible_to(scene.officer).exists()


def test_what_was_found_is_replaced_and_gone_from_the_page_once_declared() -> None:
    scene = Scene.make()
    one = hold(scene.new, PEOPLE[:500])
    other = hold(scene.new, PEOPLE[:400], said="m")
    assert scene.told(other)
    proposals.decline(proposal=Proposal.objects.open().get(), by=scene.new.steward)
    assert scene.told(other)
    assert Resemblance.objects.undeclared().get()
    factories.declare_overlap(scene.new, one.dataset.population, other.dataset.population)
    assert not Resemblance.objects.undeclared().exists()


# Destruction


def test_what_is_kept_goes_with_the_version(committed: Committed) -> None:
    scene = Scene.make()
    known = hold(scene.known, PEOPLE[:500])
    assert scene.told(hold(scene.new, PEOPLE[:500], said="m"))
    blob = known.read_now().likeness
    assert blob is not None
    path = storage.root() / blob.path
    assert path.exists()
    assert blob.key_id == known.key_id
    with committed(execute=True):
        versions.destroy(version=known, reason="Done.", by=scene.known.steward)
    assert not path.exists()
    blob.refresh_from_db()
    assert blob.destroyed_at is not None
    assert Resemblance.objects.get().found == {}  # that there was something stays; how much does not


def test_what_is_kept_of_an_earlier_reading_goes_with_the_next() -> None:
    scene = Scene.make()
    version = hold(scene.new, PEOPLE[:500])
    first = version.read_now().likeness
    readings.start(version=version, dialect={"missing": ["", PEOPLE[0]]}, by=scene.new.steward)
    again = factories.read_for_real(version).read_now().likeness
    assert first is not None
    assert again is not None
    first.refresh_from_db()
    assert (first.destroyed_at is None, again.destroyed_at is None) == (False, True)
