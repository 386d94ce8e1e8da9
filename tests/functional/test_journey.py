"""A release from upload to download, in real browsers, against a real worker."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import re
import secrets
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from stewardapp.management.survey import health_survey
from tests.functional import clock, figures, steward
from tests.functional.conftest import Visitor
from tests.functional.desk import Desk, until

ROWS = 100_000
K = 7
QUASI = ("birth_date", "sex", "postcode", "education")
PURPOSE = "Lectures on chronic disease for students of public health."
CONTEXT = "No other file about these people has been given to the university."
REMARK = "Do students need the level of education?"
REASON = "Leave out more of what single people could be found by."
WATCH_THE_BAR = """() => {
  const bar = document.querySelector("[data-part=bar]");
  new MutationObserver(() => {
    const seen = JSON.parse(sessionStorage.seen ?? "[]");
    const shown = bar.getBoundingClientRect().height > 0;
    if (shown) sessionStorage.seen = JSON.stringify([...seen, bar.value]);
  }).observe(bar, { attributes: true });
}"""
Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Microdata with every role a column can have: direct and quasi-identifiers, weight, consent."""
    file = tmp_path_factory.mktemp("survey") / "teaching survey.csv"
    file.write_text(health_survey(ROWS, seed=11))
    return file


def classes(text: str) -> Counter[tuple[str, ...]]:
    """How many rows share each combination of quasi-identifiers: nothing of the product counts here."""
    rows = csv.DictReader(io.StringIO(text, newline=""))
    return Counter(tuple(row[name] for name in QUASI) for row in rows if row.get("agreed", "yes") == "yes")


@contextmanager
def paused(desk: Desk) -> Iterator[None]:
    """Everything that works on jobs stands still."""
    workers = desk.tree("celery") + desk.tree("worker.process.child")
    assert workers
    tell(workers, signal.SIGSTOP)
    try:
        yield
    finally:
        tell(workers, signal.SIGCONT)


def tell(processes: list[int], word: signal.Signals) -> None:
    """Send a signal to all of them; one may have ended meanwhile."""
    for pid in processes:
        with suppress(ProcessLookupError):
            os.kill(pid, word)


def cancel(page: Page, desk: Desk) -> None:
    """Cancel a run that a worker is busy with."""
    fragment = f"{page.url}progress/"
    until(lambda: "A worker is on it" in page.request.get(fragment).text(), 60, "a worker takes the run")
    with paused(desk):
        page.get_by_role("button", name="Cancel the run").click()
        expect(page.get_by_text("Stopping at the next checkpoint.")).to_be_visible()
    page.get_by_text("Cancelled.").first.wait_for(timeout=steward.PATIENCE)
    page.locator("[data-watch^='run:']").wait_for(state="detached")
    assert page.get_by_role("link", name="Submit this run").count() == 0


def read_results(page: Page, survey: Path) -> None:
    """Class sizes and risk, before and after, as charts and as tables, against our own count."""
    before = Counter(classes(survey.read_text()).values())
    found = {picture.title: picture for picture in figures.pictures(page)}
    sizes = found["Rows by size of their class"]
    assert sizes.drawn("Before")["1"] == before[1]
    assert min(place for place, rows in sizes.drawn("After").items() if rows) not in {"1", "2", "3–4"}
    page.get_by_role("link", name="Risk", exact=True).click()
    page.wait_for_url("**?tab=risk")
    on_risk = figures.pictures(page)
    assert "Share of rows at or above each risk" in {picture.title for picture in on_risk}
    assert [line for one in (*found.values(), *on_risk) for line in one.differences()] == []
    page.locator("section[aria-labelledby^='m-reidentification'] details.folded > summary").first.click()
    unique = page.get_by_role("row", name=re.compile("^Unique rows")).get_by_role("cell").all_inner_texts()
    assert [figures.says(text, value) for text, value in zip(unique, (before[1], 0), strict=True)] == [
        True
    ] * 2


def prove_identity(visitor: Visitor, role: str) -> None:
    """Give the password once more, because the last time is a while ago."""
    page = visitor.page
    page.wait_for_url("**/accounts/reauthenticate/**")
    page.get_by_label("Password").fill(visitor.desk.personas[role][1])
    page.locator("main").get_by_role("button").first.click()


