"""A file that leaked is registered, read by a worker, and unregistered; who waits is told on the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from tests.functional import steward
from tests.functional.conftest import Visitor


def test_a_file_that_leaked_is_registered_and_taken_back(
    visit: Callable[..., Visitor], tmp_path: Path
) -> None:
    leaked = tmp_path / "leaked.csv"
    leaked.write_text("sex,diagnosis\nf,flu\nm,none\n")
    page = visit("steward").goto("/populations/")
    page.get_by_role("link", name="Respondents of the").first.click()
    page.get_by_role("link", name="Leaked files").click()
    page.get_by_label("Where it was seen").fill("A forum")
    page.get_by_label("When it was seen").fill("2026-01-02")
    page.get_by_label("The file").set_input_files(leaked)
    page.get_by_role("button", name="Register").click()
    row = page.get_by_role("row").filter(has_text="A forum")
    expect(row).to_contain_text("Compared with", timeout=steward.PATIENCE)
    row.get_by_text("Unregister …").click()
    row.get_by_label("Reason").fill("It was another file.")
    row.get_by_role("button", name="Unregister and destroy").click()
    expect(row).to_contain_text("Unregistered")
    expect(row).not_to_contain_text("Compared with")
