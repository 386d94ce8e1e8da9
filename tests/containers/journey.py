"""One release through the proxy over TLS, by people who sign in as they would on a site."""

from __future__ import annotations

import csv
import hashlib
import io
import secrets
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from stewardapp.management.survey import health_survey
from tests.containers.installation import HOST, Installation
from tests.functional import steward
from tests.functional.conftest import FLAGS, chromium_path
from tests.functional.test_accounts import code

TITLE, PURPOSE = "Started in containers", "Shows that a release comes out of the containers."
K = 5
TEAM = """
from stewardapp.actions import accounts, memberships, projects
from stewardapp.models import User
admin = User.objects.get(username="admin")
project = projects.create(name="Containers", by=admin)
for role, password in {passwords!r}.items():
    person = accounts.create(username=role, password=password, by=admin)
    memberships.add(project=project, user=person, role=role, by=admin)
"""


def spoken_to(root: str) -> str:
    """An answer over TLS, for somebody who believes the root of the proxy and nobody else."""
    believed = ssl.create_default_context(cadata=root)
    with (
        socket.create_connection(("127.0.0.1", 443), 30) as line,
        believed.wrap_socket(line, server_hostname=HOST) as safe,
    ):
        safe.sendall(f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
        return safe.makefile().read()


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser that finds the site on this machine."""
    here = f"--host-resolver-rules=MAP {HOST} 127.0.0.1"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium_path(), args=[*FLAGS, here])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Team:
    """People of a site with a browser of their own each."""

    browser: Browser
    passwords: dict[str, str] = field(
        default_factory=lambda: {
            name: secrets.token_urlsafe(12) for name in ("admin", "steward", "reviewer", "analyst")
        }
    )

    def join(self, site: Installation) -> None:
        """The first administrator as README says; then an account and a role for everybody else."""
        others = {name: word for name, word in self.passwords.items() if name != "admin"}
        site.manage("first_administrator", "admin", said=f"{self.passwords['admin']}\n")
        site.manage("shell", said=TEAM.format(passwords=others))

    def sign_in(self, name: str) -> Page:
        """Somebody's first page, or the way to a second factor."""
        page = self.browser.new_context(ignore_https_errors=True, accept_downloads=True).new_page()
        page.goto(f"https://{HOST}/")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(self.passwords[name])
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda url: "/accounts/login/" not in url)
        return page

    def set_up_factor(self, page: Page, name: str) -> None:
        """Who decides on a site needs one."""
        page.get_by_role("link", name="Set up a second factor").click()
        self.prove(page, name)
        secret = page.get_by_label("Authenticator secret").input_value()
        page.get_by_label("Authenticator code").fill(code(secret))
        page.get_by_role("button", name="Activate").click()
        expect(page.get_by_text("Authenticator app activated.")).to_be_visible()

    def prove(self, page: Page, name: str) -> None:
        """The password once more, where it is asked for."""
        page.wait_for_load_state()
        if "/accounts/reauthenticate/" in page.url:
            page.get_by_label("Password").fill(self.passwords[name])
            page.get_by_role("button", name="Confirm").click()
            page.wait_for_load_state()


def released(team: Team, folder: Path) -> str:
    """From the upload to publication; the address in the catalogue."""
    page = team.sign_in("steward")
    file = folder / "survey.csv"
    file.write_text(health_survey(3000, seed=5))
    steward.name_dataset(page, TITLE)
    steward.choose(page, file)
    steward.wait_until_read(page)
    steward.tag(page)
    page.get_by_role("button", name="Propose for all quasi-identifiers").click()
    steward.begin_release(page, TITLE)
    steward.run(page, k=K)
    steward.wait_for_results(page)
    steward.submit(page, PURPOSE)
    approve(team)
    page.reload()
    page.get_by_role("link", name="Publish", exact=True).click()
    team.prove(page, "steward")
    page.get_by_role("button", name="Publish", exact=True).click()
    expect(page.get_by_text("Published.")).to_be_visible()
    return catalogued(team)


def approve(team: Team) -> None:
    """By a reviewer, who needs a second factor on a site."""
    page = team.sign_in("reviewer")
    team.set_up_factor(page, "reviewer")
    page.goto(f"https://{HOST}/reviews/")
    page.get_by_role("link", name=TITLE).click()
    page.get_by_label("Reason").fill("The goals hold.")
    page.get_by_role("button", name="Approve these bytes").click()
    team.prove(page, "reviewer")
    expect(page.get_by_text("Your vote is recorded.")).to_be_visible()


def catalogued(team: Team) -> str:
    """Where the analyst finds it."""
    page = team.sign_in("analyst")
    page.get_by_role("link", name="Catalogue", exact=True).click()
    page.get_by_role("link", name=TITLE).click()
    page.wait_for_url("**/catalogue/*-*/")
    return page.url


def downloaded(team: Team, address: str) -> int:
    """The file has the hash its page promises; how many rows it has."""
    page = team.sign_in("analyst")
    page.goto(address)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="release.csv").click()
    content = Path(waiting.value.path()).read_bytes()
    assert hashlib.sha256(content).hexdigest() in page.inner_text("main")
    return sum(1 for _ in csv.DictReader(io.StringIO(content.decode(), newline="")))
