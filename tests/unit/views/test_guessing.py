"""Doors at which somebody could guess: who waits, who never does, and that there is no other door."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils import timezone

from stewardapp.access.guessing import FORGOTTEN, FREE, LONGEST, Shared
from stewardapp.models import AuditEvent, Guesses, User
from stewardapp.views import accounts
from tests import factories

pytestmark = pytest.mark.django_db
PASSWORD, WRONG, NEW = factories.PASSWORD, "not this one", "a longer walk by the lake"
LOGIN = "/accounts/login/"


@pytest.fixture
def person() -> User:
    return factories.make_user("owner")


def tried(client: Client, name: str, password: str = WRONG, address: str = "192.0.2.1") -> int:
    """The status of a sign-in: 302 when it opened, 200 when it was wrong, 429 when nobody listened."""
    return client.post(LOGIN, {"login": name, "password": password}, REMOTE_ADDR=address).status_code


def strangers(name: str, number: int) -> list[int]:
    """So many wrong ones, each from a browser and an address of its own."""
    return [tried(Client(), name, address=f"198.51.100.{index}") for index in range(number)]


def known(person: User) -> Client:
    """A browser in which this person signed in before, and out again."""
    client = Client()
    assert tried(client, person.username, PASSWORD, "203.0.113.5") == 302
    client.post("/accounts/logout/")
    return client


def test_forty_people_sign_in_from_one_address_within_a_minute() -> None:
    people = [factories.make_user("colleague") for _ in range(10)]
    assert [tried(Client(), people[n % 10].username, PASSWORD) for n in range(40)] == [302] * 40


def test_an_address_that_guesses_waits_and_locks_nobody_out_elsewhere(person: User) -> None:
    browser, free = known(person), FREE[Shared.ADDRESS]
    assert [tried(Client(), f"nobody-{n}") for n in range(free)] == [200] * free
    assert tried(Client(), person.username, PASSWORD) == 429
    assert tried(Client(), person.username, PASSWORD, "192.0.2.2") == 302
    assert tried(browser, person.username, PASSWORD) == 302, "known: whatever others do at this address"


def test_strangers_slow_each_other_down_and_never_the_owner(person: User) -> None:
    browser, other = known(person), factories.make_user("somebody else")
    assert strangers(person.username, 8) == [200] * 5 + [429] * 3
    assert tried(Client(), person.username.upper(), PASSWORD, "192.0.2.7") == 429
    assert tried(browser, person.username, PASSWORD) == 302
    assert tried(Client(), other.username, PASSWORD) == 302


def test_the_page_says_how_long(person: User) -> None:
    strangers(person.username, 5)
    answer = Client().post(LOGIN, {"login": person.username, "password": WRONG})
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) in range(1, 9)
    assert "Too many attempts" in answer.content.decode()


def test_waiting_helps_and_each_wait_is_longer(person: User) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        strangers(person.username, 5)
        for seconds in (8, 16, 32):
            clock.shift(seconds - 1)
            assert strangers(person.username, 1) == [429]
            clock.shift(1)
            assert strangers(person.username, 1) == [200]
        clock.shift(LONGEST)
        assert tried(Client(), person.username, PASSWORD) == 302


def test_a_name_that_does_not_exist_is_answered_alike(person: User) -> None:
    assert strangers("no such person", 7) == strangers(person.username, 7)


def test_a_known_browser_in_the_wrong_hands_waits_too(person: User) -> None:
    browser = known(person)
    assert [tried(browser, person.username) for _ in range(6)] == [200] * 5 + [429]
    assert tried(Client(), person.username, PASSWORD) == 302, "the account itself is not slowed down"


def cookie_in(browser: Client) -> Any:
    [cookie] = [one for name, one in browser.cookies.items() if name.startswith("steward_browser_")]
    return cookie


def test_what_makes_a_browser_known_cannot_be_made_or_carried_over(person: User) -> None:
    other, browser = factories.make_user("somebody else"), known(person)
    theirs, made = known(other), Client()
    carried = Client()
    carried.cookies[cookie_in(browser).key] = cookie_in(theirs).value
    made.cookies[cookie_in(browser).key] = f"{'a' * 32}.{'b' * 32}:abc:def"
    strangers(person.username, 5)
    assert tried(carried, person.username, PASSWORD) == 429
    assert tried(made, person.username, PASSWORD) == 429
    assert tried(browser, person.username, PASSWORD) == 302


def test_the_cookie_is_for_the_server_alone(person: User) -> None:
    cookie = cookie_in(known(person))
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/accounts/")
    client = Client()
    client.post(LOGIN, {"login": person.username, "password": PASSWORD}, secure=True)
    assert cookie_in(client)["secure"] is True


def test_a_new_password_makes_all_browsers_strangers_but_the_one_it_was_set_in(person: User) -> None:
    lost, kept = known(person), Client()
    assert tried(kept, person.username, PASSWORD) == 302
    given = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert kept.post(reverse("account_change_password"), given).status_code == 302
    kept.post("/accounts/logout/")
    strangers(person.username, 5)
    assert tried(lost, person.username, NEW) == 429
    assert tried(kept, person.username, NEW) == 302


# The other doors


def signed_in(person: User) -> Client:
    client = Client()
    assert tried(client, person.username, PASSWORD) == 302
    return client


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("account_reauthenticate", {"password": WRONG}),
        ("account_change_password", {"oldpassword": WRONG, "password1": NEW, "password2": NEW}),
        ("mfa_reauthenticate", {"code": "000000"}),
    ],
)
def test_who_is_in_and_guesses_waits_as_long(person: User, name: str, given: dict[str, str]) -> None:
    TOTP.activate(person, generate_totp_secret())
    person.refresh_from_db()
    client = Client()
    client.force_login(person)
    assert [client.post(reverse(name), given).status_code for _ in range(6)] == [200] * 5 + [429]
    assert client.get(reverse(name)).status_code == 200
    assert tried(Client(), person.username, PASSWORD) == 302, (
        "a session in wrong hands slows nobody else down"
    )


def test_a_right_password_counts_as_right_whatever_it_leads_to(person: User) -> None:
    client = signed_in(person)
    for _ in range(8):
        answer = client.post(reverse("account_reauthenticate"), {"password": PASSWORD}, follow=True)
        assert answer.status_code == 200
    assert set(Guesses.objects.values_list("wrong", flat=True)) == {0}


def half_in(person: User, address: str) -> Client:
    """The password was right; the code is missing."""
    client = Client()
    answer = client.post(LOGIN, {"login": person.username, "password": PASSWORD}, REMOTE_ADDR=address)
    assert answer.headers["Location"].startswith("/accounts/2fa/authenticate/")
    return client


def test_codes_are_guessed_no_faster_than_passwords(person: User) -> None:
    TOTP.activate(person, generate_totp_secret())
    door = reverse("mfa_authenticate")
    guessed = [
        half_in(person, f"198.51.100.{n}").post(door, {"code": "000000"}, REMOTE_ADDR=f"198.51.100.{n}")
        for n in range(7)
    ]
    assert [answer.status_code for answer in guessed] == [200] * 5 + [429] * 2


# Nothing but the proof that a door asks for ends a wait


def with_factor(name: str) -> User:
    person = factories.make_user(name)
    TOTP.activate(person, generate_totp_secret())
    return person


OTHER_DOORS = ("2fa/authenticate/", "2fa/reauthenticate/", "reauthenticate/", "password/change/")


@pytest.mark.parametrize("door", OTHER_DOORS)
def test_being_sent_away_from_another_door_proves_nothing(person: User, door: str) -> None:
    answers = []
    for index in range(8):
        answers += [tried(Client(), person.username, address=f"198.51.100.{index}")]
        Client().post(f"/accounts/{door}", {"login": person.username}, REMOTE_ADDR=f"203.0.113.{index}")
    assert answers == [200] * 5 + [429] * 3


def test_who_owes_a_code_and_comes_to_the_sign_in_proves_nothing(person: User) -> None:
    browser, answers = Client(), []
    assert tried(browser, with_factor("insider").username, PASSWORD) == 302
    for index in range(8):
        answers.append(tried(Client(), person.username, address=f"198.51.100.{index}"))
        tried(browser, person.username, address=f"203.0.113.{index}")
    assert answers == [200] * 3 + [429] * 5, "and what is sent on unlooked counts as well"


def test_a_password_known_gives_no_further_codes() -> None:
    person, answers = with_factor("owner"), []
    browser = Client()
    for index in range(8):
        assert tried(browser, person.username, PASSWORD, f"198.51.100.{index}") in (302, 429)
        answers.append(browser.post("/accounts/2fa/authenticate/", {"code": "000000"}).status_code)
    assert answers == [200] * 5 + [429] * 3


def test_a_password_known_in_a_known_browser_gives_no_further_codes(person: User) -> None:
    browser, answers = known(person), []
    TOTP.activate(person, generate_totp_secret())
    for _ in range(8):
        del browser.cookies[settings.SESSION_COOKIE_NAME]
        assert tried(browser, person.username, PASSWORD) == 302
        answers.append(browser.post("/accounts/2fa/authenticate/", {"code": "000000"}).status_code)
    assert answers == [200] * 5 + [429] * 3


def test_who_is_in_and_comes_to_the_sign_in_proves_nothing(person: User) -> None:
    browser, answers = known(person), []
    assert tried(browser, person.username, PASSWORD) == 302
    for _ in range(8):
        answers.append(browser.post("/accounts/reauthenticate/", {"password": WRONG}).status_code)
        assert tried(browser, person.username, PASSWORD) in (302, 429), "sent on unlooked"
    assert answers == [200] * 3 + [429] * 5


def test_the_second_factor_makes_a_browser_known(person: User) -> None:
    TOTP.activate(person, generate_totp_secret())
    [code, *_] = RecoveryCodes.activate(person).get_unused_codes()
    client = half_in(person, "203.0.113.9")
    assert not any(name.startswith("steward_browser_") for name in client.cookies)
    assert client.post(reverse("mfa_authenticate"), {"code": code}).status_code == 302
    assert cookie_in(client)


def doors(patterns: Any) -> Iterator[URLPattern]:
    """Every address at which a secret is asked for."""
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            form = getattr(getattr(pattern.callback, "view_class", None), "form_class", None)
            if asks(form):
                yield pattern
        else:
            yield from doors(pattern.url_patterns)


def asks(form: Any) -> bool:
    fields = getattr(form, "base_fields", {}) or {}
    return bool({"password", "oldpassword", "code"} & set(fields))


OF_ONE_S_OWN = {"mfa_activate_totp"}  # the secret whose code is asked for stands on the same page


def test_there_is_no_other_door() -> None:
    found = {door.name: door.callback for door in doors(get_resolver().url_patterns)}
    assert {"account_login", "account_change_password", "mfa_authenticate"} <= set(found)
    unguarded = {name for name, view in found.items() if not getattr(view, "is_guarded", False)}
    assert unguarded == OF_ONE_S_OWN & set(found)


def test_a_door_left_open_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from allauth.account import views

    left_open = accounts.page("x/", views.reauthenticate, "x")
    assert [door.name for door in doors([left_open])] == ["x"]
    assert not getattr(left_open.callback, "is_guarded", False)


# What is kept


def test_neither_names_nor_addresses_are_kept(person: User) -> None:
    strangers(person.username, 3)
    kept = repr(list(Guesses.objects.values()))
    assert person.username not in kept
    assert "198.51.100" not in kept


def test_what_is_forgotten_is_removed(person: User) -> None:
    with time_machine.travel(timezone.now(), tick=False) as clock:
        strangers(person.username, 4)
        assert Guesses.objects.count() == 5
        clock.shift(FORGOTTEN)
        assert tried(Client(), "somebody", address="192.0.2.200") == 200
        assert Guesses.objects.count() == 2


def test_an_account_that_is_slowed_down_is_in_the_audit_log_once(
    person: User, caplog: pytest.LogCaptureFixture
) -> None:
    strangers(person.username, 9)
    [event] = AuditEvent.objects.filter(action="account.slowed")
    assert (event.subject_id, event.actor, event.details) == (person.pk, None, {"shared": "account"})
    assert "guesses.slowed" in caplog.text
    strangers("no such person", 9)
    assert AuditEvent.objects.filter(action="account.slowed").count() == 1


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("", ""),
    ],
)
def test_one_customer_has_one_network(address: str, network: str) -> None:
    from stewardapp.views.guessing import network as network_of

    assert network_of(address) == network
