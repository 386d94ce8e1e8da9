"""Configuring a recipe: with and without a script the same addresses, the same answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains

from stewardapp.access.workflow import State
from stewardapp.actions import columns, releases
from stewardapp.domain.recipe import recipe_of
from stewardapp.forms.parameter_fields import ColumnChoice
from stewardapp.forms.presets import presets
from stewardapp.models import Release, Run
from stewardapp.presenters.numbers import thousands
from tests import factories
from tests.factories import Team
from worker.engine import catalogue
from worker.engine.contracts import measure
from worker.engine.recipes.recipe import Recipe
from worker.engine.tables.kinds import Kind, Role

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
FIELD = re.compile(r"<(?:input|select|textarea)[^>]*name=\"([^\"]+)\"[^>]*>")


@pytest.fixture
def release(team: Team) -> Release:
    return factories.make_release(team)


def address(release: Release) -> str:
    return reverse("release-configure", args=[release.pk])


def sent(page: Any, **changes: str) -> dict[str, Any]:
    """What the form of a page would send, with some fields changed by the end of their names."""
    form = page.context["form"]
    data: dict[str, Any] = {"item": [item.token for item in form.items]}
    data["revision"] = page.context["release"].revision
    data["measures"] = "shown"
    for item in form.items:
        for bound in item.form:
            shown = bound.value()
            data[bound.html_name] = changes.get(bound.name, "" if shown is None or shown is False else shown)
    return {name: value for name, value in data.items() if value != "" or name in changes}


def test_saving_what_the_page_shows_keeps_the_recipe(release: Release, browse: Browser) -> None:
    client = browse("steward")
    answer = client.post(address(release), {**sent(client.get(address(release))), "do": "save"})
    assert answer.status_code == 302, [item.form.errors for item in answer.context["form"].items]
    before, release.recipe = release.recipe, {}
    release.refresh_from_db()
    assert release.recipe["goals"] == [{"goal": "k-anonymity", "params": {"k": 5, "missing": "own"}}]
    assert [step["method"] for step in release.recipe["steps"]] == [s["method"] for s in before["steps"]]


def test_a_wrong_value_is_said_on_its_field_and_nothing_is_saved(release: Release, browse: Browser) -> None:
    client = browse("steward")
    answer = client.post(address(release), {**sent(client.get(address(release)), k="0"), "do": "save"})
    assert answer.status_code == 422
    assert "greater than or equal to" in str(answer.context["form"].goals[0].form.errors["k"])
    release.refresh_from_db()
    assert release.recipe == factories.RECIPE


def test_adding_removing_and_moving_keep_what_was_typed(release: Release, browse: Browser) -> None:
    client = browse("steward")
    typed = {**sent(client.get(address(release)), k="77"), "do": "add:step:rounding"}
    page = client.post(address(release), typed)
    assert [item.slug for item in page.context["form"].steps] == ["generalization", "rounding"]
    assert page.context["form"].goals[0].form["k"].value() == "77"
    last = page.context["form"].steps[1].key
    page = client.post(address(release), {**sent(page), "do": f"up:{last}"})
    assert [item.slug for item in page.context["form"].steps] == ["rounding", "generalization"]
    page = client.post(address(release), {**sent(page), "do": f"remove:{last}"})
    assert [item.slug for item in page.context["form"].steps] == ["generalization"]
    release.refresh_from_db()
    assert release.recipe == factories.RECIPE


def test_a_preset_fills_goals_and_steps_for_the_columns_at_hand(release: Release, browse: Browser) -> None:
    client = browse("steward")
    page = client.post(address(release), {**sent(client.get(address(release))), "do": "preset:open-data"})
    goals = [item.form.initial for item in page.context["form"].goals]
    assert goals == [{"k": 11}, {"l": 3, "column": "illness"}]


def test_a_table_of_counts_is_about_a_column_whose_cells_are_declared(
    release: Release, browse: Browser, team: Team
) -> None:
    client, counts = browse("steward"), {"do": "preset:counts"}
    page = client.post(address(release), {**sent(client.get(address(release))), **counts})
    assert [item.form.initial["columns"] for item in page.context["form"].steps] == [[]]
    declared = {"categories": ["cold", "flu", "none"]}
    columns.describe(version=release.version, name="illness", settings=declared, by=team.steward)
    page = client.post(address(release), {**sent(client.get(address(release))), **counts})
    (step,) = page.context["form"].steps
    assert (step.slug, step.form.initial) == ("dp-histogram", {"epsilon": 0.5, "columns": ["illness"]})
    assert page.context["form"].goals == []
    assert b"nothing is promised" not in page.content
    page = client.post(address(release), {**sent(page), "do": "preset:blank"})
    assert b"nothing is promised" in page.content


def test_save_and_run_queues_a_run_of_what_was_typed(release: Release, browse: Browser) -> None:
    client = browse("steward")
    answer = client.post(address(release), {**sent(client.get(address(release)), k="7"), "do": "run"})
    run = Run.objects.get(release=release)
    assert answer.headers["Location"] == reverse("run-detail", args=[run.pk])
    assert run.recipe["goals"][0]["params"]["k"] == 7


def test_somebody_else_saved_meanwhile(release: Release, browse: Browser) -> None:
    mine, theirs = browse("steward"), browse("co_steward")
    typed = sent(mine.get(address(release)), k="7")
    theirs.post(address(release), {**sent(theirs.get(address(release)), k="9"), "do": "save"})
    answer = mine.post(address(release), {**typed, "do": "save"})
    assert answer.status_code == 409
    assert answer.context["form"].goals[0].form["k"].value() == "7"
    release.refresh_from_db()
    assert release.recipe["goals"][0]["params"]["k"] == 9


def test_a_reviewer_reads_the_recipe_but_does_not_change_it(release: Release, browse: Browser) -> None:
    client = browse("reviewer")
    page = client.get(address(release))
    assert page.status_code == 200
    answer = client.post(address(release), {**sent(page), "do": "save"})
    assert answer.status_code == 403
    assert b"steward" in answer.content


def test_nothing_changes_while_it_is_reviewed(team: Team, browse: Browser) -> None:
    release = factories.make_release(team, state=State.IN_REVIEW)
    client = browse("steward")
    answer = client.post(address(release), {**sent(client.get(address(release))), "do": "save"})
    assert answer.status_code == 403


def test_import_shows_a_recipe_and_saves_nothing(release: Release, browse: Browser) -> None:
    client, to = browse("steward"), reverse("release-import", args=[release.pk])
    recipe = {"goals": [{"goal": "k-anonymity", "params": {"k": 20}}], "columns": {"x": {"role": "other"}}}
    page = client.post(to, {"recipe": json.dumps(recipe)})
    assert page.context["form"].goals[0].form["k"].value() == 20
    release.refresh_from_db()
    assert release.recipe == factories.RECIPE


@pytest.mark.parametrize("text", ["{", "[1]", '{"goals": 3}', '{"goals": [3]}'])
def test_import_refuses_what_is_no_recipe(text: str, release: Release, browse: Browser) -> None:
    answer = browse("steward").post(reverse("release-import", args=[release.pk]), {"recipe": text})
    assert answer.status_code == 422
    assert answer.context["import_form"].errors["recipe"]


def test_a_method_that_is_not_known_is_shown_and_can_be_removed(release: Release, browse: Browser) -> None:
    client, to = browse("steward"), reverse("release-import", args=[release.pk])
    page = client.post(to, {"recipe": json.dumps({"steps": [{"method": "from-the-future"}]})})
    assert b"does not know it" in page.content
    item = page.context["form"].steps[0]
    data = {"item": [item.token], "do": f"remove:{item.key}"}
    assert client.post(address(release), data).context["form"].steps == []


def test_export_holds_the_columns_too(release: Release, browse: Browser) -> None:
    recipe = browse("steward").get(reverse("release-export", args=[release.pk])).json()
    assert recipe["columns"]["age"]["role"] == "quasi-identifier"
    assert recipe["version"] == 1


@pytest.mark.parametrize("param", ["suppression_limit", "steps[0].params.suppression_limit"])
def test_what_a_failed_run_said_stands_beside_its_step(release: Release, browse: Browser, param: str) -> None:
    run = factories.make_run(release)
    fence = Run.objects.claim(run.pk, "worker", 60)
    assert fence is not None
    said = {"code": "bad", "message": "Choose another limit.", "param": param, "step": 0}
    assert Run.objects.fail(run.pk, fence, **said)
    page = browse("steward").get(f"{address(release)}?run={run.pk}")
    step = page.context["form"].steps[0]
    assert step.failure == "Choose another limit."
    assert step.failed_field.endswith("suppression_limit")
    assert f'id="{step.failed_field}"' in page.content.decode()
    assert f'href="#{step.failed_field}"' in page.content.decode()


def test_ready_made_settings_fill_one_step_and_leave_the_rest(release: Release, browse: Browser) -> None:
    client = browse("steward")
    page = client.post(address(release), {**sent(client.get(address(release))), "do": "add:step:noise"})
    step = page.context["form"].steps[1]
    assert [preset.title for preset in step.presets] == ["Light", "Medium", "Strong"]
    assert "hardly any result changes" in page.content.decode()
    typed = {**sent(page, mode="multiplicative"), "do": f"fill:{step.key}:2"}
    page = client.post(address(release), typed)
    step = page.context["form"].steps[1]
    assert (step.form["amount"].value(), step.form["mode"].value()) == (0.5, "multiplicative")
    assert step.fresh
    for wrong in (f"fill:{step.key}:9", f"fill:{step.key}:x", "fill:nobody:0", "fill:"):
        answer = client.post(address(release), {**sent(page), "do": wrong})
        assert answer.status_code == 200
        assert answer.context["form"].steps[1].form["amount"].value() == "0.5"


def test_a_preset_that_leaves_a_parameter_out_empties_it(release: Release, browse: Browser) -> None:
    client = browse("steward")
    page = client.post(
        address(release), {**sent(client.get(address(release))), "do": "add:step:randomized-response"}
    )
    step = page.context["form"].steps[1]
    page = client.post(address(release), {**sent(page), "do": f"fill:{step.key}:0"})
    form = page.context["form"].steps[1].form
    assert (form["keep"].value(), form["epsilon"].value()) == (0.75, None)


def test_a_population_file_is_chosen_among_the_projects_versions(
    team: Team, release: Release, browse: Browser
) -> None:
    people = factories.make_version(team)
    elsewhere = factories.make_version(factories.make_project())
    client = browse("steward")
    page = client.post(address(release), {**sent(client.get(address(release))), "do": "add:goal:k-map"})
    offered = [value for value, _ in page.context["form"].goals[1].form.fields["population"].choices]
    assert offered == ["", str(people.pk)]
    answer = client.post(address(release), {**sent(page, population=str(elsewhere.pk)), "do": "run"})
    assert answer.status_code == 422
    assert "Choose one of the versions" in answer.content.decode()
    answer = client.post(address(release), {**sent(page, population=str(people.pk)), "do": "run"})
    run = Run.objects.get(release=release)
    assert (answer.status_code, list(run.compared.all())) == (302, [people.current])
    client.post(reverse("run-cancel", args=[run.pk]))
    shown = client.get(reverse("run-detail", args=[run.pk]))
    assert str(people) in shown.content.decode()


def test_a_step_that_holds_whole_columns_says_how_much_fits(
    release: Release, browse: Browser, settings: Any
) -> None:
    steps = [{"method": "shuffling", "params": {"columns": ["age"]}}]
    factories.rewrite(release, recipe={**release.recipe, "steps": steps})
    client, words = browse("steward"), "This file has too many rows for it."
    settings.STEWARD_JOB_MEMORY = 24_000_000
    told = client.get(address(release)).content.decode()
    assert f"{thousands(1_000_000)} cells" in told
    assert words not in told
    settings.STEWARD_JOB_MEMORY = 24
    assert words in client.get(address(release)).content.decode()


@pytest.mark.parametrize("relaxed", [False, True])
def test_whether_columns_are_held_can_depend_on_a_parameter(
    release: Release, browse: Browser, relaxed: bool
) -> None:
    steps = [{"method": "mondrian", "params": {"relaxed": relaxed}}]
    factories.rewrite(release, recipe={**release.recipe, "steps": steps})
    told = browse("steward").get(address(release)).content.decode()
    assert ("in memory as a whole" in told) == relaxed


def test_a_step_that_goes_row_by_row_has_no_such_limit(release: Release, browse: Browser) -> None:
    assert "in memory as a whole" not in browse("steward").get(address(release)).content.decode()


def test_further_formats_are_kept_through_every_button_and_a_wrong_one_is_said(
    release: Release, browse: Browser
) -> None:
    client = browse("steward")
    first = {**sent(client.get(address(release))), "formats": ["xlsx", "pdf"]}
    for command in ("add:goal:k-anonymity", f"preset:{presets()[0].slug}"):
        page = client.post(address(release), {**first, "do": command})
        assert page.context["form"].formats == ("xlsx",)
    assert client.post(address(release), {**first, "do": "save"}).status_code == 302
    release.refresh_from_db()
    assert release.recipe["formats"] == ["xlsx"]
    page = client.get(address(release))
    assert page.context["form"].formats == ("xlsx",)
    assert "CSV, Parquet, Excel" in page.content.decode()
    release.version.columns.filter(name="age").update(name="age in years")
    page = client.post(address(release), {**sent(page), "formats": ["sav"], "do": "run"})
    assert page.status_code == 400
    assert "SPSS cannot hold" in page.context["form"].failed_format


ALONE: list[tuple[str, dict[str, Any], str]] = [
    ("mondrian", {}, "the recipe has none. Add a goal"),
    ("suppression", {}, "there is nothing to reach"),
    ("randomized-response", {"column": "illness", "epsilon": "1"}, "List every possible answer"),
    ("dp-histogram", {"columns": ["zip"], "epsilon": "0.1"}, "Declare the categories of column"),
]


@pytest.mark.parametrize(("method", "params", "says"), ALONE)
def test_what_cannot_work_whatever_the_data_hold_is_said_when_it_is_saved(
    method: str, params: dict[str, Any], says: str, release: Release, browse: Browser
) -> None:
    """And when it is run it is refused at once, in the same words, instead of by a worker later."""
    recipe = {"goals": [], "steps": [{"method": method, "params": params}]}
    releases.edit_recipe(release=release, recipe=recipe, by=release.author)
    client = browse("steward")
    page = client.get(address(release))
    [step] = page.context["form"].steps
    assert says in step.failure
    assert not re.search(r"\bcolumns\.\w", page.content.decode()), "a place of the recipe is no sentence"
    data = sent(page) | {"do": "run"}
    answer = client.post(address(release), data)
    assert answer.status_code in (400, 302)  # or back to the same page, for want of budget
    assert not release.runs.exists()
    assert not release.runs.exists()


def test_a_refusal_about_a_column_leads_to_its_settings(release: Release, browse: Browser) -> None:
    step = {"method": "dp-histogram", "params": {"columns": ["zip"], "epsilon": "0.1"}}
    releases.edit_recipe(release=release, recipe={"goals": [], "steps": [step]}, by=release.author)
    column = release.version.columns.get(name="zip")
    assertContains(browse("steward").get(address(release)), reverse("column-settings", args=[column.pk]))


KEPT_COLUMNS = {"measure": "kept-columns", "params": {}}
MEASURED = (["*"], [], ["marginals"], [KEPT_COLUMNS], ["*", KEPT_COLUMNS, "marginals"], ["marginals", "*"])


@pytest.mark.parametrize("measures", MEASURED, ids=str)
@pytest.mark.parametrize("left_out", [(), ("goal",), ("step",), ("measure",), ("goal", "step")], ids="-".join)
def test_saving_any_part_of_the_page_keeps_the_imported_measures(
    measures: list[Any], left_out: tuple[str, ...], release: Release, browse: Browser
) -> None:
    """Also a caller that sends goals or steps alone, as pages of before did."""
    client, to = browse("steward"), reverse("release-import", args=[release.pk])
    recipe = {**factories.RECIPE, "measures": measures}
    page = client.post(to, {"recipe": json.dumps(recipe)})
    assert client.post(address(release), {**sent(page), "do": "save"}).status_code == 302
    page = client.get(address(release))
    tokens = [item.token for item in page.context["form"].items if item.part not in left_out]
    data = {**sent(page), "item": tokens, "do": "save"}
    if "measure" in left_out:
        del data["measures"]
    assert client.post(address(release), data).status_code == 302
    release = Release.objects.get(pk=release.pk)
    assert instances(recipe_of(release)) == instances({**recipe_of(release), "measures": measures})
    assert len(release.recipe["measures"]) == len(measures)
    exported = client.get(reverse("release-export", args=[release.pk])).json()
    assert exported["measures"] == release.recipe["measures"]


def instances(recipe: dict[str, Any]) -> list[str]:
    """What a recipe has measured, in the order of the results."""
    return [one.id for one in Recipe.parse(recipe).measures]


def test_a_recipe_that_says_nothing_of_measures_means_all(release: Release, browse: Browser) -> None:
    client = browse("steward")
    page = client.get(address(release))
    assert "measures" not in release.recipe
    assert [item.slug for item in page.context["form"].measures] == ["*"]
    offered = [slug for slug, _, _ in page.context["measure_choices"]]
    assert "*" not in offered
    (everything,) = page.context["form"].measures
    page = client.post(address(release), {**sent(page), "do": f"remove:{everything.key}"})
    assert page.context["form"].measures == []
    assert page.context["measure_choices"][0][0] == "*"
    assert client.post(address(release), {**sent(page), "do": "save"}).status_code == 302
    assert Release.objects.get(pk=release.pk).recipe["measures"] == []


def test_every_measure_says_what_it_takes(
    release: Release, browse: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browse("steward")
    page = client.get(address(release))
    (everything,) = page.context["form"].measures
    said = {cost.title: cost for cost in everything.costs}
    assert set(said) == {one.title for one in catalogue.usual_measures()}
    assert said["Marginals"].words == "Takes less than a second."
    assert not said["Marginals"].refused
    monkeypatch.setattr(measure, "SECONDS_PER_CELL", 1000.0)
    shown = client.get(address(release)).content.decode()
    assert "Too large. It would take about" in shown


def test_a_measure_that_has_nothing_to_say_of_these_data_says_so(team: Team, browse: Browser) -> None:
    version = factories.make_version(team, roles={})
    release = factories.make_release(team, version=version)
    (everything,) = browse("steward").get(address(release)).context["form"].measures
    assert any(cost.words.startswith("Does not apply: No quasi-identifier") for cost in everything.costs)


def test_a_preset_with_a_measure_for_each_column_fills_it_in() -> None:
    each = {"measure": "seen", "params": {}, "for_each": {"role": "sensitive", "param": "column"}}
    made = presets()[0].model_copy(update={"measures": ("*", each)})
    offered = [ColumnChoice(name, Kind.TEXT, Role.SENSITIVE) for name in ("illness", "income")]
    assert made.recipe(offered)["measures"] == [
        "*",
        {"measure": "seen", "params": {"column": "illness"}},
        {"measure": "seen", "params": {"column": "income"}},
    ]
