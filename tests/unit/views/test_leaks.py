"""The page of what leaked of some people, and what reviewers are told of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from stewardapp.actions import assessments, leaks
from stewardapp.models import Leak, Population
from tests import factories
from tests.factories import Team

Browser = Callable[[str], Client]


@pytest.fixture
def people(team: Team) -> Population:
    return factories.make_held_population(team)


def page(people: Population) -> str:
    return reverse("population-leaks", args=[people.pk])


def sent(content: bytes = b"age\n30\n", **said: str) -> dict[str, Any]:
    file = SimpleUploadedFile("leaked.csv", content)
    return {"place": "A forum", "seen_on": "2026-01-02", "brought": file, **said}


def test_a_steward_registers_a_file_and_takes_it_back(people: Population, browse: Browser) -> None:
    client = browse("steward")
    assert b"None that you can see" in client.get(page(people)).content
    answer = client.post(page(people), sent(), follow=True)
    assert b"A worker reads it." in answer.content
    leak = Leak.objects.get()
    assert f'data-watch="leak:{leak.pk}"' in answer.content.decode()
    factories.read_leak(leak)
    told = client.get(page(people)).content
    assert b"Compared with" in told
    assert b"data-watch" not in told
    unregister = reverse("leak-unregister", args=[leak.pk])
    assert b"must not be empty" in client.post(unregister, follow=True).content
    answer = client.post(unregister, {"reason": "Another file."}, follow=True)
    assert b"its file is destroyed" in answer.content
    assert b"Unregister and destroy" not in answer.content


def test_what_could_not_be_read_says_why(people: Population, team: Team, browse: Browser) -> None:
    leak = factories.make_leak(people, team.steward, done=False)
    fence = Leak.objects.claim(leak.pk, "w", 60)
    assert fence is not None
    Leak.objects.fail(leak.pk, fence, code="no-table", message="This is no table.")
    assert b"This is no table." in browse("steward").get(page(people)).content


def test_what_is_wrong_stands_at_its_field(people: Population, browse: Browser, settings: Any) -> None:
    client = browse("steward")
    wrong = client.post(page(people), sent(seen_on="2999-01-01"))
    assert (wrong.status_code, set(wrong.context["form"].errors)) == (422, {"seen_on"})
    long = client.post(page(people), sent(place="x" * 201))
    assert set(long.context["form"].errors) == {"place"}
    settings.STEWARD_MAX_UPLOAD = 10
    large = client.post(page(people), sent(b"x" * 100_000))
    assert large.status_code == 413
    assert b"at most 10" in large.content
    assert not Leak.objects.exists()


def test_others_see_neither_form_nor_file(people: Population, team: Team, browse: Browser) -> None:
    factories.make_leak(people, team.steward)
    assert b"Unregister" in browse("steward").get(page(people)).content
    assert b"Unregister and destroy" not in browse("reviewer").get(page(people)).content
    assert browse("reviewer").post(page(people), sent()).status_code == 403


def test_a_reviewer_is_told_with_what_a_candidate_is_compared(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state="in-review")
    review = reverse("review-detail", args=[release.pk])
    assert b"Files that leaked" not in browse("reviewer").get(review).content
    leak = factories.make_leak(release.version.dataset.population, team.steward)
    told = browse("reviewer").get(review).content
    assert leak.title.encode() in told
    assert b": A forum" in told
    assert b"Not compared yet" in told
    assert b"that leaked was registered" in told
    assert release.candidate is not None
    factories.measured(assessments.measure_policy(run=release.candidate, by=team.reviewer), "intersection")
    assert b"Not compared yet" not in browse("reviewer").get(review).content
    leaks.unregister(leak=leak, reason="Another file.", by=team.steward)
    assert b"Files that leaked" not in browse("reviewer").get(review).content


def test_many_come_in_pages_and_are_found_by_words(people: Population, team: Team, browse: Browser) -> None:
    for number in range(26):
        factories.make_leak(people, team.steward, done=False, place=f"Forum {number:02}")
    client = browse("steward")
    assert len(client.get(page(people)).context["leaks"]) == 25
    found = client.get(page(people), {"q": "forum 07"}).context["leaks"]
    assert [one.place for one in found] == ["Forum 07"]
    assert b"Nothing found" in client.get(page(people), {"q": "elsewhere"}).content
