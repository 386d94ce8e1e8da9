"""Accounts: in and out, passwords, throttling, idle sessions, proof of identity, the second factor."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from stewardapp.actions import accounts
from stewardapp.models import User
from tests.functional import clock
from tests.functional.conftest import Visitor
from tests.functional.desk import Desk, until

Visit = Callable[..., Visitor]
NOT_CORRECT = re.compile("not correct")


@pytest.fixture
def newcomer(desk: Desk) -> str:
    """Somebody with an account and nothing else; the name of the persona."""
    name, password = f"newcomer-{secrets.token_hex(3)}", secrets.token_urlsafe(12)
    with desk.inside():
        accounts.create(username=name, password=password, by=User.objects.get(username="admin"))
    desk.personas[name] = (name, password)
    return name


def give(page: Page, name: str, password: str) -> None:
    """Fill in the sign-in form."""
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def sign_out(page: Page) -> None:
    page.locator("summary", has_text="Your account").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Sign in").wait_for()


def prove(page: Page, password: str) -> None:
    """Give the password once more."""
    page.wait_for_url("**/accounts/reauthenticate/**")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Confirm").click()


def chosen_by_link(visit: Visit, admin: Page, password: str) -> str:
    """Choose a password by the link that the administrator's page shows; where the link led."""
    shown = re.search(r"https?://\S+(/accounts/password/choose/\S+)", admin.locator("main").inner_text())
    assert shown, "no link is shown"
    page = visit().goto(shown[1])
    page.get_by_label("New password", exact=True).fill(password)
    page.get_by_label("New password confirmation").fill(password)
    page.get_by_role("button", name="Set this password").click()
    expect(page.get_by_text("Your password is set.")).to_be_visible()
    return shown[1]


def is_in(page: Page) -> None:
    expect(page.get_by_role("heading", name="Your desk")).to_be_visible()


def test_an_administrator_makes_an_account_and_its_owner_a_password(visit: Visit, desk: Desk) -> None:
    name, first, second, third = f"person-{secrets.token_hex(3)}", *(secrets.token_urlsafe(12) for _ in "123")
    admin = visit("admin").page
    admin.locator("summary", has_text="Your account").click()
    admin.get_by_role("link", name="People and retention").click()
    admin.get_by_role("row", name="Users").get_by_role("link", name="Add").click()
    admin.get_by_label("Username").fill(name)
    admin.get_by_role("button", name="Save", exact=True).click()
    expect(admin.get_by_text("was added successfully")).to_be_visible()

    page = visit().goto(chosen_by_link(visit, admin, first))
    expect(page.get_by_role("heading", name="This link no longer works")).to_be_visible()
    page.get_by_role("link", name="Sign in").click()
    give(page, name, first)
    is_in(page)
    expect(page.get_by_text("You are in no project yet")).to_be_visible()
    page.locator("summary", has_text="Your account").click()
    page.get_by_role("link", name="Change password").click()
    page.get_by_label("Current Password").fill(first)
    page.get_by_label("New Password", exact=True).fill(second)
    page.get_by_label("New Password (again)").fill(second)
    page.get_by_role("button", name="Change Password").click()
    expect(page.get_by_text("Password successfully changed.")).to_be_visible()
    sign_out(page)
    give(page, name, first)
    expect(page.get_by_text(NOT_CORRECT)).to_be_visible()
    give(page, name, second)
    is_in(page)

    admin.get_by_role("link", name=name).first.click()
    admin.get_by_label("Replace password").check()
    admin.get_by_role("button", name="Save", exact=True).click()
    chosen_by_link(visit, admin, third)
    page.reload()
    give(page, name, second)
    expect(page.get_by_text(NOT_CORRECT)).to_be_visible()
    give(page, name, third)
    is_in(page)


def test_signing_out_ends_the_session_for_good(visit: Visit, newcomer: str) -> None:
    visitor = visit(newcomer)
    cookies = visitor.context.cookies()
    sign_out(visitor.page)
    visitor.context.add_cookies(
        [{"name": one["name"], "value": one["value"], "url": visitor.desk.url} for one in cookies]
    )
    assert "/accounts/login/" in visitor.goto("/").url


def refused(page: Page, name: str, password: str) -> bool:
    """Give the form; whether nobody listened."""
    give(page, name, password)
    either = page.get_by_role("heading", name="Too many attempts").or_(page.get_by_text(NOT_CORRECT))
    either.wait_for()
    return page.get_by_role("heading", name="Too many attempts").is_visible()


def test_wrong_passwords_make_strangers_wait_and_never_the_owner(
    visit: Visit, desk: Desk, newcomer: str
) -> None:
    owner = visit(newcomer).page
    sign_out(owner)
    page = visit().goto("/")
    tries = [refused(page, newcomer, "a wrong password") for _ in range(5)]
    assert tries == [False] * 5
    until(lambda: refused(page, newcomer, "a wrong password"), 60, "nobody listens for a while")
    expect(page.get_by_text("does not have to wait")).to_be_visible()
    page.get_by_role("link", name="Back to sign in").click()
    give(owner, *desk.personas[newcomer])
    is_in(owner)
    visit("outsider")  # nobody else waits


