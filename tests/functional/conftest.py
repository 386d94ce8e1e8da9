"""One installation and one browser for all journeys of a test process."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from tests.functional.desk import Desk
from tests.site import sqlite_copy

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def chromium_path() -> str:
    """Return the system's Chromium: no browser is downloaded."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    raise RuntimeError("The browser tests need Chromium; `make test` installs it on Debian.")


@pytest.fixture(scope="package")
def desk(
    tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path, django_db_blocker: Any
) -> Iterator[Desk]:
    """The product, running, with its demo project; it begins with an empty database, as after `make`."""
    running = Desk(tmp_path_factory.mktemp("desk") / "data", unblocked=django_db_blocker.unblock)
    running.data.mkdir(mode=0o700)
    sqlite_copy(sqlite_template, running.data)
    running.start_twice_in_vain()
    running.start()
    running.demo = running.facts()
    yield running
    try:
        assert running.interrupt() == 0, "Ctrl-C must end with exit code 0"
    finally:
        running.kill()


@pytest.fixture(scope="package")
def playwright_driver() -> Iterator[Playwright]:
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="package")
def chromium(playwright_driver: Playwright) -> Iterator[Browser]:
    browser = playwright_driver.chromium.launch(executable_path=chromium_path(), args=FLAGS)
    yield browser
    browser.close()


class Visitor:
    """Somebody with a browser of their own; notes every complaint the browser makes."""

    def __init__(self, context: BrowserContext, desk: Desk) -> None:
        self.context = context
        self.desk = desk
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self._console(message.type, message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(f"script error: {error}"))
        self.page.on("request", lambda request: self._request(request.url))

    def _console(self, kind: str, text: str) -> None:
        # A refused or missing page is an answer, not a fault of the page.
        if kind == "error" and "the server responded with a status of 4" not in text:
            self.complaints.append(text)

    def _request(self, url: str) -> None:
        if not url.startswith((self.desk.url, "data:", "blob:")):
            self.complaints.append(f"request to somewhere else: {url}")

    def goto(self, path: str) -> Page:
        self.page.goto(path if path.startswith("http") else self.desk.url + path)
        return self.page

    def sign_in(self, role: str) -> Visitor:
        user, password = self.desk.personas[role]
        self.goto("/")
        self.page.locator("input[name=login]").fill(user)
        self.page.locator("input[name=password]").fill(password)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.locator("nav").first.wait_for()
        return self


@pytest.fixture
def visit(chromium: Browser, desk: Desk) -> Iterator[Callable[..., Visitor]]:
    """Open a browser for a persona; at the end of the test no browser may have complained."""
    visitors: list[Visitor] = []

    def open_browser(role: str | None = None, **options: object) -> Visitor:
        defaults: dict[str, object] = {
            "viewport": {"width": 1280, "height": 860},
            "accept_downloads": True,
            "reduced_motion": "reduce",  # no colour half way between two themes
        }
        visitor = Visitor(chromium.new_context(**{**defaults, **options}), desk)  # type: ignore[arg-type]
        visitors.append(visitor)
        return visitor.sign_in(role) if role else visitor

    yield open_browser
    complaints = [line for visitor in visitors for line in visitor.complaints]
    for visitor in visitors:
        visitor.context.close()
    assert complaints == []


class Camera:
    """Screenshots for people to look at, never committed; drawing them takes a fifth of a page's time."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def take(self, page: Page, name: str) -> None:
        """The whole page, if pictures are wanted."""
        if self.folder is not None:
            page.screenshot(path=self.folder / f"{name}.png", full_page=True)


@pytest.fixture(scope="package")
def camera(request: pytest.FixtureRequest) -> Camera:
    folder = Path(__file__).resolve().parents[2] / "screenshots"
    return Camera(folder if request.config.getoption("--pictures") else None)
