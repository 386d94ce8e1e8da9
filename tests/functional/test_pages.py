"""Every page a persona can reach: accessible, inside the screen, without a complaint of the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.functional import crawl
from tests.functional.conftest import Camera, Visitor
from tests.sampling import WHOLE

Theme = Literal["light", "dark"]
Looks = tuple[tuple[int, Theme], ...]
# What fits does so in any colours.
LOOKS: Looks = ((1280, "light"), (1280, "dark"), (820, "dark"), (390, "dark"))
EVERYTHING = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOURS = ["color-contrast", "link-in-text-block"]  # a theme changes nothing else
RULES: dict[Theme, dict[str, Any]] = {
    "light": {"runOnly": {"type": "tag", "values": EVERYTHING}, "resultTypes": ["violations"]},
    "dark": {"runOnly": {"type": "rule", "values": OF_COLOURS}, "resultTypes": ["violations"]},
}


def faults(page: Page, theme: Theme = "light") -> list[str]:
    """What axe finds, as short lines."""
    result = Axe().run(page, options=RULES[theme]).response
    return [
        f"{violation['id']}: {node['target']} {node.get('failureSummary', '')}"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]


def overflow(page: Page) -> int:
    """By how many pixels the page is wider than the screen."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


READ = """() => {
  const code = [...document.querySelectorAll("pre, code, textarea")].map((one) => one.innerText);
  return code.reduce((text, part) => text.replace(part, ""), document.body.innerText);
}"""
# Colours fade when the theme changes: half way they are nobody's. What turns for ever is no transition.
FADED = """async () => {
  const fading = document.getAnimations().filter((one) => one instanceof CSSTransition);
  await Promise.allSettled(fading.map((one) => one.finished));
}"""


# Which elements there are, what they are given, whether they hold text, in the content and around it: rows of
# a table, and pages built alike, are looked at once.
PLACES = """() => {
  const given = (one) => [...one.attributes].map((attribute) => attribute.name).sort();
  const says = (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const built = (one) => [one.localName, one.className, ...given(one), says(one)].join(" ");
  const place = (one) => one === document.body ? "" : place(one.parentElement) + ">" + built(one);
  const all = [...document.body.querySelectorAll("*")].filter((one) => !one.closest("svg"));
  return [true, false].map((inside) => {
    return [...new Set(all.filter((one) => Boolean(one.closest("main")) === inside).map(place))];
  });
}"""
SEEN: dict[Theme, set[str]] = {"light": set(), "dark": set()}


def is_new(page: Page, theme: Theme) -> bool:
    """Whether axe has looked at no content, or at nothing around one, that is built like this.

    Colours are those of single places, wherever they stand.
    """
    parts: list[list[str]] = page.evaluate(PLACES)
    shapes = {";".join(part) for part in parts} if theme == "light" else {*parts[0], *parts[1]}
    new = not shapes <= SEEN[theme]
    SEEN[theme] |= shapes
    return new


def settle(page: Page) -> None:
    """Wait until fragments and charts are drawn and colours have faded."""
    page.wait_for_load_state("load")
    charts = page.locator("[data-chart-url]:visible")
    for position in range(charts.count()):
        charts.nth(position).locator(".main-svg").first.wait_for()
    page.evaluate(FADED)


def read(page: Page) -> str:
    """What stands on the page but for code, which is for machines."""
    return str(page.evaluate(READ))


def name_of(path: str) -> str:
    return crawl.pattern(path).strip("/").replace("/", "-").replace("*", "x") or "home"


@pytest.mark.parametrize("role", ["steward", "reviewer", "analyst", "admin", "outsider"])
def test_every_page_is_accessible_and_fits(visit: Callable[..., Visitor], camera: Camera, role: str) -> None:
    visitor = visit(role)
    looks = LOOKS if role == "steward" else LOOKS[:1]  # the others see the same pages, or fewer
    found, number = [], 0
    library = () if role == "steward" or WHOLE else crawl.LIBRARY
    reached = crawl.pages(visitor.page, visitor.desk.url + "/", without=library)
    for number, path in enumerate(reached, start=1):
        found += look(visitor.page, path, camera, f"{role}-{number:02d}-{name_of(path)}", looks)
    assert number >= 5
    assert found == []


def test_a_run_without_a_solution_and_its_comparison(visit: Callable[..., Visitor], camera: Camera) -> None:
    """The obstacle and the nearest change are on the page; one click runs it beside the failed run."""
    visitor = visit("steward")
    page = visitor.goto("/releases/?q=first+try")
    page.get_by_role("link", name="Research file, first try").click()
    page.get_by_role("link", name="Run 3", exact=True).click()
    page.wait_for_url("**/runs/**")
    failed = page.url.removeprefix(visitor.desk.url)
    found = look(page, failed, camera, "steward-no-solution", LOOKS)
    page.get_by_role("button", name="Change this and run").last.click()
    page.get_by_role("link", name="Run 4").wait_for()
    compared = page.url.removeprefix(visitor.desk.url)
    assert "/compare/" in compared
    page.locator("[data-watch^='run:']").wait_for(state="detached")  # the page begins anew when the run ends
    found += look(page, compared, camera, "steward-compare", LOOKS)
    assert found == []


def look(page: Page, path: str, camera: Camera, name: str, looks: Looks) -> list[str]:
    """Look at the open page wide and narrow, light and dark; return what is wrong with it.

    In the dark a page is looked at where something is built as nothing before: another theme moves nothing.
    """
    found = []
    for width, theme in looks:
        if (width, theme) == (1280, "dark") and not camera.folder and not is_new(page, theme):
            continue
        page.set_viewport_size({"width": width, "height": 860})
        page.emulate_media(color_scheme=theme)
        settle(page)
        new = width == 1280 and (theme == "dark" or is_new(page, theme))
        camera.take(page, f"{name}-{width}-{theme}")
        found += [f"{path}: {said[0]} is no number of ours" for said in crawl.BY_HAND.finditer(read(page))]
        if (over := overflow(page)) > 0:
            found.append(f"{path} at {width} px is {over} px too wide")
        if new:
            found += [f"{path} {theme}: {fault}" for fault in faults(page, theme)]
    return found


def test_what_stands_beside_fits_whatever_its_figures(visit: Callable[..., Visitor]) -> None:
    """Figures of larger files take more room: the tables in the margin of a page give it to them."""
    page = visit("steward").goto("/releases/?q=first+try")
    page.get_by_role("link", name="Research file, first try").click()
    page.get_by_role("link", name="Tag columns").click()
    page.get_by_role("heading", name="How identifying is this set?").wait_for()
    settle(page)
    figures = page.locator("aside table .num").filter(has_text="%")
    assert figures.count() > 5
    figures.evaluate_all("all => all.forEach((one) => { one.textContent = 'about 100.00 %'; })")
    for width in (1280, 1040, 820, 360):
        page.set_viewport_size({"width": width, "height": 860})
        assert overflow(page) <= 0, width


def test_the_sign_in_page_is_accessible_and_keeps_strangers_out(visit: Callable[..., Visitor]) -> None:
    visitor = visit()
    visitor.goto("/releases/")
    assert "/accounts/login/" in visitor.page.url
    assert faults(visitor.page) == []