def test_an_idle_session_ends_and_goes_on_where_it_was(visit: Visit, desk: Desk, newcomer: str) -> None:
    page = visit(newcomer).goto("/methods/")
    clock.pass_for(desk, newcomer, clock.LONGER_THAN_A_PROOF_HOLDS)
    assert page.reload() is not None
    assert page.url.endswith("/methods/")
    clock.pass_for(desk, newcomer, clock.LONGER_THAN_A_SESSION_LASTS)
    page.reload()
    assert "/accounts/login/" in page.url
    give(page, *desk.personas[newcomer])
    page.wait_for_url("**/methods/")


def test_what_was_typed_survives_a_session_that_ended(visit: Visit, desk: Desk) -> None:
    name, password = desk.personas["steward"]
    page = visit("steward").goto("/releases/?state=draft")
    page.locator("main tbody a").first.click()
    page.goto(page.url + "configure/")
    clock.pass_for(desk, name, clock.LONGER_THAN_A_PROOF_HOLDS)
    page.get_by_label("k (rows or persons)").fill("17")
    clock.pass_for(desk, name, clock.LONGER_THAN_A_SESSION_LASTS)
    page.get_by_role("button", name="Save", exact=True).click()
    give(page, name, password)
    page.wait_for_url("**/configure/")
    expect(page.get_by_label("k (rows or persons)")).to_have_value("17")
    expect(page.get_by_text("not saved").first).to_be_visible()
    page.goto(page.url)
    expect(page.get_by_label("k (rows or persons)")).not_to_have_value("17")


def test_approving_asks_for_the_password_again(visit: Visit, desk: Desk) -> None:
    page = visit("reviewer").goto("/reviews/")
    page.get_by_role("link", name="Research file for the regional study").click()
    clock.pass_for(desk, desk.personas["reviewer"][0], clock.LONGER_THAN_A_PROOF_HOLDS)
    page.get_by_label("Reason").fill("Looked at everything.")
    page.get_by_role("button", name="Approve these bytes").click()
    page.wait_for_url("**/accounts/reauthenticate/**")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Reviews").click()
    page.get_by_role("link", name="Research file for the regional study").click()
    expect(page.get_by_text("No vote to show yet.")).to_be_visible()


def test_publishing_asks_for_the_password_again_and_only_the_right_one_will_do(
    visit: Visit, desk: Desk
) -> None:
    page = visit("steward").goto("/releases/?state=approved")
    page.get_by_role("link", name="File for the teaching course").click()
    clock.pass_for(desk, desk.personas["steward"][0], clock.LONGER_THAN_A_PROOF_HOLDS)
    page.get_by_role("link", name="Publish", exact=True).click()
    prove(page, "a wrong password")
    expect(page.get_by_text("Incorrect password.")).to_be_visible()
    prove(page, desk.personas["steward"][1])
    expect(page.get_by_role("heading", name="Publish File for the teaching course")).to_be_visible()


def code(secret: str) -> str:
    """The six digits an authenticator shows now (RFC 6238)."""
    until(lambda: time.time() % 30 < 25, 10, "enough of the half minute is left to type it in")
    moment = int(time.time() // 30).to_bytes(8)
    digest = hmac.digest(base64.b32decode(secret), moment, hashlib.sha1)
    start = digest[-1] & 15
    return f"{(int.from_bytes(digest[start : start + 4]) & 0x7FFFFFFF) % 1_000_000:06d}"


def test_a_second_factor_is_set_up_and_asked_for(visit: Visit, desk: Desk, newcomer: str) -> None:
    page = visit(newcomer).page
    page.locator("summary", has_text="Your account").click()
    page.get_by_role("link", name="Second factor").click()
    page.get_by_role("link", name="Activate").click()
    prove(page, desk.personas[newcomer][1])
    secret = page.get_by_label("Authenticator secret").input_value()
    page.get_by_label("Authenticator code").fill("000000")
    page.get_by_role("button", name="Activate").click()
    expect(page.get_by_text("Incorrect code.")).to_be_visible()
    page.get_by_label("Authenticator code").fill(code(secret))
    page.get_by_role("button", name="Activate").click()
    expect(page.get_by_text("Authenticator app activated.")).to_be_visible()
    sign_out(page)
    give(page, *desk.personas[newcomer])
    page.wait_for_url("**/accounts/2fa/authenticate/**")
    page.goto(f"{desk.url}/projects/")
    assert "/accounts/2fa/authenticate/" in page.url, "the password alone opens nothing"
    page.get_by_label("Code").fill(code(secret))
    page.get_by_role("button", name="Sign In").click()
    is_in(page)
