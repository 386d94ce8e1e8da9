"""Two projects with everything in them that an address can name, and a browser for every persona."""

from __future__ import annotations

import io
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import Any
from unittest import mock

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from stewardapp import storage
from stewardapp.access.survey_states import SurveyMove
from stewardapp.access.workflow import Audience, State
from stewardapp.actions import columns, comments, hierarchies, memberships, proposals, releases, uploads
from stewardapp.models import (
    Allotment,
    Artifact,
    Assessment,
    Blob,
    Column,
    Comment,
    Dataset,
    Desk,
    Hierarchy,
    Membership,
    Population,
    Preview,
    Proposal,
    Release,
    Replay,
    Run,
    Survey,
    Upload,
    User,
    Version,
)
from stewardapp.presenters.measures import charts
from tests import factories
from tests.factories import Team
from tests.scenes import undone
from worker.engine.contracts.privacy import Spend

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
PERSONAS = (
    "anonymous",
    "steward",
    "co_steward",
    "reviewer",
    "reviewer_who_edited",
    "analyst",
    "outsider",
    "other_steward",
    "officer",
    "admin",
)
STATES = tuple(state.value for state in State)
AUDIENCES = ("for-signed-in", "for-named", "for-anyone", "under-embargo")
IGNORED = ("django_session", "stewardapp_guesses")


@dataclass(frozen=True)
class Place:
    """A release in one state, and what hangs on it."""

    release: Release
    run: Run
    alive: Run | None
    comment: Comment
    artifact: Artifact
    preview: Preview | None = None

    @property
    def assessment(self) -> Assessment:
        """Something that was measured of its run afterwards."""
        return factories.make_assessment(self.run)

    @property
    def newest(self) -> Run:
        """The run that works, else the candidate."""
        return self.alive or self.run

    @property
    def chart(self) -> str:
        """A chart of the results."""
        return next(iter(charts(self.run.report)))


@dataclass(frozen=True)
class Asked:
    """What an address answered, what it wrote meanwhile, and the purposes of the files it opened."""

    answer: HttpResponse
    writes: tuple[str, ...]
    opened: tuple[str, ...]

    @property
    def outcome(self) -> str:
        """In one word: yes, sign-in, or the number of the refusal."""
        status = self.answer.status_code
        if status == 302 and self.answer["Location"].startswith(reverse("account_login")):
            return "sign-in"
        return "yes" if 200 <= status < 400 else str(status)

    @property
    def events(self) -> int:
        """How many lines the audit log got."""
        return sum(table == "stewardapp_auditevent" for table in self.writes)


