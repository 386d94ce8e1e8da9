"""What people change about themselves is written down, kept sealed, and ends the sessions it should end."""

from __future__ import annotations

import inspect
import io
import json
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group
from django.contrib.sessions.models import Session
from django.core import signing
from django.core.management import CommandError, call_command, get_commands
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from stewardapp import sealed_text
from stewardapp.actions import accounts, memberships
from stewardapp.actions.action import AuditMissing
from stewardapp.models import AuditEvent, Membership, User
from tests import factories, factors
from tests.integration.url_scene import BACKEND

pytestmark = pytest.mark.django_db
NEW = "a longer walk by the lake"


@pytest.fixture
def person() -> User:
    return factories.make_user("somebody")


def sign_in(person: User, password: str = factories.PASSWORD) -> Client:
    """As the sign-in page does it."""
    client = Client()
    client.post(reverse("account_login"), {"login": person.username, "password": password})
    return client


def is_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def events_of(change: Callable[[], Any]) -> list[str]:
    """The events that something leaves."""
    before = AuditEvent.objects.count()
    change()
    return [event.action for event in AuditEvent.objects.order_by("id")[before:]]


# Events


def test_a_changed_password_is_in_the_audit_log_without_the_password(person: User) -> None:
    client, elsewhere = sign_in(person), sign_in(person)
    sent = {"oldpassword": factories.PASSWORD, "password1": NEW, "password2": NEW}
    assert events_of(lambda: client.post(reverse("account_change_password"), sent)) == [
        "account.password-changed"
    ]
    event = AuditEvent.objects.latest("id")
    assert (event.actor, event.subject_id) == (person, person.pk)
    assert NEW not in str(event.details)
    assert (is_in(client), is_in(elsewhere)) == (True, False)
    assert is_in(sign_in(person, NEW))


def shown_secret(client: Client) -> str:
    """What the page that sets up a second factor shows, after the password was given once more."""
    client.post(reverse("account_reauthenticate"), {"password": factories.PASSWORD})
    return str(client.get(reverse("mfa_activate_totp")).context["form"].secret)


def enrol(client: Client) -> str:
    """Through the page; the secret."""
    secret = shown_secret(client)
    answer = client.post(reverse("mfa_activate_totp"), {"code": factors.code(secret)})
    assert answer.status_code == 302, answer.content.decode()
    return secret


def test_everything_that_happens_to_a_second_factor_is_in_the_audit_log(person: User) -> None:
    client = sign_in(person)
    assert events_of(lambda: enrol(client)) == ["account.factor-added"] * 2  # and its recovery codes
    codes = reverse("mfa_view_recovery_codes")
    assert events_of(lambda: client.get(codes)) == ["account.recovery-codes-shown"]
    assert events_of(lambda: client.get(codes)) == []
    again = events_of(lambda: client.post(reverse("mfa_generate_recovery_codes"), {}))
    assert again == ["account.factor-removed", "account.factor-added"]
    code = Authenticator.objects.get(user=person, type="recovery_codes").wrap().get_unused_codes()[0]
    entering = sign_in(person)
    assert not is_in(entering)
    used = events_of(lambda: entering.post(reverse("mfa_authenticate"), {"code": code}))
    assert used == ["account.recovery-code-used"]
    assert is_in(entering)
    removed = events_of(lambda: client.post(reverse("mfa_deactivate_totp"), {}))
    assert removed == ["account.factor-removed"] * 2
    assert not person.has_second_factor
    assert {event.actor_id for event in AuditEvent.objects.filter(action__startswith="account.factor")} == {
        person.pk
    }


def test_a_factor_is_remembered_by_the_object_of_a_request_alone(person: User) -> None:
    person.remember_second_factor()
    enrol(sign_in(person))
    assert not person.has_second_factor
    assert User.objects.get(pk=person.pk).has_second_factor


def test_what_is_not_noted_does_not_happen(person: User, monkeypatch: pytest.MonkeyPatch) -> None:
    client = sign_in(person)
    enrol(client)
    monkeypatch.setattr(accounts, "OWN_CHANGES", ())
    client.raise_request_exception = False
    for name in ("mfa_deactivate_totp", "mfa_generate_recovery_codes"):
        client.post(reverse(name), {})
    assert Authenticator.objects.filter(user=person).count() == 2


# Nobody is changed past the actions

