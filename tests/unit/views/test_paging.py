"""Long lists come in pages and are searched, and a page asks no more when there are more of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.db.models import Model
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from stewardapp.access.workflow import State
from stewardapp.actions import populations, projects
from stewardapp.models import Dataset
from stewardapp.views import datasets, paging
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


def more_versions(team: Team, number: int) -> None:
    dataset = Dataset.objects.filter(project=team.project).first()
    for _ in range(number):
        dataset = factories.make_version(team, dataset=dataset).dataset


def more_surveys(team: Team, number: int) -> None:
    for _ in range(number):
        factories.make_survey(team)


def more_candidates(team: Team, number: int) -> None:
    for _ in range(number):
        factories.make_release(team, state=State.IN_REVIEW)


LISTS: dict[str, tuple[str, str, Callable[[Team, int], None]]] = {
    "project-list": ("admin", "projects", more_projects),
    "population-list": ("steward", "populations", more_people),
    "project-detail": ("steward", "datasets", more_data),
    "population-detail": ("steward", "datasets", more_data),
    "review-list": ("reviewer", "lines", more_candidates),
    "dataset-create": ("steward", "page", more_data),
    "dataset-detail": ("steward", "versions", more_versions),
    "dataset-list": ("steward", "datasets", more_data),
    "project-surveys": ("steward", "page", more_surveys),
}


def address(team: Team, name: str) -> str:
    """The page; of people those that its datasets are about."""
    about = Dataset.objects.filter(project=team.project).values_list("population", flat=True)
    ids = {
        "project-detail": [team.project.pk],
        "population-detail": about[:1],
        "dataset-detail": about.values_list("pk", flat=True)[:1],
        "project-surveys": [team.project.pk],
    }
    return reverse(name, args=ids.get(name, []))


@pytest.mark.parametrize("name", LISTS)
def test_a_long_list_has_pages(
    name: str, team: Team, browse: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging.paged, "__defaults__", (2,))
    monkeypatch.setattr(datasets, "PER_PAGE", 2)
    monkeypatch.setattr(datasets, "BESIDE", 2)
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


SEARCHED = (
    "dataset-create",
    "dataset-list",
    "population-list",
    "project-list",
    "review-list",
    "project-surveys",
)


def name_of(line: Any) -> str:
    """What a search finds it by; a line begins with what it is about."""
    about = line if isinstance(line, Model) else line[0] if isinstance(line, tuple) else line.release
    return str(getattr(about, "title", "") or about.name)


@pytest.mark.parametrize("name", SEARCHED)
def test_a_list_is_searched_by_words(name: str, team: Team, browse: Browser) -> None:
    persona, lines, more = LISTS[name]
    more(team, 3)
    ask, url = browse(persona), address(team, name)
    everything = ask.get(url)
    assert 'role="search"' not in everything.content.decode(), "what fits on a page needs none"
    wanted = name_of(list(everything.context[lines])[-1])
    found = ask.get(url, {"q": f"  {wanted[-8:].upper()}  "})
    assert wanted in [name_of(line) for line in found.context[lines]]
    assert len(found.context[lines]) < len(everything.context[lines])
    for page in (found, ask.get(url, {"q": f"{wanted} nowhere"})):
        assert 'role="search"' in page.content.decode()
    assert "Nothing found" in page.content.decode()
    assert not list(page.context[lines])


def test_query_desks_are_searched(team: Team, browse: Browser) -> None:
    desk = factories.make_desk(team)
    ask, name = browse("analyst"), desk.version.dataset.name
    assert [one for one, _ in ask.get(reverse("desk-list"), {"q": name}).context["lines"]] == [desk]
    assert "Nothing found" in ask.get(reverse("desk-list"), {"q": "nowhere"}).content.decode()


def test_a_search_takes_so_many_words(rf: RequestFactory) -> None:
    request = rf.get("/", {"q": "word " * 100})
    sql = str(paging.searched(request, Dataset.objects.all(), "name", "description").query)
    assert sql.count("LIKE") == 2 * paging.MOST_WORDS
