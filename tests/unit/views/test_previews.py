"""Trying a step from the configuration page, with and without a script; forgotten with the draft."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.access.verdict import NotAllowed
from stewardapp.actions import columns, previews, releases, versions
from stewardapp.models import Preview, Release, Version
from tests import factories
from tests.factories import Team
from tests.unit.views.test_recipes import address, sent
from worker.engine.contracts.privacy import Spend
from worker.engine.methods.noise import Noise
from worker.queue import runner

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
STEP = {"method": "pram", "params": {"column": "illness", "keep": 0.75}}
POLLS = re.compile(r'hx-get="(/previews/[^"]+)"')


@pytest.fixture
def release(survey: Version, team: Team) -> Release:
    """A draft on data that were really read."""
    roles = {"illness": "sensitive", "zip": "quasi-identifier", "person": "person-key"}
    columns.tag(version=survey, roles=roles, by=team.steward)
    recipe = {"goals": [{"goal": "k-anonymity", "params": {"k": 2}}], "steps": [STEP]}
    return releases.create(version=survey, title="Ill", recipe=recipe, by=team.steward)


def asked(client: Client, release: Release, number: int = 0, **changes: str) -> Any:
    """Press the button of a step."""
    page = client.get(address(release))
    key = page.context["form"].steps[number].key
    return client.post(address(release), {**sent(page, **changes), "do": f"preview:{key}"})


def done(preview: Preview) -> Preview:
    runner.perform("preview", str(preview.pk))
    preview.refresh_from_db()
    return preview


def test_the_step_is_tried_as_it_stands_and_nothing_is_saved(release: Release, browse: Browser) -> None:
    client, before = browse("steward"), release.recipe
    page = asked(client, release, keep="0.9")
    preview = Preview.objects.get()
    assert preview.recipe["steps"][0]["params"]["keep"] == 0.9
    fragment = POLLS.findall(page.content.decode())
    assert fragment == [reverse("preview-detail", args=[preview.pk])]
    key = page.context["form"].steps[0].key
    assert re.search(rf'name="preview-{key}"\s+value="{preview.pk}"', page.content.decode())
    release.refresh_from_db()
    assert release.recipe == before

    waiting = client.get(fragment[0], headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in waiting
    assert POLLS.findall(waiting)
    assert done(preview).state == "succeeded", preview.error_message
    shown = client.get(fragment[0], headers={"HX-Request": "true"}).content.decode()
    assert not POLLS.findall(shown)
    assert "of the cells changed" in shown
    assert "Tried on all 120 rows" in shown
    assert "Released frequencies λ are biased" in shown
    for chart in ("marginal-illness", "matrix-illness"):
        url = reverse("preview-chart", args=[preview.pk, chart])
        assert url in shown
        assert json.loads(client.get(url).content)["data"]
    assert client.get(reverse("preview-chart", args=[preview.pk, "nothing"])).status_code == 404


def test_without_a_script_a_link_leads_to_the_whole_page(release: Release, browse: Browser) -> None:
    client = browse("steward")
    page = asked(client, release).content.decode()
    preview = Preview.objects.get()
    link = reverse("preview-detail", args=[preview.pk])
    assert f'href="{link}"' in page
    done(preview)
    whole = client.get(link).content.decode()
    assert "<html" in whole
    assert "of the cells changed" in whole


def test_it_stays_on_the_page_while_other_steps_move(release: Release, browse: Browser) -> None:
    client = browse("steward")
    page = asked(client, release)
    preview = done(Preview.objects.get())
    key = page.context["form"].steps[0].key
    kept = {f"preview-{key}": str(preview.pk), f"column-{key}": "zip"}
    page = client.post(address(release), {**sent(page), **kept, "do": "add:step:rounding"})
    assert page.context["form"].steps[0].preview == preview
    assert "of the cells changed" in page.content.decode()
    assert "<option selected>zip</option>" in page.content.decode()


def test_a_wrong_value_is_said_on_its_field_alone(release: Release, browse: Browser) -> None:
    page = asked(browse("steward"), release, keep="7", k="0")
    step, goal = page.context["form"].steps[0], page.context["form"].goals[0]
    assert "less than or equal" in str(step.form.errors["keep"])
    assert not goal.form.errors, "goals do not matter to a step that does not look at them"
    assert not Preview.objects.exists()


def test_a_step_that_looks_at_the_goals_needs_them_right(release: Release, browse: Browser) -> None:
    client = browse("steward")
    page = client.post(
        address(release), {**sent(client.get(address(release))), "do": "add:step:generalization"}
    )
    key = page.context["form"].steps[1].key
    wrong = client.post(address(release), {**sent(page, k="0"), "do": f"preview:{key}"})
    assert wrong.context["form"].goals[0].form.errors["k"]
    right = client.post(
        address(release), {**sent(page, k="3"), f"column-{key}": "zip", "do": f"preview:{key}"}
    )
    assert right.status_code == 200
    assert Preview.objects.get().recipe["goals"][0]["params"]["k"] == 3
    assert done(Preview.objects.get()).state == "succeeded"
    assert client.post(address(release), {**sent(page), "do": "preview:nobody"}).status_code == 200


def test_what_costs_budget_is_refused_with_the_reason(
    release: Release, browse: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns.describe(version=release.version, name="zip", kind="integer", by=release.author)
    releases.edit_recipe(
        release=release,
        recipe={"steps": [{"method": "noise", "params": {"column": "zip"}}]},
        by=release.author,
    )
    monkeypatch.setattr(Noise, "cost", lambda self: Spend.of(1))
    page = asked(browse("steward"), release)
    assert "would take from the privacy budget" in page.content.decode()
    assert not Preview.objects.exists()


def test_a_failure_is_said_where_the_result_would_stand(release: Release, browse: Browser) -> None:
    client = browse("steward")
    asked(client, release)
    preview = Preview.objects.get()
    Preview.objects.filter(pk=preview.pk).update(column="person")
    done(preview)
    shown = client.get(reverse("preview-detail", args=[preview.pk])).content.decode()
    assert "Choose a column that is released." in shown


def test_previews_go_with_the_draft_and_with_the_data(release: Release, team: Team) -> None:
    for _ in range(previews.KEPT + 3):
        last = previews.start(release=release, step=STEP, by=team.steward)
    other = previews.start(release=release, step=STEP, by=team.co_steward)
    kept = set(Preview.objects.values_list("pk", flat=True))
    assert len(kept) == previews.KEPT + 1
    assert {last.pk, other.pk} <= kept
    releases.withdraw(release=release, by=team.steward)
    assert not Preview.objects.exists()
    with pytest.raises(NotAllowed):
        previews.start(release=release, step=STEP, by=team.steward)
    again = factories.make_preview(factories.make_release(team))
    versions.destroy(version=again.release.version, reason="Asked for.", by=team.admin)
    assert not Preview.objects.exists()


def test_a_submitted_draft_keeps_none(team: Team) -> None:
    release = factories.make_release(team)
    factories.make_preview(release)
    factories.submit(release, team.steward)
    assert not Preview.objects.exists()


def test_asking_and_showing_loads_no_numerical_library() -> None:
    """The rules of a preview are asked by the web process: nothing heavy comes with them."""
    code = (
        "import sys; import worker.engine.execution.previewing;"
        "print(*(m for m in ('numba', 'scipy.stats', 'sklearn', 'opendp', 'randomgen') if m in sys.modules))"
    )
    command = [sys.executable, "-c", code]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert told.stdout.split() == []
