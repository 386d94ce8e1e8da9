"""More is measured of a run that ended: a steward wants to know, a reviewer demands."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from stewardapp.management.survey import health_survey
from tests.functional import steward
from tests.functional.conftest import Visitor

Visit = Callable[..., Visitor]
# Figures that hang on whose rows they are, or what they weigh, cannot be read from a released file.
LEFT_OUT = {"person_id": "dropped", "weight": "dropped", "household": "dropped", "remarks": "dropped"}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small survey."""
    file = tmp_path_factory.mktemp("survey") / "survey.csv"
    file.write_text(health_survey(2000, seed=8))
    return file


def choose(page: Page, measure: str) -> None:
    """Add one measure in the room."""
    page.get_by_text("Add a measure").click()
    page.get_by_role("button", name=f"Add {measure}").click()
    expect(page.get_by_role("heading", name=f"1. {measure}")).to_be_visible()


def choose_marginals(page: Page) -> None:
    """From the page of a run to its room, with one measure chosen."""
    page.get_by_role("link", name="Assessments", exact=True).click()
    choose(page, "Marginals")


def test_a_run_is_assessed_by_its_steward_and_on_demand_of_a_reviewer(visit: Visit, survey: Path) -> None:
    page = visit("steward").page
    title = f"Assessed {secrets.token_hex(3)}"
    steward.name_dataset(page, title)
    steward.choose(page, survey)
    steward.wait_until_read(page)
    steward.tag(page, choices=LEFT_OUT)
    page.get_by_role("button", name="Propose for all quasi-identifiers").click()
    steward.begin_release(page, title)
    results = steward.run(page)
    steward.wait_for_results(page)
    choose_marginals(page)
    page.get_by_role("button", name="Measure this", exact=True).click()
    page.locator("aside").get_by_role("link", name="How far the distribution").click()
    expect(page.get_by_role("heading", name="Marginals")).to_be_visible(timeout=steward.PATIENCE)
    expect(page.get_by_text("No verdict hangs on it.")).to_be_visible()
    page.goto(results)
    steward.submit(page, "To see what changed.")

    reviewer = visit("reviewer").page
    reviewer.get_by_role("navigation", name="Main").get_by_role("link", name="Reviews").click()
    reviewer.get_by_role("link", name=title).click()
    reviewer.get_by_role("link", name="Have more measured of this candidate").click()
    choose(reviewer, "Columns that leave")
    reviewer.get_by_role("button", name="Measure this before anybody approves").click()
    demanded = reviewer.locator("aside li", has_text="Demanded by a reviewer")
    demanded.get_by_role("link").click()
    expect(reviewer.get_by_text("It is part of what reviewers vote on.")).to_be_visible(
        timeout=steward.PATIENCE
    )