@dataclass
class Scene:
    """One team and its things; another team whose steward may touch none of them."""

    team: Team
    others: Team
    version: Version
    other_version: Version
    hierarchy: Hierarchy
    attached: Column
    population: Population
    officer: User
    places: dict[str, Place] = field(default_factory=dict)
    clients: dict[str, tuple[Client, SimpleCookie]] = field(default_factory=dict)

    @classmethod
    def make(cls) -> Scene:
        """Through the actions."""
        team, others = factories.make_project(), factories.make_project()
        memberships.add(project=team.project, user=team.third_reviewer, role="steward", by=team.admin)
        version = factories.read_for_real(factories.upload(team))
        other_version = factories.read_for_real(factories.upload(others))
        columns.tag(version=version, roles=factories.ROLES, by=team.steward)
        made = {"name": "Ages", "spec": {"builder": "mask"}, "levels": 3, "by": team.steward}
        hierarchy = hierarchies.create(project=team.project, version=version, **made)
        attached = version.columns.get(name="zip")
        hierarchies.attach(column=attached, hierarchy=hierarchy, by=team.steward)
        scene = cls(
            team,
            others,
            version,
            other_version,
            hierarchy,
            attached,
            factories.make_held_population(team),
            factories.make_officer(),
        )
        scene._release_everything()
        for persona in PERSONAS:
            client = browser(scene.person(persona))
            scene.clients[persona] = client, SimpleCookie(client.cookies.output(header="", sep=";"))
        return scene

    def person(self, persona: str) -> User | None:
        """Who is behind the word."""
        if persona == "anonymous":
            return None
        if persona == "other_steward":
            return self.others.steward
        if persona == "officer":
            return self.officer
        return self.team.persona("third_reviewer" if persona == "reviewer_who_edited" else persona)

    @property
    def membership(self) -> Membership:
        """The analyst's."""
        return Membership.objects.get(user=self.team.analyst)

    @property
    def column(self) -> Column:
        """One without a hierarchy."""
        return self.version.columns.get(name="age")

    def upload(self, by: User | None = None) -> Upload:
        """Bytes on their way in, complete but not yet closed."""
        by, content = by or self.team.steward, factories.CSV
        dataset = self.version.dataset
        begun = uploads.begin(dataset=dataset, filename="survey.csv", length=len(content), by=by)
        return uploads.append(upload=begun, offset=0, stream=io.BytesIO(content), by=by)

    def proposal(self) -> Proposal:
        """The steward's, for a higher limit."""
        limit = Spend.of(2)
        return proposals.propose_limit(
            population=self.population, limit=limit, reason="More.", by=self.team.steward
        )

    def sharing(self) -> Population:
        """People some of whom are among the others."""
        other = factories.make_held_population(self.team)
        factories.declare_overlap(self.team, self.population, other)
        return other

    def unadmitted(self) -> Dataset:
        """One about people of whom others hold data."""
        return factories.hold(self.team, self.other_version.dataset.population)

    def replay(self) -> Replay:
        """Attacks on people who do not exist."""
        return factories.make_replay(self.team)

    def allotment(self) -> Allotment:
        """The project's part of a budget."""
        return factories.give_budget(self.team, self.population, Spend.of(1))

    def unused_version(self) -> Version:
        """One that no job uses."""
        return factories.read(factories.upload(self.team))

    def desk(self) -> Desk:
        """An open one, with an allowance for the analyst."""
        other_people = factories.CSV + b"40,1017,none\n"
        version = factories.read(factories.upload(self.team, data=other_people))
        return factories.make_desk(self.team, version=version)

    def tagged_version(self) -> Version:
        """One whose columns have roles."""
        return factories.make_version(self.team)

    def survey(self, *, invited: bool = False) -> Survey:
        """A draft with questions."""
        return factories.make_survey(self.team, invited=invited)

    def answered_survey(self) -> Survey:
        """One that collects."""
        return factories.make_answers(factories.make_survey(self.team, SurveyMove.OPEN), (0, 1))

    def _release_everything(self) -> None:
        used = factories.make_version(self.team)
        columns.tag(version=used, roles={"age": "quasi-identifier"}, by=self.team.third_reviewer)
        for state in State:
            self.places[state.value] = self._place(used, state)
        self.places["for-signed-in"] = self._place(used, State.PUBLISHED, audience=Audience.SIGNED_IN)
        self.places["for-anyone"] = self._place(used, State.PUBLISHED, audience=Audience.PUBLIC_LINK)
        named = {"audience": Audience.NAMED, "named": [self.team.outsider]}
        self.places["for-named"] = self._place(used, State.PUBLISHED, **named)
        self.places["under-embargo"] = self._place(used, State.APPROVED, embargo=True)

    def _place(self, version: Version, state: State, *, embargo: bool = False, **described: Any) -> Place:
        team = self.team
        release = factories.make_release(team, version=version)
        if described:
            release = releases.describe(release=release, by=team.steward, **described)
        run = factories.make_succeeded_run(release)
        release = factories.take_to(team, release, state, team.steward)
        if embargo:
            until = timezone.now() + timedelta(days=1)
            seen = release.candidate_sha256
            release = releases.publish(
                release=release, manifest_sha256=seen, embargo_until=until, by=team.steward
            )
        run = release.candidate or run
        alive = factories.make_run(release) if state in (State.DRAFT, State.CHANGES_REQUESTED) else None
        comment = comments.add(release=release, text="Why?", by=team.co_steward)
        preview = factories.make_preview(release) if alive else None
        factories.know_each_other(version)
        return Place(release, run, alive, comment, run.artifacts.get(name="release.csv"), preview)

    def ask(self, persona: str, method: str, url: str, **sent: Any) -> Asked:
        """Send a request as somebody; the session is afterwards what it was."""
        client, cookies = self.clients[persona]
        client.cookies = SimpleCookie(cookies.output(header="", sep=";"))
        with writes() as seen, openings() as opened:
            answer = getattr(client, method.lower())(url, **sent)
            if answer.streaming and not answer.is_async:  # a stream of events has no end
                b"".join(answer.streaming_content)
        return Asked(answer, tuple(seen), tuple(opened))


def browser(user: User | None, *, confirmed: bool = True) -> Client:
    """A browser; its person gave the password just now, or a while ago."""
    client = Client(raise_request_exception=False)
    if user is not None:
        client.force_login(user, backend=BACKEND)
    if user is not None and confirmed:
        answer = client.post(reverse("account_reauthenticate"), {"password": factories.PASSWORD})
        assert answer.status_code == 302
    return client


@pytest.fixture(scope="module")
def scene(django_db_setup: None, django_db_blocker: Any) -> Iterator[Scene]:
    """Built once; every request is taken back."""
    with django_db_blocker.unblock(), undone():
        yield Scene.make()


@contextmanager
def writes() -> Iterator[list[str]]:
    """The tables that are written to, one entry per statement; sessions and sign-in counters aside."""
    seen: list[str] = []

    def watch(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        words = sql.replace('"', " ").split()
        table = {"INSERT": 2, "UPDATE": 1, "DELETE": 2}.get(words[0].upper())
        if table is not None and not words[table].startswith(IGNORED):
            seen.append(words[table])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield seen


@contextmanager
def openings() -> Iterator[list[str]]:
    """The purposes of the stored files that are opened."""
    seen = list[str]()

    def noting(door: Callable[[Blob], AbstractContextManager[Any]]) -> Callable[[Blob], Any]:
        def opened(blob: Blob) -> AbstractContextManager[Any]:
            seen.append(blob.purpose)
            return door(blob)

        return opened

    doors = {name: noting(getattr(storage, name)) for name in ("opened", "reading")}
    with mock.patch.multiple(storage, **doors):
        yield seen


def nobody() -> uuid.UUID:
    """An id that nothing has."""
    return uuid.UUID(int=0)


def addresses(found: list[Any] | None = None) -> Iterator[URLPattern]:
    """Every address of the site apart from the administration's."""
    for one in get_resolver().url_patterns if found is None else found:
        if isinstance(one, URLPattern):
            yield one
        elif one.app_name != "admin":
            yield from addresses(one.url_patterns)
