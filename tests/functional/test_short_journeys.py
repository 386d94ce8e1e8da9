"""The way to a first release: short for a newcomer, and open to a browser without scripts."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from stewardapp.management.survey import health_survey
from tests.functional import steward
from tests.functional.conftest import Visitor
from tests.functional.desk import until

Visit = Callable[..., Visitor]
PURPOSE = "A first look at the release desk."
COUNT_CLICKS = """addEventListener("pointerdown", () => {
  sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
}, true);"""


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small survey."""
    file = tmp_path_factory.mktemp("survey") / "survey.csv"
    file.write_text(health_survey(3000, seed=5))
    return file


def test_a_guided_first_release_takes_fewer_than_fifteen_clicks(visit: Visit, survey: Path) -> None:
    visitor = visit("steward")
    visitor.context.add_init_script(COUNT_CLICKS)
    page = visitor.goto("/")
    name = f"First release {secrets.token_hex(3)}"
    steward.name_dataset(page, name)
    steward.choose(page, survey)
    steward.wait_until_read(page)
    steward.tag(page, choices={})
    page.get_by_role("button", name="Propose for all quasi-identifiers").click()
    steward.begin_release(page, name)
    steward.run(page)
    steward.wait_for_results(page)
    steward.submit(page, PURPOSE)
    clicks = page.evaluate("Number(sessionStorage.clicks)")
    assert 5 < clicks < 15


def look_again_until(page: Page, text: str) -> None:
    """Load the page until it says so: nothing fetches it by itself."""

    def said() -> bool:
        page.reload()
        return text in page.inner_text("main")

    until(said, steward.PATIENCE / 1000, text)


def tag_without_scripts(page: Page) -> None:
    """The same form, one select per column; what is missing is asked for after saving."""
    page.get_by_role("link", name="Tag the columns").first.click()
    for name, role in {"birth_date": "quasi-identifier", "sex": "quasi-identifier"}.items():
        page.get_by_label(f"Role of {name}").select_option(role)
    page.get_by_label("Role of diagnosis").select_option("sensitive")
    page.get_by_label("Role of agreed").select_option("consent")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("agreed: write which of its values")
    page.get_by_label("Values that mean yes").filter(visible=True).fill("yes")
    page.get_by_role("button", name="Propose for all quasi-identifiers").click()
    expect(page.get_by_text("Hierarchies proposed: 2.")).to_be_visible()


def test_the_core_path_works_without_scripts(visit: Visit, survey: Path) -> None:
    page = visit("steward", java_script_enabled=False).page
    name = f"Without scripts {secrets.token_hex(3)}"
    steward.name_dataset(page, name)
    steward.choose(page, survey)
    page.wait_for_url("**/versions/**")
    look_again_until(page, "A few rows, masked")
    tag_without_scripts(page)
    steward.begin_release(page, name)
    steward.run(page, k=6)
    look_again_until(page, "Meets the policy")
    required, achieved = page.get_by_role("row", name="k-anonymity").inner_text().split()[1:3]
    assert int(achieved) >= int(required) == 6
    page.get_by_text("Show as table").first.click()
    expect(page.get_by_role("row", name="Size of the class")).to_be_visible()
    steward.submit(page, PURPOSE)
    assert page.get_by_text("In review").count()


def test_a_policy_is_revised_row_by_row_without_scripts(visit: Visit) -> None:
    page = visit("admin", java_script_enabled=False).page
    page.get_by_role("link", name="Projects").first.click()
    page.locator("tbody a").first.click()
    page.get_by_role("link", name="Policy").first.click()
    page.get_by_text("Add a demand").click()
    page.get_by_role("button", name="Add Marginals").click()
    added = page.locator("article.recipe-item").last
    added.get_by_label("Figure").select_option("mean_total_variation")
    added.get_by_label("Bound").fill("101")
    page.get_by_role("button", name="Make this the policy").click()
    expect(page.get_by_text("Mean total variation must lie between 0 % and 100 %.").first).to_be_visible()
    added.get_by_label("Bound").fill("100")
    added.get_by_text("How do I read this?").click()
    expect(added.get_by_text("The mean of the total variation over the released columns.")).to_be_visible()
    page.get_by_role("button", name="Make this the policy").click()
    expect(page.get_by_text("The new policy holds")).to_be_visible()
    expect(page.locator("aside").get_by_text("Mean total variation")).to_be_visible()