PAST_THE_ACTIONS: dict[str, Callable[[User], Any]] = {
    "a name": lambda person: person.save(),
    "a password": lambda person: (person.set_password(NEW), person.save(update_fields=["password"])),
    "a shell's administrator": lambda person: User.objects.create_superuser("root", password=NEW),
    "an account": lambda person: User(username="made").save(),
    "an account from a file": lambda person: User(username="made").save_base(raw=True),
    "an end": lambda person: person.delete(),
    "ends": lambda person: User.objects.filter(pk=person.pk).delete(),
    "a role": lambda person: Membership(user=person, role="steward").save(),
    "a role's end": lambda person: Membership.objects.all().delete(),
    "a group": lambda person: person.groups.add(Group.objects.create(name="them")),
    "a permission": lambda person: person.user_permissions.add(1),
}


@pytest.mark.parametrize("what", PAST_THE_ACTIONS)
def test_people_and_roles_are_changed_by_actions_only(what: str) -> None:
    team = factories.make_project()
    before = state_of_people()
    with pytest.raises(AuditMissing), transaction.atomic():
        PAST_THE_ACTIONS[what](team.outsider)
    assert state_of_people() == before


def state_of_people() -> list[Any]:
    return [*User.objects.order_by("pk").values(), *Membership.objects.order_by("pk").values()]


def test_a_factor_given_past_the_pages_is_noted(person: User) -> None:
    assert events_of(lambda: factors.give(person)) == ["account.factor-added"]
    assert events_of(lambda: Authenticator.objects.filter(user=person).delete()) == ["account.factor-removed"]


def test_signing_in_leaves_its_time_and_may_hash_a_password_anew(person: User, settings: Any) -> None:
    assert is_in(sign_in(person))
    person.refresh_from_db()
    assert person.last_login is not None
    stronger = "django.contrib.auth.hashers.PBKDF2PasswordHasher"
    settings.PASSWORD_HASHERS = [stronger, *settings.PASSWORD_HASHERS]
    assert is_in(sign_in(person))
    person.refresh_from_db()
    assert person.password.startswith("pbkdf2")


# Commands


def test_no_librarys_command_changes_people() -> None:
    """Django's own two do; ours of the same name take their place."""
    assert [name for name, app in get_commands().items() if changes_people(app, name)] == []
    assert changes_people("django.contrib.auth", "createsuperuser")
    assert changes_people("django.contrib.auth", "changepassword")


def changes_people(app: str, name: str) -> bool:
    source = inspect.getsource(import_module(f"{app}.management.commands.{name}"))
    return bool(re.search(r"set_password|create_(super)?user\b|is_(staff|superuser|active) *=[^=]", source))


@pytest.mark.parametrize("name", ["createsuperuser", "changepassword"])
def test_commands_of_libraries_say_what_to_use(person: User, name: str) -> None:
    with pytest.raises(CommandError, match="first_administrator"):
        call_command(name, person.username)


def first_administrator(monkeypatch: pytest.MonkeyPatch, *said: str, password: str = NEW) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
    told = io.StringIO()
    call_command("first_administrator", *said, stdout=told)
    return told.getvalue()


def test_the_first_administrator_is_made_once_and_recovered(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="too short"):
        first_administrator(monkeypatch, "first", password="short")
    assert "first is an administrator" in first_administrator(monkeypatch, "first")
    with pytest.raises(CommandError, match="already has an administrator"):
        first_administrator(monkeypatch, "second")
    made = User.objects.get()
    session = sign_in(made, NEW)
    assert is_in(session)
    again = events_of(
        lambda: first_administrator(monkeypatch, "first", "--recover", password="found again here")
    )
    assert again == ["account.recovered"]
    assert not is_in(session)
    assert is_in(sign_in(made, "found again here"))


def test_a_password_is_typed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter([NEW, "another", NEW, NEW])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda _: next(typed))
    with pytest.raises(CommandError, match="differ"):
        call_command("first_administrator", "first")
    call_command("first_administrator", "first", stdout=io.StringIO())
    assert User.objects.get().check_password(NEW)


# Secrets


def test_no_secret_of_a_second_factor_is_kept_in_clear(person: User) -> None:
    client = sign_in(person)
    assert shown_secret(client) not in everything_in_the_database()
    secret = enrol(client)
    kept = Authenticator.objects.get(user=person, type="totp").data["secret"]
    seed = Authenticator.objects.get(user=person, type="recovery_codes").data["seed"]
    assert sealed_text.is_sealed(kept)
    assert sealed_text.is_sealed(seed)
    assert secret not in everything_in_the_database()
    assert sealed_text.unsealed(kept, "second factors") == secret
    with pytest.raises(sealed_text.NotSealed):
        sealed_text.unsealed(kept, "sessions")


