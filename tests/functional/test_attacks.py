"""The page of the attacks as somebody uses it: read what was found, have it replayed, stop a long one."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.functional.conftest import Visitor
from tests.functional.steward import PATIENCE

DRAWN = "[data-chart-url]:has(.main-svg)"
ATTACKS = 4


def wish(page: Page, **settings: int) -> None:
    """Fill the form and send it."""
    for name, value in settings.items():
        page.locator(f"[name=attack-{name}]").fill(str(value))
    page.get_by_role("button", name="Replay the attacks").click()


def test_attacks_are_read_replayed_and_stopped(visit: Callable[..., Visitor]) -> None:
    page = visit("steward").goto("/attacks/")
    expect(page.locator(DRAWN)).to_have_count(ATTACKS, timeout=PATIENCE)
    wish(page, few=4, people=16, questions=1, rounds=1)
    page.get_by_role("button", name="Cancel the replay").wait_for()
    # The result comes by itself.
    page.get_by_role("heading", name="Bits recovered in the end").wait_for(timeout=PATIENCE)
    expect(page.locator(DRAWN)).to_have_count(ATTACKS)
    page.get_by_text("Settings of this replay").click()
    expect(page.get_by_text("16 people").first).to_be_visible()

    page.goto(page.url)
    wish(page, people=80, rounds=20)
    page.get_by_role("button", name="Cancel the replay").click()
    page.get_by_text("asked for it.").wait_for(timeout=PATIENCE)


def test_everybody_reads_it_and_without_scripts(visit: Callable[..., Visitor]) -> None:
    page = visit("analyst", java_script_enabled=False).goto("/attacks/")
    expect(page.get_by_text("Show as table")).to_have_count(ATTACKS)
    expect(page.get_by_role("button", name="Replay the attacks")).to_have_attribute("aria-disabled", "true")
