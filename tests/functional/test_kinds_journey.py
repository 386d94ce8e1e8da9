"""Releases of every kind of row, from one upload to a download, each judged by what answers for it."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.functional import steward
from tests.functional.conftest import Visitor
from tests.functional.test_journey import decide, download, open_candidate, promised
from tests.functional.test_table_journey import prove_if_asked, publish

Visit = Callable[..., Visitor]
ROWS = 3_000
ROLES = {
    "age": "quasi-identifier",
    "sex": "quasi-identifier",
    "region": "quasi-identifier",
    "education": "quasi-identifier",
    "diagnosis": "sensitive",
}
KINDS = {
    "File for researchers": ("Rows are true, some values are coarser.", "smallest class, policy at least 5"),
    "Noise for a statistician's file": ("Rows are of people, values were moved.", "people linked correctly"),
    "File with categories drawn anew": ("Rows are of people, values were moved.", "people linked correctly"),
    "Made-up file": ("Rows are made up.", "identical beyond doubt"),
}
STILL = {"column": "age", "amount": 1e-9}
MUTANT = {
    "steps": [
        {"method": "noise", "params": STILL},
        *(
            {"method": "pram", "params": {"column": name, "keep": 1.0}}
            for name in ("sex", "region", "education")
        ),
    ]
}


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People of whom some are alone with their age, where they live and what they learnt."""
    file = tmp_path_factory.mktemp("kinds") / "people.csv"
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(ROLES)
        writer.writerows(people(np.random.Generator(np.random.PCG64(31))))
    return file


def people(draw: np.random.Generator) -> Iterator[tuple[object, ...]]:
    """Invented."""
    return zip(
        np.clip(draw.normal(47, 16, ROWS), 18, 90).astype(int).tolist(),
        draw.choice(["F", "M"], ROWS),
        draw.choice(["east", "north", "south", "west"], ROWS, p=(0.4, 0.3, 0.2, 0.1)),
        draw.choice(["lower", "middle", "higher"], ROWS, p=(0.3, 0.45, 0.25)),
        draw.choice(["asthma", "diabetes", "healthy", "migraine"], ROWS),
        strict=True,
    )


@dataclass
class Story:
    """One upload, and who makes releases of it."""

    author: Visitor
    reviewer: Visitor
    analyst: Visitor
    columns: str

    def make(self, title: str, preset: str) -> None:
        """From the tagged columns to the results, with nothing but a preset."""
        page = self.author.page
        page.goto(self.columns)
        steward.begin_release(page, title, preset)
        steward.run(page)

    def put_forward(self) -> str:
        """The working page of the release whose run this is."""
        page = self.author.page
        steward.wait_for_results(page)
        steward.submit(page, "Teaching.")
        return page.url

    def approve(self, title: str) -> None:
        """By a reviewer who sees the same verdict."""
        page = self.reviewer.page
        open_candidate(page, title)
        expect(verdict_of(page)).to_contain_text("Meets the policy")
        decide(page, "Approve these bytes", "What answers for such a file stays within its bound.")
        prove_if_asked(self.reviewer, "reviewer")
        expect(page.get_by_text("Your vote is recorded.")).to_be_visible()

    def fetch(self, title: str) -> list[dict[str, str]]:
        """What an analyst gets, which is what was promised."""
        page = self.analyst.goto("/catalogue/")
        page.get_by_role("link", name=title).click()
        page.wait_for_url("**/catalogue/*-*/")
        file = download(page)
        assert hashlib.sha256(file).hexdigest() == promised(page)
        return list(csv.DictReader(io.StringIO(file.decode(), newline="")))


def verdict_of(page: Page) -> Locator:
    """The line that says whether the policy is met, and by which figures."""
    return page.get_by_role("region", name="Verdict")


def tag(page: Page) -> str:
    """Say what each column is, and how quasi-identifiers become coarser; the address of the page."""
    page.get_by_role("link", name="Tag the columns").first.click()
    for name, role in ROLES.items():
        page.get_by_label(f"Role of {name}").select_option(role)
    page.get_by_role("button", name="Propose for all quasi-identifiers").click()
    expect(page.get_by_text("Hierarchies proposed: 4.")).to_be_visible()
    return page.url


@pytest.fixture
def story(visit: Visit, survey: Path) -> Story:
    """A file that was uploaded and tagged."""
    author = visit("steward")
    steward.name_dataset(author.page, f"People {secrets.token_hex(3)}")
    steward.choose(author.page, survey)
    steward.wait_until_read(author.page)
    return Story(author, visit("reviewer"), visit("analyst"), tag(author.page))


def refused(story: Story, title: str) -> None:
    """Steps that only look as if they moved something: the figure that gates says so, and no reason helps."""
    page = story.author.page
    page.goto(story.columns)
    steward.begin_release(page, title, "Start from nothing")
    page.get_by_text("Import a recipe").click()
    page.get_by_label("Recipe", exact=True).fill(json.dumps(MUTANT))
    page.get_by_role("button", name="Show it here").click()
    steward.run(page)
    expect(verdict_of(page)).to_contain_text("Does not meet the policy", timeout=steward.PATIENCE)
    expect(verdict_of(page)).to_contain_text("linked correctly is")
    expect(page.get_by_text("changed no value of age")).to_be_visible()
    assert page.get_by_role("link", name="Submit this run").count() == 0


def test_releases_of_every_kind_go_from_upload_to_download(story: Story) -> None:
    number = secrets.token_hex(3)
    for preset, (family, answers) in KINDS.items():
        title = f"{preset} {number}"
        story.make(title, preset)
        line = verdict_of(story.author.page)
        for text in ("Meets the policy", family, answers):
            expect(line).to_contain_text(text, timeout=steward.PATIENCE)
        working_page = story.put_forward()
        story.approve(title)
        publish(story.author, working_page)
        rows = story.fetch(title)
        assert list(rows[0]) == list(ROLES)
        assert 0.95 * ROWS <= len(rows) <= ROWS
    refused(story, f"Nothing moved {number}")
