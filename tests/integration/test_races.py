"""Eight processes want the same thing at the same moment: one gets it.

On PostgreSQL each race is run a second time without locks and conditions; that control must go wrong, else
the race would prove nothing. SQLite queues writers by itself.
"""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pytest
from django.db import connection

from stewardapp.actions import memberships, proposals
from stewardapp.domain import audit_chain
from stewardapp.models import Release, Replay, Review, Run, User
from tests import factories
from tests.services import TEMPLATE, fresh_database
from tests.site import ROOT, Site, inhabited
from worker.engine.contracts.privacy import Spend

RACERS = 8
PATIENCE = 90.0


@dataclass
class Field:
    """The racers, waiting at the start."""

    lines: list[TextIO]

    @classmethod
    def start(cls, site: Site, stack: ExitStack) -> "Field":
        """All of them are split off from one process, because what they load takes seconds."""
        pairs = [socket.socketpair() for _ in range(RACERS)]
        theirs = [end.fileno() for _, end in pairs]
        command = [sys.executable, "-m", "tests.integration.racer", *map(str, theirs)]
        racers = subprocess.Popen(
            command, cwd=ROOT, env=site.environment(), pass_fds=theirs, stderr=subprocess.DEVNULL
        )
        stack.callback(racers.wait, 30)
        for ours, end in pairs:
            end.close()
            ours.settimeout(PATIENCE)
            stack.enter_context(ours)
        field = cls([stack.enter_context(ours.makefile("rw")) for ours, _ in pairs])
        assert field.said() == ["ready"] * RACERS
        return field

    def said(self) -> list[str]:
        """One line of each."""
        return [line.readline().strip() for line in self.lines]

    def race(self, name: str, subject: object, people: list[User], locks: str = "locked") -> int:
        """All at once for the same thing; how many won."""
        return self.start_all(name, [subject] * len(people), people, locks)

    def start_all(self, name: str, subjects: list[Any], people: list[User], locks: str = "locked") -> int:
        """All at once, each for a thing; how many won."""
        for line, subject, person in zip(self.lines, subjects, people, strict=True):
            line.write(f"{name} {getattr(subject, 'pk', subject)} {person.pk} {locks}\n")
            line.flush()
        answers = self.said()
        assert set(answers) <= {"won", "lost"}
        return answers.count("won")


@pytest.fixture
def postgres_site(postgres_server: str, tmp_path: Path, django_db_blocker: Any) -> Iterator[Site]:
    data = tmp_path / "data"
    data.mkdir()
    with ExitStack() as stack:
        address = stack.enter_context(fresh_database(postgres_server, TEMPLATE))
        stack.enter_context(django_db_blocker.unblock())
        yield stack.enter_context(inhabited(Site(data, address, f"spool://{data}/spool")))


def crowd(team: factories.Team, role: str) -> list[User]:
    people = [factories.make_user(role) for _ in range(RACERS)]
    for person in people:
        memberships.add(project=team.project, user=person, role=role, by=team.admin)
    return people


def races(field: Field, locks: str) -> dict[str, int]:
    """Every race once, each for a thing of its own; how many won."""
    team = factories.make_project()
    reviewers, stewards = crowd(team, "reviewer"), crowd(team, "steward")
    waiting = factories.make_release(team, state="in-review")
    approved = factories.make_release(team, state="approved", version=waiting.version)
    run = factories.make_run(factories.make_release(team, version=waiting.version))
    claim = "claim" if locks == "locked" else "careless-claim"
    winners = {
        "approve": field.race("approve", waiting.pk, reviewers, locks),
        "publish": field.race("publish", approved.pk, stewards, locks),
        "claim": field.race(claim, run.pk, stewards, locks),
        "replay": replays_begun(field, stewards, locks),
        "settle": settled(field, team, stewards, locks),
    }
    if locks == "locked":
        assert Release.objects.get(pk=waiting.pk).state == "approved"
        assert Review.objects.filter(release=waiting).count() == 1
        assert Release.objects.get(pk=approved.pk).state == "published"
        assert Run.objects.get(pk=run.pk).fence == 1
    return winners


def replays_begun(field: Field, stewards: list[User], locks: str) -> int:
    """Nothing is there to lock: what keeps replays single is a constraint, which the control goes without."""
    if locks == "unlocked":
        with connection.schema_editor() as editor:
            editor.execute("DROP INDEX replay_one_alive")
    Replay.objects.all().delete()
    field.race("replay", "attacks", stewards, locks)
    return Replay.objects.alive().count()


def settled(field: Field, team: factories.Team, stewards: list[User], locks: str) -> int:
    """Half of them agree while the other half declines: one decides, and only that is done."""
    population = factories.make_held_population(team)
    officers = [factories.make_officer() for _ in range(RACERS // 2)]
    proposal = proposals.propose_limit(population=population, limit=Spend(10), reason="Why.", by=team.steward)
    winners = field.race("settle", proposal.pk, [*officers, *stewards[: RACERS // 2]], locks)
    for one in (proposal, population):
        one.refresh_from_db()
    if locks == "locked":
        assert population.limit == (Spend(10) if proposal.state == "confirmed" else Spend())
    return winners


def two_of_eight(field: Field, locks: str) -> tuple[int, str]:
    """Where two have to agree, the second one does it, and nobody agrees after that."""
    team, strangers = factories.make_project(), factories.make_project()
    theirs, stewards = factories.hold(strangers, factories.make_held_population(team)), crowd(team, "steward")
    proposal = proposals.propose_admission(dataset=theirs, reason="Why.", by=strangers.steward)
    winners = field.race("agree", proposal.pk, stewards, locks)
    proposal.refresh_from_db()
    return winners, proposal.state


def three_of_eight(field: Field) -> None:
    """Where three votes are asked for, three count: none is lost and none is one too many."""
    team = factories.make_project(reviewers=3)
    reviewers = crowd(team, "reviewer")
    release = factories.make_release(team, state="in-review")
    assert field.race("approve", release.pk, reviewers) == 3
    assert Release.objects.get(pk=release.pk).state == "approved"
    assert Review.objects.filter(release=release).count() == 3


ONE_EACH = {"approve": 1, "publish": 1, "claim": 1, "replay": 1, "settle": 1}


@pytest.mark.postgres
def test_one_winner_on_postgres_and_many_without_locks(postgres_site: Site) -> None:
    with ExitStack() as stack:
        field = Field.start(postgres_site, stack)
        assert races(field, "locked") == ONE_EACH
        three_of_eight(field)
        assert two_of_eight(field, "locked") == (2, "confirmed")
        assert isinstance(audit_chain.verify(), audit_chain.Whole)
        assert two_of_eight(field, "unlocked")[0] > 2
        without = races(field, "unlocked")
        assert all(winners > 1 for winners in without.values()), without


def test_one_winner_on_sqlite(embedded_site: Site) -> None:
    with ExitStack() as stack:
        field = Field.start(embedded_site, stack)
        assert races(field, "locked") == ONE_EACH
        three_of_eight(field)
        assert two_of_eight(field, "locked") == (2, "confirmed")
        assert isinstance(audit_chain.verify(), audit_chain.Whole)
