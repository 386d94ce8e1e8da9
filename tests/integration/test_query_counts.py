"""What every page asks of the database: no more than its budget, no more when its lists are longer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import connection
from django.urls import reverse

from stewardapp.access.workflow import State
from stewardapp.actions import comments, memberships
from stewardapp.models import Dataset, Release, Version
from tests import factories
from tests.integration.url_scene import PERSONAS, Scene, scene
from tests.integration.url_table import TABLE, Door
from tests.scenes import undone
from worker.engine.contracts.privacy import Spend

__all__ = ["scene"]
pytestmark = pytest.mark.django_db
# What is no question, and the mark of a session, which is renewed from time to time.
ASIDE = ("SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN", "COMMIT", 'UPDATE "django_session"')
PREFERRED = ("steward", "reviewer", "analyst", "admin", "officer", *PERSONAS)
PAGES = [name for name, row in TABLE.items() if row.get is not None]
PLACES = {"draft", "in-review", "changes-requested", "approved", "published", "revoked", "for-named"}
MOST = 15
BUDGET = {
    "artifact-download": 20,
    "assessment-detail": 16,
    "dataset-detail": 16,
    "desk-open": 16,
    "home": 21,
    "population-budget": 20,
    "population-detail": 19,
    "project-detail": 16,
    "project-policy": 16,
    "question-detail": 16,
    "release-configure": 19,
    "release-detail": 20,
    "release-progress": 20,
    "release-publish": 16,
    "release-submit": 17,
    "review-detail": 21,
    "review-progress": 16,
    "run-assessments": 18,
    "run-detail": 16,
    "run-explorer": 17,
    "run-report": 16,
    "step-matrix": 17,
}
"""Pages that ask more than `MOST` questions, in whichever place they ask most."""
ELSEWHERE = {
    "account_login": {302},
    "account_signup": {302},
    "mfa_authenticate": {302},
    "mfa_reauthenticate": {302},
    "run-progress": {286},
    "upload": {302},
    "upload-detail": {302},
}
"""Pages that send on whoever may see them, or tell a poll to stop: what they ask says little of the page."""


Asked = dict[str, dict[str, list[str]]]
"""What pages ask, by the page and the place."""


@contextmanager
def questions() -> Iterator[list[str]]:
    """What is asked of the database meanwhile."""
    seen: list[str] = []

    def watch(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not sql.startswith(ASIDE):
            seen.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield seen


def who_may(door: Door) -> str | None:
    """Somebody whom a page shows itself to."""
    return next((one for one in PREFERRED if door.expected(one) == "yes"), None)


def asked_in(
    scene: Scene, name: str, answers: dict[str, set[int]], before: Asked | None = None
) -> dict[str, list[str]]:
    """What a page asks in each place in which somebody may see it; how it answers is noted."""
    row, found = TABLE[name], {}
    for label in PLACES.intersection(row.places):
        if (persona := who_may(row.doors(label)["get"])) is not None:
            found[label] = asked_of(scene, name, label, persona, answers)
            # What is asked once in a process is not the page's.
            if before is None or len(found[label]) > len(before[name][label]):
                again = asked_of(scene, name, label, persona, answers)
                found[label] = min(found[label], again, key=len)
    return found


def asked_of(scene: Scene, name: str, label: str, persona: str, answers: dict[str, set[int]]) -> list[str]:
    row, place = TABLE[name], scene.places[label]
    with undone():
        url, headers = reverse(name, kwargs=row.args(scene, place)), row.headers(scene, place)
        with questions() as seen:
            answer = scene.ask(persona, "get", url, headers=headers).answer
    answers.setdefault(name, set()).add(answer.status_code)
    return seen


def few(scene: Scene) -> None:
    """One of what pages show only where there is one."""
    factories.make_replay(scene.team)
    factories.make_survey(scene.team)
    factories.make_leak(scene.population, scene.team.steward)


def grow(scene: Scene) -> None:
    """More of everything that stands in a list: people, datasets, versions, releases, runs, comments."""
    team, others = scene.team, factories.make_project()
    memberships.add(project=others.project, user=team.steward, role="steward", by=others.admin)
    memberships.add(project=team.project, user=factories.make_user(), role="analyst", by=team.admin)
    factories.make_held_population(team)
    for dataset in Dataset.objects.filter(project=team.project):
        for _ in range(2):
            factories.read(factories.upload(team, dataset=dataset, data=factories.CSV + b"30,1013,none\n"))
    version = Version.objects.filter(releases__isnull=False).first()
    for state in (State.DRAFT, State.IN_REVIEW, State.APPROVED, State.PUBLISHED):
        scene._place(version, state)
    for place in scene.places.values():
        comments.add(release=place.release, text="And this?", by=team.co_steward)
        if place.alive is not None:
            factories.make_succeeded_run(place.release)
    few(scene)


@dataclass(frozen=True)
class Measured:
    """What every page asks, and what it asks when its lists are longer."""

    small: Asked
    large: Asked
    answers: dict[str, set[int]]


@pytest.fixture(scope="module")
def measured(scene: Scene) -> Measured:
    answers: dict[str, set[int]] = {}
    with undone():
        few(scene)
        small = {name: asked_in(scene, name, answers) for name in PAGES}
        grow(scene)
        return Measured(small, {name: asked_in(scene, name, answers, small) for name in PAGES}, answers)


def test_what_was_counted_is_the_page_itself(measured: Measured) -> None:
    other = {name: found - {200} for name, found in measured.answers.items()}
    assert {name: found for name, found in other.items() if found} == ELSEWHERE


def test_no_page_asks_more_than_its_budget(measured: Measured) -> None:
    most = {name: max(map(len, found.values()), default=0) for name, found in measured.small.items()}
    assert {name: number for name, number in most.items() if number > BUDGET.get(name, MOST)} == {}


def test_longer_lists_ask_no_more(measured: Measured) -> None:
    grown = {
        (name, label): added(asked, measured.large[name][label])
        for name, found in measured.small.items()
        for label, asked in found.items()
        if len(measured.large[name][label]) > len(asked)
    }
    assert grown == {}


def added(small: list[str], large: list[str]) -> list[str]:
    """What is asked more often, in short."""
    return [f"{number} × {sql}" for sql, number in (Counter(large) - Counter(small)).items()]


def test_a_recipe_that_is_paid_for_asks_no_more_after_each_paid_answer(scene: Scene) -> None:
    team = scene.team
    with undone():
        version = factories.make_version(team, data=factories.CSV + b"50,2020,rare\n")
        factories.give_budget(team, version.dataset.population, Spend.of(2, 0.001))
        release = paid(team, version, 0.1)
        url = reverse("release-configure", args=[release.pk])
        few = configured(scene, url)
        paid(team, version, 0.2)
        many = configured(scene, url)
    assert few <= 25
    assert many <= few


def paid(team: factories.Team, version: Version, epsilon: float) -> Release:
    """A release whose run was paid for and has its answer."""
    unknown = {"unknown_categories": True, "delta": 0.000001}
    step = {"method": "dp-histogram", "params": {"columns": ["zip"], "epsilon": epsilon, **unknown}}
    release = factories.make_release(team, version=version, recipe={"steps": [step]})
    factories.make_succeeded_run(release, epsilon=str(epsilon))
    return release


def configured(scene: Scene, url: str) -> int:
    """How many questions the page of a recipe asks, once it was asked for before."""
    scene.ask("steward", "get", url)
    with questions() as seen:
        assert scene.ask("steward", "get", url).answer.status_code == 200
    return len(seen)


def test_a_question_for_each_line_is_seen(scene: Scene) -> None:
    with questions() as few:
        list(Dataset.objects.all())
    with questions() as many:
        [dataset.project.name for dataset in Dataset.objects.all()]
    assert len(few) == 1 < len(many)
