"""The editor of a matrix follows from the annotation of the parameter, with and without a script."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.actions import columns, releases
from stewardapp.models import Release, Version
from tests import factories
from tests.factories import Team
from tests.integration.marked_parameters import transition_parameter

pytestmark = pytest.mark.django_db
Browser = Callable[[str], Client]
SLUG, PARAM, MARK = transition_parameter()


@pytest.fixture
def release(team: Team) -> Release:
    version = factories.make_version(team)
    columns.describe(
        version=version, name="illness", settings={"categories": ["cold", "flu", "none"]}, by=team.steward
    )
    params = {MARK.column: "illness", MARK.categories: ["flu", "cold"], PARAM: [[0.8, 0.2], [0.1, 0.9]]}
    recipe = {"steps": [{"method": SLUG, "params": params}]}
    return releases.create(version=version, title="T", recipe=recipe, by=team.steward)


def address(release: Release, name: str = "step-matrix", number: int = 1, param: str = PARAM) -> str:
    return reverse(name, args=[release.pk, number, param])


def cells(text: str) -> dict[str, str]:
    """The inputs of a table written as rows."""
    rows = [row.split() for row in text.split(";")]
    return {f"cell-{i}-{j}": cell for i, row in enumerate(rows) for j, cell in enumerate(row)}


def groups(names: str) -> dict[str, str]:
    return {f"group-{place}": name.strip("-") for place, name in enumerate(names)}


def table(answer: Any) -> list[list[str]]:
    return [[cell["text"] for cell in row["cells"]] for row in answer.context["rows"]]


def test_rows_and_columns_are_the_declared_categories(release: Release, browse: Browser) -> None:
    answer = browse("reviewer").get(address(release))
    assert answer.context["draft"].categories == ("cold", "flu", "none")
    assert table(answer) == [["0.9", "0.1", "0"], ["0.2", "0.8", "0"], ["0", "0", "1"]]
    assert [row["group"] for row in answer.context["rows"]] == ["1", "1", ""]
    assert b"not bounded" in answer.content
    chart = browse("reviewer").get(answer.context["chart_url"]).json()
    assert chart["data"][0]["z"] == [[0.9, 0.1, 0], [0.2, 0.8, 0], [0, 0, 1]]
    assert chart == browse("reviewer").get(address(release, "step-matrix-chart")).json()


def test_a_button_fills_and_another_normalises(release: Release, browse: Browser) -> None:
    sent = {**groups("11-"), "diagonal": "0.6", "do": "fill"}
    assert table(browse("steward").post(address(release), sent))[0] == ["0.6", "0.4", "0"]
    rows = cells("1 1 2; 0 0 0; 0 1 3") | {"do": "normalise"}
    assert table(browse("steward").post(address(release), rows))[0] == ["0.25", "0.25", "0.5"]
    rows["do"] = "normalise:2"
    assert table(browse("steward").post(address(release), rows))[::2] == [
        ["1", "1", "2"],
        ["0", "0.25", "0.75"],
    ]
    assert release.recipe == Release.objects.get(pk=release.pk).recipe


@pytest.mark.parametrize("cell", ["1e999999999", "9e999999", "1e-999999999", "NaN", "inf", "-1"])
@pytest.mark.parametrize("command", ["show", "normalise", "save"])
def test_what_is_no_probability_is_refused_however_long_it_would_be(
    release: Release, browse: Browser, cell: str, command: str
) -> None:
    sent = cells(f"0.9 {cell} 0; 0.2 0.8 0; 0 0 1") | {"do": command, "revision": str(release.revision)}
    answer = browse("steward").post(address(release), sent)
    assert answer.status_code == (422 if command == "save" else 200)
    assert "Write a number from 0 to 1." in answer.content.decode()
    assert len(answer.content) < 100_000


@pytest.mark.parametrize(
    "stored", ["no", [[1.0]], [["x", "y"], ["z", "w"]], [1, 2], {"a": 1}, [[1.0, 0.0], [0.0]]]
)
def test_an_imported_matrix_that_is_none_is_begun_anew(team: Team, browse: Browser, stored: Any) -> None:
    version = factories.make_version(team)
    settings = {"categories": ["cold", "flu"]}
    columns.describe(version=version, name="illness", settings=settings, by=team.steward)
    params = {MARK.column: "illness", MARK.categories: ["flu", "cold"], PARAM: stored}
    recipe = {"steps": [{"method": SLUG, "params": params}]}
    broken = releases.create(version=version, title="T", recipe=recipe, by=team.steward)
    answer = browse("steward").get(address(broken))
    assert answer.status_code == 200
    assert table(answer) == [["0.8", "0.2"], ["0.2", "0.8"]]


def test_errors_stand_on_the_cell_and_the_row(release: Release, browse: Browser) -> None:
    sent = cells("0.9 x 0; 0.2 0.7 0; 0 0 1") | {"do": "save", "revision": str(release.revision)}
    answer = browse("steward").post(address(release), sent)
    assert answer.status_code == 422
    content = answer.content.decode()
    assert 'aria-describedby="cell-0-1-error"' in content
    assert "The row sums to 0.9 instead of 1: 0.1 is missing." in content
    assert release.recipe == Release.objects.get(pk=release.pk).recipe


def test_a_saved_matrix_is_in_the_recipe_with_its_strata(release: Release, browse: Browser) -> None:
    sent = cells("0.8 0.2 0; 0.2 0.8 0; 0 0 1") | {"do": "save", "revision": str(release.revision)}
    answer = browse("steward").post(address(release), sent | {"strata": ["zip", "illness", "unknown"]})
    assert answer["Location"] == reverse("release-configure", args=[release.pk])
    params = Release.objects.get(pk=release.pk).recipe["steps"][0]["params"]
    assert params[PARAM] == [[0.8, 0.2, 0.0], [0.2, 0.8, 0.0], [0.0, 0.0, 1.0]]
    assert (params[MARK.categories], params[MARK.strata]) == (["cold", "flu", "none"], ["zip"])
    stale = browse("steward").post(address(release), sent)
    assert stale.status_code == 409


def test_the_recipe_page_leads_to_the_table_of_its_step(release: Release, browse: Browser) -> None:
    page = browse("steward").get(reverse("release-configure", args=[release.pk]))
    (item,) = page.context["form"].steps
    assert f'value="edit:{item.key}-{PARAM}"' in page.content.decode()
    data: dict[str, Any] = {one.html_name: one.value() or "" for one in item.form}
    data |= {"item": item.token, "do": f"edit:{item.key}-{PARAM}", "revision": release.revision}
    data[f"{item.key}-{PARAM}"] = json.dumps([[1.0, 0.0], [0.0, 1.0]])
    data = {name: value for name, value in data.items() if value != ""}
    answer = browse("steward").post(reverse("release-configure", args=[release.pk]), data)
    assert answer["Location"] == address(release)


def test_without_categories_or_with_too_many_there_is_no_table(team: Team, browse: Browser) -> None:
    version = factories.make_version(team)
    recipe = {"steps": [{"method": SLUG, "params": {MARK.column: "zip", MARK.derived: True}}]}
    release = releases.create(version=version, title="T", recipe=recipe, by=team.steward)
    assert b"Declare every category" in browse("steward").get(address(release)).content
    assert browse("steward").post(address(release), {"do": "save"}).status_code == 422
    assert browse("steward").get(address(release, "step-matrix-chart")).status_code == 404
    many = [str(number) for number in range(31)]
    columns.describe(version=version, name="zip", settings={"categories": many}, by=team.steward)
    assert b"cannot be edited by hand" in browse("steward").get(address(release)).content
    columns.describe(version=version, name="zip", settings={"categories": many[:3]}, by=team.steward)
    answer = browse("steward").get(address(release))
    assert table(answer)[0] == ["0.8", "0.1", "0.1"]
    assert answer.context["opened"].derived


@pytest.mark.parametrize(("number", "param"), [(0, PARAM), (2, PARAM), (1, MARK.keep), (1, "none")])
def test_what_is_no_matrix_is_not_there(release: Release, browse: Browser, number: int, param: str) -> None:
    for name in ("step-matrix", "step-matrix-chart"):
        assert browse("steward").get(address(release, name, number, param)).status_code == 404


@pytest.mark.parametrize("asked", ["x", "1-2", "1000-0-0_0-1000-0_0-0-x", "10000-0-0_0-0-0_0-0-0"])
def test_a_chart_of_something_else_is_not_drawn(release: Release, browse: Browser, asked: str) -> None:
    answer = browse("steward").get(address(release, "step-matrix-chart"), {"cells": asked})
    assert answer.status_code == 404


def test_the_matrix_in_use_is_shown_beside_the_one_that_is_written(
    team: Team, survey: Version, browse: Browser
) -> None:
    """It is made from the rows there are: of 60 and 60 as many leave as come, by the smaller flow."""
    declared = {"categories": ["cold", "flu"]}
    columns.describe(version=survey, name="illness", settings=declared, by=team.steward)
    own = {MARK.column: "illness", MARK.categories: ["cold", "flu"], PARAM: [[0.6, 0.4], [0.1, 0.9]]}
    for derived in (False, True):
        recipe = {"steps": [{"method": SLUG, "params": {**own, MARK.derived: derived}}]}
        release = releases.create(version=survey, title=f"T{derived}", recipe=recipe, by=team.steward)
        answer = browse("reviewer").get(address(release))
        assert (b"As used" in answer.content, b"As written" in answer.content) == (derived, derived)
    [cold, flu] = answer.context["in_use"]
    assert (cold["rows"], flu["rows"]) == (60, 60)
    assert [[text for text, _ in line["cells"]] for line in (cold, flu)] == [["0.9", "0.1"], ["0.1", "0.9"]]
