"""An analyst asks the demo's desk in a real browser, and a real worker answers."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.functional.conftest import Visitor
from tests.functional.steward import PATIENCE
from tests.functional.test_pages import faults, overflow
from tests.functional.test_short_journeys import look_again_until


def to_the_desk(visitor: Visitor) -> Page:
    page = visitor.page
    page.get_by_role("link", name="Query desk", exact=True).click()
    page.get_by_role("link", name="Health survey 2025, version 1").click()
    return page


def fits(page: Page) -> None:
    """Accessible, and not wider than the screen."""
    assert faults(page) == []
    assert overflow(page) == 0


def test_from_the_dictionary_to_the_answer_and_the_history(visit: Callable[..., Visitor]) -> None:
    page = to_the_desk(visit("analyst"))
    expect(page.get_by_text("the codebook of the survey").first).to_be_visible()
    page.get_by_role("link", name="Ask a question").click()
    page.get_by_label("What do you want to know?").select_option(label="How many rows")
    page.get_by_label("sex", exact=True).check()
    page.get_by_label("Privacy loss").fill("0.03")
    page.get_by_text("Only rows where").click()
    page.get_by_label("Condition 1: column").select_option("diagnosis")
    page.get_by_label("Value").first.fill("asthma")
    page.get_by_role("button", name="Try it and see the price").click()
    expect(page.get_by_text("Count: sensitivity 1")).to_be_visible()
    expect(page.get_by_role("cell", name="F", exact=True)).to_be_visible()
    fits(page)
    page.get_by_role("button", name="Ask, and spend ε = 0.03").click()
    answer = page.get_by_role("heading", name="Answer", exact=True)
    answer.wait_for(timeout=PATIENCE)
    expect(page.get_by_role("columnheader", name="True figure")).to_have_count(0)
    expect(page.get_by_role("row", name="F").get_by_text("± 100")).to_be_visible()
    fits(page)
    asked = page.url
    to_the_desk_again(page)
    steward = visit("steward")
    steward.goto(asked)
    expect(steward.page.get_by_role("columnheader", name="True figure")).to_be_visible()
    fits(steward.page)


def test_beside_older_remedies(visit: Callable[..., Visitor]) -> None:
    """A histogram with its picture; the same of a perturbed copy, one click from it; a list by rank."""
    page = to_the_desk(visit("analyst"))
    page.get_by_role("link", name="How many rows per cell of diagnosis", exact=True).click()
    page.locator(".main-svg").first.wait_for()
    expect(page.locator(".errorbars, .errorbar").first).to_be_attached()
    fits(page)
    page.get_by_role("button", name="Ask it of: a perturbed copy").click()
    page.get_by_role("button", name="Ask, and spend").click()
    page.get_by_role("heading", name="Answer", exact=True).wait_for(timeout=PATIENCE)
    expect(page.get_by_role("columnheader", name="A copy perturbed by 10")).to_be_visible()
    expect(page.get_by_role("columnheader", name="The data", exact=True)).to_be_visible()
    fits(page)


def to_the_desk_again(page: Page) -> None:
    """The question is in the history, and free from now on."""
    page.get_by_role("link", name="Health survey 2025").click()
    question = page.get_by_role("link", name="How many rows, for each sex, where diagnosis is asthma")
    expect(question).to_be_visible()
    fits(page)


def test_without_javascript(visit: Callable[..., Visitor]) -> None:
    page = to_the_desk(visit("analyst", java_script_enabled=False))
    page.get_by_role("link", name="Ask a question").click()
    page.get_by_label("What do you want to know?").select_option(label="The most common value of")
    page.get_by_label("Of which column?").select_option("education")
    page.get_by_label("Privacy loss").fill("0.02")
    page.get_by_role("button", name="Try it and see the price").click()
    page.get_by_role("button", name="Ask, and spend ε = 0.02").click()
    look_again_until(page, "How to read it")
    expect(page.get_by_role("heading", name="Answer", exact=True)).to_be_visible()
