"""A guessed kind is confirmed with one button where it is asked for, and can be doubted again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from stewardapp.actions import columns, releases
from stewardapp.models import Release, Version
from tests import factories
from tests.factories import Team
from tests.unit.views.test_tables import SENT
from worker.engine.contracts.privacy import Spend

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]

STEP = {"method": "dp-histogram", "params": {"columns": ["age"], "epsilon": 0.5}}


@pytest.fixture
def version(team: Team) -> Version:
    return factories.make_version(team)


@pytest.fixture
def table(team: Team, version: Version) -> Release:
    """A table by age, whose bounds were declared before the data were read again and looked otherwise."""
    factories.give_budget(team, version.dataset.population, Spend.of(2))
    bounds = {"bounds": [0, 100], "bin_width": 10}
    columns.describe(version=version, name="age", settings=bounds, by=team.steward)
    version.columns.update(kind_confirmed=False)
    return releases.create(version=version, title="T", purpose="P", recipe={"steps": [STEP]}, by=team.steward)


def guessed(version: Version) -> list[str]:
    return list(version.columns.filter(kind_confirmed=False).order_by("name").values_list("name", flat=True))


def shown(page: Any) -> dict[str, str]:
    """What the page would send: the kinds as they were seen."""
    return {f"kind-{one.position}": one.kind for one in page.context["guessed"]}


def test_one_button_confirms_one_kind_and_another_all(version: Version, browse: Browser) -> None:
    client, here = browse("steward"), reverse("version-columns", args=[version.pk])
    page = client.get(here)
    seen = shown(page)
    assert "is a guess from the data" in page.content.decode()
    asked = [one.name for one in page.context["guessed"]]
    age = version.columns.get(name="age")
    answer = client.post(here, {**seen, "confirm": str(age.position)}, follow=True)
    assertContains(answer, f"Confirmed: age is {age.kind}.")
    assert "age" not in guessed(version)
    answer = client.post(here, {**shown(client.get(here)), "confirm": "all"}, follow=True)
    assert not set(guessed(version)) & set(asked)
    assertNotContains(answer, "is a guess from the data")


def test_the_last_confirmation_is_taken_back_with_one_button(version: Version, browse: Browser) -> None:
    client, here = browse("steward"), reverse("version-columns", args=[version.pk])
    seen, before = shown(client.get(here)), guessed(version)
    client.post(here, {**seen, "confirm": "all"})
    assert guessed(version) != before
    assertContains(client.get(here), "Take back the last confirmation")
    client.post(here, {"doubt": "yes"})
    assert guessed(version) == before
    assertNotContains(client.get(here), "Take back the last confirmation")
    assertContains(client.post(here, {"doubt": "yes"}, follow=True), "nothing to take back")


def test_a_confirmation_of_another_reading_is_not_taken_back(
    team: Team, version: Version, browse: Browser
) -> None:
    client, here = browse("steward"), reverse("version-columns", args=[version.pk])
    client.post(here, {**shown(client.get(here)), "confirm": "all"})
    factories.read_again(version, team.steward, profile=factories.PROFILE)
    assertNotContains(client.get(here), "Take back the last confirmation")


def test_a_kind_that_changed_since_it_was_seen_is_not_confirmed(version: Version, browse: Browser) -> None:
    client, here = browse("steward"), reverse("version-columns", args=[version.pk])
    seen = shown(client.get(here))
    version.columns.filter(name="age").update(kind="decimal")
    age = version.columns.get(name="age")
    assert client.post(here, {**seen, "confirm": str(age.position)}).status_code == 409
    assert "age" in guessed(version)
    version.columns.update(kind_confirmed=True)
    assertContains(client.post(here, {**seen, "confirm": "all"}, follow=True), "nothing left to confirm")


def test_who_may_not_tag_confirms_nothing(version: Version, browse: Browser) -> None:
    here = reverse("version-columns", args=[version.pk])
    before = guessed(version)
    assert browse("reviewer").post(here, {"kind-0": "integer", "confirm": "all"}).status_code == 403
    assert guessed(version) == before


def test_the_recipe_page_asks_for_the_kind_before_the_run_fails(table: Release, browse: Browser) -> None:
    client, here = browse("steward"), reverse("release-configure", args=[table.pk])
    page = client.get(here)
    kind = table.version.columns.get(name="age").kind
    assertContains(page, f"confirm that it is {kind}")
    assertContains(page, "Kinds to confirm")
    assert page.context["may"].run.code == "kind-guessed"
    refused = client.post(reverse("run-start", args=[table.pk]))
    assert refused.status_code == 403
    assertContains(refused, "Confirm it first", status_code=403)


def sent(release: Release, do: str, **more: str) -> dict[str, str]:
    """The form of the recipe page as a browser sends it, with one of its buttons."""
    release.refresh_from_db()
    step = {**SENT, "columns": "age", "epsilon": "0.5"}
    whole = {"item": "step:k:dp-histogram", "revision": str(release.revision), "do": do, **more}
    return whole | {f"k-{name}": value for name, value in step.items()}


def test_saving_tells_it_and_one_button_mends_it_with_what_was_typed(table: Release, browse: Browser) -> None:
    client, here = browse("steward"), reverse("release-configure", args=[table.pk])
    page = client.get(here)
    answer = client.post(here, sent(table, "run"), follow=True)
    assertContains(answer, "It cannot run yet: a kind has to be confirmed.")
    assert not table.runs.exists()
    age = table.version.columns.get(name="age")
    mended = client.post(here, sent(table, f"confirm:{age.position}", **shown(page)))
    assert mended.status_code == 200
    assert [step.slug for step in mended.context["form"].steps] == ["dp-histogram"]
    assertNotContains(mended, "Kinds to confirm")
    assert "age" not in guessed(table.version)
    client.post(here, sent(table, "run"))
    assert table.runs.exists()
