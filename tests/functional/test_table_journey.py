"""A table of noisy counts from upload to download: a budget that two people agreed on, and what it bought."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import secrets
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from stewardapp.management.survey import health_survey
from tests.functional import clock, steward
from tests.functional.conftest import Visitor
from tests.functional.desk import Desk
from tests.functional.test_journey import decide, open_candidate, prove_identity

Visit = Callable[..., Visitor]
ROWS = 2_000
EPSILON = 0.5
PURPOSE = "How many women and men answered."


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file nobody else uploads: the same bytes would be the same people."""
    file = tmp_path_factory.mktemp("survey") / "table survey.csv"
    file.write_text(health_survey(ROWS, seed=23))
    return file


def true_counts(survey: Path) -> Counter[str]:
    """Of those who agreed."""
    rows = csv.DictReader(io.StringIO(survey.read_text(), newline=""))
    return Counter(row["sex"] for row in rows if row["agreed"] == "yes")


def upload(page: Page, survey: Path, name: str) -> str:
    """A file of which it is declared, before anybody looks at the counts, what the sexes are."""
    steward.name_dataset(page, name)
    steward.choose(page, survey)
    steward.wait_until_read(page)
    steward.tag(page)
    page.get_by_role("button", name="Save", exact=True).click()
    columns = page.url
    page.get_by_role("link", name="settings of sex").click()
    page.get_by_label("Categories").fill("F\nM")
    page.get_by_role("button", name="Save", exact=True).click()
    return columns


def budget_of(page: Page, name: str) -> None:
    """The page of the budget of these people."""
    page.get_by_role("link", name="Projects").first.click()
    page.get_by_role("link", name="Populations").click()
    page.get_by_role("row", name=re.compile(name)).get_by_role("link").first.click()
    page.get_by_role("link", name="Privacy budget").click()


def propose(page: Page, name: str) -> None:
    budget_of(page, name)
    form = page.locator("form").filter(has_text="Change the limit")
    form.get_by_label("ε").fill("1")
    form.get_by_label("Reason").fill("The yearly table.")
    form.get_by_role("button", name="Propose", exact=True).click()
    expect(page.get_by_text("Proposed. Others have to agree; they were told.")).to_be_visible()
    assert page.get_by_role("button", name="Agree").is_disabled()


def agree(visitor: Visitor, name: str) -> None:
    """The data protection officer agrees with the password."""
    page = visitor.page
    budget_of(page, name)
    clock.pass_for(visitor.desk, visitor.desk.personas["officer"][0], clock.LONGER_THAN_A_PROOF_HOLDS)
    page.get_by_role("button", name="Agree").click()
    prove_identity(visitor, "officer")
    expect(page.get_by_text("You agreed. It is done.")).to_be_visible()


def divide(page: Page, name: str) -> None:
    """The only project that holds the data takes its part."""
    budget_of(page, name)
    form = page.locator("form").filter(has_text="Part of a project")
    form.get_by_label("Project").select_option(index=1)
    form.get_by_label("ε").fill("1")
    form.get_by_role("button", name="Set the part").click()
    expect(page.get_by_text("The part of the project is set.")).to_be_visible()


def release(page: Page, columns: str, title: str) -> None:
    """A preset fills the recipe in; what it costs is on the page before it is spent."""
    page.goto(columns)
    steward.begin_release(page, title, preset="Table of counts")
    expect(page.get_by_text("Error of one count").first).to_be_visible()
    steward.run(page)
    steward.wait_for_results(page)
    verdict = page.get_by_role("region", name="Verdict")
    for text in (
        "Meets the policy",
        "A table with noise; no rows leave.",
        f"ε {EPSILON}",
        "in or out, at most",
    ):
        expect(verdict).to_contain_text(text)
    steward.submit(page, PURPOSE)


def prove_if_asked(visitor: Visitor, role: str) -> None:
    """On a slow machine the last time may be long ago."""
    visitor.page.wait_for_load_state()
    if "/reauthenticate/" in visitor.page.url:
        prove_identity(visitor, role)


def publish(author: Visitor, working_page: str) -> None:
    page = author.page
    page.goto(working_page)
    page.get_by_role("link", name="Publish", exact=True).click()
    prove_if_asked(author, "steward")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Published.")).to_be_visible()


def test_a_table_from_upload_to_download(visit: Visit, desk: Desk, survey: Path) -> None:
    title = f"Sexes {secrets.token_hex(3)}"
    name = f"Data of the {title}"
    author, reviewer = visit("steward"), visit("reviewer")
    columns = upload(author.page, survey, name)
    propose(author.page, name)
    agree(visit("officer"), name)
    divide(author.page, name)
    release(author.page, columns, title)
    working_page = author.page.url

    open_candidate(reviewer.page, title)
    expect(reviewer.page.get_by_text(PURPOSE)).to_be_visible()
    assert "exact.csv" not in reviewer.page.inner_text("main")
    decide(reviewer.page, "Approve these bytes", "What it tells about one person is bounded.")
    prove_if_asked(reviewer, "reviewer")
    expect(reviewer.page.get_by_text("Your vote is recorded.")).to_be_visible()
    publish(author, working_page)

    analyst = visit("analyst").page
    analyst.get_by_role("link", name="Catalogue", exact=True).click()
    analyst.get_by_role("link", name=title).click()
    analyst.wait_for_url("**/catalogue/*-*/")
    with analyst.expect_download() as waiting:
        analyst.get_by_role("link", name="table.csv").click()
    file = Path(waiting.value.path()).read_bytes()
    manifest = analyst.request.get(f"{analyst.url}manifest.json").json()
    promised = {one["name"]: one["sha256"] for one in manifest["artifacts"]}
    assert promised["table.csv"] == hashlib.sha256(file).hexdigest()
    assert "exact.csv" not in promised
    rows = list(csv.DictReader(io.StringIO(file.decode(), newline="")))
    assert [(row["sex"], list(row)) for row in rows] == [
        (sex, ["sex", "count", "error95"]) for sex in ("F", "M")
    ]
    # 60 is thirty times the scale of the noise: beyond it once in 10^13 tables.
    assert all(abs(int(row["count"]) - true_counts(survey)[row["sex"]]) <= 60 for row in rows)

    budget_of(author.page, name)
    expect(author.page.get_by_role("row", name=re.compile(r"Histogram.*0\.5"))).to_be_visible()