def file_shown(page: Page) -> list[list[str]]:
    """Header and rows of the released file as the reviewer sees them."""
    rows: list[list[str]] = page.locator("table.released :is(thead, tbody) tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    )
    return rows


def decide(page: Page, button: str, reason: str) -> None:
    page.get_by_label("Reason").fill(reason)
    page.get_by_role("button", name=button).click()


def open_candidate(page: Page, title: str) -> None:
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Reviews").click()
    page.get_by_role("link", name=title).click()


def download(page: Page) -> bytes:
    with page.expect_download() as waiting:
        page.get_by_role("link", name="release.csv").click()
    return Path(waiting.value.path()).read_bytes()


@dataclass
class Story:
    """Who takes part in it, and what it is about."""

    desk: Desk
    visit: Visit
    survey: Path
    title: str

    def __post_init__(self) -> None:
        self.author, self.reviewer = self.visit("steward"), self.visit("reviewer")

    def bring_data(self) -> None:
        """The steward drops a file and watches the bar; what arrives is what was sent."""
        page = self.author.page
        steward.name_dataset(page, f"Data of the {self.title}")
        expect(page.get_by_text("up to")).to_have_count(3)  # the limits, before anything is sent
        page.evaluate(WATCH_THE_BAR)
        steward.drop(page, self.survey)
        steward.wait_until_read(page)
        seen = page.evaluate("JSON.parse(sessionStorage.seen)")
        assert len(seen) > 1
        assert seen == sorted(seen)
        assert seen[-1] == 100
        assert hashlib.sha256(self.survey.read_bytes()).hexdigest() in page.inner_text("main")

    def tag_columns(self) -> None:
        """Every column gets its role, dates and postcodes their hierarchies."""
        page = self.author.page
        steward.tag(page)
        page.get_by_role("button", name="Propose for all quasi-identifiers").click()
        expect(page.get_by_text("Hierarchies proposed: 4.")).to_be_visible()
        page.get_by_role("row", name=re.compile("birth_date")).get_by_role("link", name="levels").click()
        expect(page.get_by_role("row")).to_have_count(6)
        page.get_by_role("link", name="Back to the columns").click()

    def run_twice(self) -> None:
        """One run is cancelled half-way; another one, with one thing changed, is read and submitted."""
        page = self.author.page
        steward.begin_release(page, self.title)
        steward.run(page, k=10)
        cancel(page, self.desk)
        page.wait_for_load_state()  # the page begins anew when the run has ended, and a click before is lost
        page.get_by_role("link", name="Duplicate and change").click()
        page.wait_for_url("**/configure/**")
        steward.run(page, k=K)
        steward.wait_for_results(page)
        read_results(page, self.survey)
        steward.submit(page, PURPOSE, CONTEXT)
        self.working_page = page.url
        assert page.get_by_role("link", name="Publish").count() == 0

    def ask_for_changes(self) -> None:
        """A reviewer who contributed nothing looks at the bytes, remarks, and asks for changes."""
        page = self.reviewer.page
        open_candidate(page, self.title)
        for text in ("You may vote", PURPOSE, CONTEXT, "checked just now"):
            expect(page.get_by_text(text)).to_be_visible()
        assert len(file_shown(page)) == 26
        page.get_by_label("Comment").fill(REMARK)
        page.get_by_role("button", name="Add").click()
        expect(page.get_by_text(REMARK)).to_be_visible()
        decide(page, "Request changes", REASON)
        expect(page.get_by_text("Your vote is recorded.")).to_be_visible()

    def submit_again(self) -> None:
        """The author reads that, changes the recipe, runs and submits once more."""
        page = self.author.page
        page.reload()
        for text in ("Changes requested.", REMARK, REASON):
            expect(page.get_by_text(text).first).to_be_visible()
        page.get_by_role("link", name="Configure", exact=True).click()
        steward.run(page, k=K + 3)
        steward.wait_for_results(page)
        steward.submit(page)

    def approve(self) -> list[list[str]]:
        """The reviewer approves after giving the password again; the rows that were on the screen."""
        page = self.reviewer.page
        clock.pass_for(self.desk, self.desk.personas["reviewer"][0], clock.LONGER_THAN_A_PROOF_HOLDS)
        open_candidate(page, self.title)
        expect(page.get_by_text("Different from the previous candidate")).to_be_visible()
        rows = file_shown(page)
        page.get_by_role("link", name="Next").click()
        page.wait_for_url("**page=2**")
        rows += file_shown(page)[1:]
        decide(page, "Approve these bytes", "The goals hold and the purpose is clear.")
        prove_identity(self.reviewer, "reviewer")
        expect(page.get_by_text("Your vote is recorded.")).to_be_visible()
        return rows

    def publish(self) -> None:
        """The author publishes, after giving the password again."""
        page = self.author.page
        clock.pass_for(self.desk, self.desk.personas["steward"][0], clock.LONGER_THAN_A_PROOF_HOLDS)
        page.goto(self.working_page)
        page.get_by_role("link", name="Publish", exact=True).click()
        prove_identity(self.author, "steward")
        page.get_by_role("button", name="Publish", exact=True).click()
        expect(page.get_by_text("Published.")).to_be_visible()

    def find(self) -> Page:
        """An analyst finds the release by words of its purpose; the page it is offered on."""
        page = self.visit("analyst").page
        page.get_by_role("link", name="Catalogue", exact=True).click()
        page.get_by_role("searchbox").fill("lectures chronic")
        page.get_by_role("button", name="Search").click()
        page.get_by_role("link", name=self.title).click()
        page.wait_for_url("**/catalogue/*-*/")
        return page


def promised(page: Page) -> str:
    """The hash of the file according to the public manifest."""
    manifest = page.request.get(f"{page.url}manifest.json").json()
    [sha256] = [one["sha256"] for one in manifest["artifacts"] if one["name"] == "release.csv"]
    return str(sha256)


def test_a_release_from_upload_to_download(visit: Visit, desk: Desk, survey: Path) -> None:
    story = Story(desk, visit, survey, f"Teaching file {secrets.token_hex(3)}")
    story.bring_data()
    story.tag_columns()
    story.run_twice()
    story.ask_for_changes()
    story.submit_again()
    shown = story.approve()
    story.publish()
    page = story.find()
    file = download(page)

    # What arrives is what was promised, hashed on the page and shown to the reviewer.
    assert hashlib.sha256(file).hexdigest() == promised(page)
    assert promised(page) in page.inner_text("main")
    released = list(csv.reader(io.StringIO(file.decode(), newline="")))
    assert shown == released[:51]
    assert min(classes(file.decode()).values()) >= K + 3
    assert not {"person_id", "email", "agreed", "remarks", "weight", "household"} & set(released[0])

    # Nobody else learns that it exists, and the record of all this holds together.
    link = page.get_by_role("link", name="release.csv").get_attribute("href")
    stranger = visit("outsider").page.request
    for address in (story.working_page, f"{story.working_page}review/", page.url, f"{desk.url}{link}"):
        assert stranger.get(address).status == 404, address
    audit = desk.manage("verify_audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr
