"""Long lists come in pages, and a page asks no more when there are more of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from stewardapp.access.workflow import State
from stewardapp.actions import populations, projects
from stewardapp.models import Dataset
from stewardapp.views import paging
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]


def more_projects(team: Team, number: int) -> None:
    for _ in range(number):
        projects.create(name=factories.unique("Study"), by=team.admin)


def more_people(team: Team, number: int) -> None:
    for _ in range(number):
        populations.create(name=factories.unique("People"), by=team.steward)


def more_data(team: Team, number: int) -> None:
    held = Dataset.objects.filter(project=team.project).first()
    people = factories.make_dataset(team).population if held is None else held.population
    for _ in range(number):
        factories.hold(team, people)


def more_candidates(team: Team, number: int) -> None:
    for _ in range(number):
        factories.make_release(team, state=State.IN_REVIEW)


LISTS: dict[str, tuple[str, str, Callable[[Team, int], None]]] = {
    "project-list": ("admin", "projects", more_projects),
    "population-list": ("steward", "populations", more_people),
    "project-detail": ("steward", "datasets", more_data),
    "population-detail": ("steward", "datasets", more_data),
    "review-list": ("reviewer", "lines", more_candidates),
}


def address(team: Team, name: str) -> str:
    """The page; of people those that its datasets are about."""
    about = Dataset.objects.filter(project=team.project).values_list("population", flat=True)
    ids = {"project-detail": [team.project.pk], "population-detail": about[:1]}
    return reverse(name, args=ids.get(name, []))


@pytest.mark.parametrize("name", LISTS)
def test_a_long_list_has_pages(
    name: str, team: Team, browse: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging.paged, "__defaults__", (2,))
    persona, lines, more = LISTS[name]
    more(team, 3)
    url = address(team, name)
    first = browse(persona).get(url)
    pages = first.context["page"].paginator.num_pages
    found: list[str] = []
    for number in range(1, pages + 1):
        shown = browse(persona).get(url, {"page": number}).context[lines]
        assert 1 <= len(shown) <= 2
        found += map(str, shown)
    assert len(found) == first.context["page"].paginator.count == len(set(found)) >= 3
    assert 'rel="next"' in first.content.decode()


@pytest.mark.parametrize("name", LISTS)
def test_a_longer_page_asks_no_more(name: str, team: Team, browse: Browser) -> None:
    persona, _, more = LISTS[name]
    more(team, 2)
    ask, url = browse(persona), address(team, name)
    ask.get(url)
    with CaptureQueriesContext(connection) as few:
        ask.get(url)
    more(team, 3)
    with CaptureQueriesContext(connection) as many:
        ask.get(url)
    assert len(many) == len(few) <= 20