def everything_in_the_database() -> str:
    """Every row as text, and sessions as far as anybody can read them."""
    with connection.cursor() as cursor:
        found = []
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            found += [str(row) for row in cursor.fetchall()]
    return "\n".join([*found, *map(readable, Session.objects.values_list("session_data", flat=True))])


def readable(session: str) -> str:
    try:
        return json.dumps(signing.loads(session, salt="django.contrib.sessions.SessionStore"))
    except signing.BadSignature:
        return session


@pytest.mark.parametrize(
    "planted", ["JBSWY3DPEHPK3PXP", "sealed:", "sealed:AQ==", "sealed:!!", "sealed:" + "A" * 80]
)
def test_a_secret_that_was_not_sealed_here_opens_nothing(person: User, planted: str) -> None:
    factors.give(person)
    Authenticator.objects.filter(user=person).update(data={"secret": planted})
    entering = sign_in(person)
    answer = entering.post(reverse("mfa_authenticate"), {"code": factors.code("JBSWY3DPEHPK3PXP")})
    assert answer.status_code == 200
    assert not is_in(entering)


def test_a_session_that_was_not_sealed_here_is_nobodys(person: User) -> None:
    client = sign_in(person)
    for planted in ("", "sealed:", signing.dumps({}), sealed_text.sealed("x", "second factors")):
        Session.objects.update(session_data=planted)
        assert not is_in(client)


# Sessions


def test_a_second_factor_ends_the_sessions_that_began_without(person: User) -> None:
    here, elsewhere = sign_in(person), sign_in(person)
    assert is_in(elsewhere)
    enrol(here)
    assert is_in(here)
    assert not is_in(elsewhere)


def end(team: factories.Team, how: str) -> None:
    """Whatever ends the analyst's sessions."""
    if how == "deactivated":
        accounts.deactivate(user=team.analyst, by=team.admin)
        accounts.reactivate(user=team.analyst, by=team.admin)
    elif how == "password":
        without = accounts.reset_password(user=team.analyst, by=team.admin)
        accounts.choose_password(password=factories.PASSWORD, by=without)
    elif how == "recovered":
        accounts.recover(username=team.analyst.username, password=factories.PASSWORD)
    else:
        accounts.remove_factors(user=team.analyst, by=team.admin)


@pytest.mark.parametrize("how", ["deactivated", "password", "recovered", "factors"])
def test_what_ends_a_session_ends_it_for_good(how: str) -> None:
    team = factories.make_project()
    if how == "factors":
        factors.give(team.analyst)
    client = Client()
    client.force_login(team.analyst, backend=BACKEND)
    assert is_in(client)
    cookie = client.cookies["steward_session"].value
    end(team, how)
    assert not is_in(client)
    client.cookies["steward_session"] = cookie
    assert not is_in(client)


@pytest.mark.parametrize("how", ["deactivated", "password"])
def test_a_sign_in_begun_before_does_not_end_after(how: str) -> None:
    """The password was right; before the code came, the account was shut, or the password replaced."""
    team = factories.make_project()
    secret = factors.give(team.analyst)
    undisturbed, entering = sign_in(team.analyst), sign_in(team.analyst)
    code = {"code": factors.code(secret)}
    end(team, how)
    answer = entering.post(reverse("mfa_authenticate"), code)
    assert (answer.status_code, answer["Location"]) == (302, reverse("account_login"))
    assert not is_in(entering)
    assert not is_in(undisturbed)


def test_the_code_lets_in_who_gave_the_password(person: User) -> None:
    secret = factors.give(person)
    entering = sign_in(person)
    entering.post(reverse("mfa_authenticate"), {"code": factors.code(secret)})
    assert is_in(entering)


def test_a_role_is_noted_with_the_person(person: User) -> None:
    team = factories.make_project()
    noted = events_of(
        lambda: memberships.add(project=team.project, user=person, role="analyst", by=team.admin)
    )
    assert noted == ["membership.added"]
    assert re.fullmatch(r"[0-9a-f-]{36}", AuditEvent.objects.latest("id").details["user"])
