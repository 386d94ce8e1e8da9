"""What a steward does, page by page, from a file to a candidate."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import Page, expect

# Readings and runs take a second or two; a busy machine takes longer.
PATIENCE = 90_000
OWN_CHOICE = {"income": "sensitive", "remarks": "dropped"}


def name_dataset(page: Page, name: str) -> None:
    """From the first page to the upload page of a new dataset."""
    page.get_by_role("link", name="Upload data").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Name of the new population").fill(f"People of the {name}")
    page.get_by_role("button", name="Continue to the file").click()


def choose(page: Page, file: Path) -> None:
    """Pick a file and send it."""
    with page.expect_file_chooser() as chooser:
        page.get_by_label("Choose a file").click()
    chooser.value.set_files(file)
    page.get_by_role("button", name="Upload", exact=True).click()


def drop(page: Page, file: Path) -> None:
    """Drop a file on the page and send it."""
    carried = page.evaluate_handle(
        """([text, name]) => {
          const carried = new DataTransfer();
          carried.items.add(new File([text], name, { type: "text/csv" }));
          return carried;
        }""",
        [file.read_text(), file.name],
    )
    page.dispatch_event("[data-dropzone]", "drop", {"dataTransfer": carried})
    expect(page.get_by_text(file.name)).to_be_visible()
    page.get_by_role("button", name="Upload", exact=True).click()


def wait_until_read(page: Page) -> None:
    """The page of the version fills in by itself once a worker has read the file."""
    page.wait_for_url("**/versions/**", timeout=PATIENCE)
    page.get_by_role("heading", name="A few rows, masked").wait_for(timeout=PATIENCE)


def tag(page: Page, choices: Mapping[str, str] = OWN_CHOICE, consent: str = "yes") -> None:
    """Take the suggestions, correct some of them, and say what means yes."""
    page.get_by_role("link", name="Tag the columns").first.click()
    page.get_by_role("button", name="Take the suggestions").click()
    for name, role in choices.items():
        page.get_by_label(f"Role of {name}").select_option(role)
    page.get_by_label("Values that mean yes").filter(visible=True).fill(consent)


def begin_release(page: Page, title: str, preset: str | None = None) -> None:
    """From the tagged columns to the recipe that a preset fills in, without a word the first."""
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_label("Title").fill(title)
    if preset is not None:
        page.get_by_role("radio", name=preset).check()
    page.get_by_role("button", name="Create and configure").click()


def run(page: Page, k: int | None = None) -> str:
    """Set k, queue a run; the address of the run."""
    if k is not None:
        page.get_by_label("k (rows or persons)").fill(str(k))
    page.get_by_role("button", name="Save and run").click()
    page.wait_for_url(re.compile(r"/runs/[0-9a-f-]+/$"))
    return page.url


def wait_for_results(page: Page) -> None:
    """The page of the run turns into its results by itself."""
    page.get_by_role("link", name="Submit this run").wait_for(timeout=PATIENCE)


def submit(page: Page, purpose: str | None = None, context: str = "") -> None:
    """Put the run on this page forward for review; purpose and context were said before, or are said now."""
    page.get_by_role("link", name="Submit this run").click()
    if purpose is not None:
        page.get_by_label("Purpose").fill(purpose)
        page.get_by_label("Context").fill(context)
    page.get_by_role("button", name="Submit for review").click()
    expect(page.get_by_text("Submitted. The reviewers of the project are told.")).to_be_visible()
