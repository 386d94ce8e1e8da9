"""The editor of a matrix as somebody uses it: with a script while typing, and without one by buttons."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from stewardapp.actions import columns, releases
from stewardapp.models import User, Version
from tests.functional.conftest import Visitor
from tests.functional.desk import Desk
from tests.integration.marked_parameters import transition_parameter

SLUG, PARAM, MARK = transition_parameter()
ROW_OF_F = re.compile("Make it 1.*the row of F")


@pytest.fixture
def address(desk: Desk) -> str:
    """The editor of a step without a matrix."""
    step = {"method": SLUG, "params": {MARK.column: "sex"}}
    with desk.inside():
        by = User.objects.get(username="steward")
        version = Version.objects.get(dataset__name="Health survey 2025")
        columns.describe(version=version, name="sex", settings={"categories": ["F", "M", "X"]}, by=by)
        made = releases.create(version=version, title="A matrix", recipe={"steps": [step]}, by=by)
        return f"/releases/{made.pk}/steps/1/{PARAM}/"


def test_a_matrix_is_filled_judged_and_saved(visit: Callable[..., Visitor], address: str) -> None:
    page = visit("steward").goto(address)
    first = page.locator("[name=cell-0-0]")
    assert first.input_value() == "0.8"
    first.fill("0.5")
    page.get_by_text("The row sums to 0.7 instead of 1: 0.3 is missing.").wait_for()
    first.press("Tab")
    page.get_by_text("Told as soon as every row is a row of probabilities.").wait_for()
    page.get_by_role("button", name=ROW_OF_F).click()
    assert first.input_value() == "0.714286"
    page.get_by_text("not bounded").or_(page.get_by_text("local ε of one cell")).first.wait_for()
    page.get_by_role("slider").fill("0.6")
    assert [page.locator(f"[name=cell-1-{j}]").input_value() for j in range(3)] == ["0.2", "0.6", "0.2"]
    page.get_by_text("ε = 1.099").wait_for()  # ln 3
    assert page.locator(".heat-6").count() == 3
    page.get_by_role("button", name="Save in the recipe").click()
    page.get_by_text("The matrix is saved in the recipe.").wait_for()
    page.get_by_role("button", name="Save and edit as a table").click()
    page.get_by_role("heading", name="Matrix of step 1").wait_for()
    assert page.locator("[name=cell-2-2]").input_value() == "0.6"


def test_the_same_by_buttons_alone(visit: Callable[..., Visitor], address: str) -> None:
    page = visit("steward", java_script_enabled=False).goto(address)
    page.locator("[name=cell-0-0]").fill("2")
    page.get_by_role("button", name="Save in the recipe").click()
    page.get_by_text("Write a number from 0 to 1.").wait_for()
    page.get_by_role("button", name=ROW_OF_F).click()
    assert page.locator("[name=cell-0-0]").input_value() == "0.909092"
    page.get_by_role("button", name="Save in the recipe").click()
    page.get_by_text("The matrix is saved in the recipe.").wait_for()
