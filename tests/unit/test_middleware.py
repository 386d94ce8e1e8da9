"""Session rules and refusals."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings

from stewardapp.access.verdict import Conflict, Invalid, NotAllowed
from stewardapp.middleware import SEEN, RefusalMiddleware
from stewardapp.models import User
from stewardapp.sessions import SessionStore
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def person() -> User:
    return factories.make_user("somebody")


@pytest.mark.parametrize(("error", "status"), [(NotAllowed, 403), (Conflict, 409), (Invalid, 400)])
def test_a_refusal_becomes_the_page_of_its_status_with_the_reason(
    rf: RequestFactory, person: User, error: type[Exception], status: int
) -> None:
    request = rf.get("/")
    request.user, request.session = person, SessionStore()
    answer = RefusalMiddleware(lambda _: HttpResponse()).process_exception(request, error("code", "Because."))
    assert answer is not None
    assert answer.status_code == status
    assert "Because." in answer.content.decode()


def test_any_other_error_is_left_to_django(rf: RequestFactory) -> None:
    assert RefusalMiddleware(lambda _: HttpResponse()).process_exception(rf.get("/"), ValueError("x")) is None


def aged(client: Client, seconds: int) -> None:
    """Make the session look as if its owner was last seen so long ago."""
    client.get("/")
    session = client.session
    session[SEEN] -= seconds
    session.save()


def test_a_session_ends_after_the_idle_time(client: Client, person: User) -> None:
    client.force_login(person)
    aged(client, 31 * 60)
    assert client.get("/").status_code == 302


def test_somebody_at_work_stays_signed_in(client: Client, person: User) -> None:
    client.force_login(person)
    for _ in range(3):
        aged(client, 20 * 60)
        assert client.get("/").status_code == 200


@override_settings(STEWARD_IDLE_SECONDS=60)
def test_a_page_that_polls_by_itself_keeps_nobody_signed_in(client: Client, person: User) -> None:
    client.force_login(person)
    aged(client, 59)
    before = client.session[SEEN]
    client.get(
        "/versions/00000000-0000-4000-8000-000000000000/progress/", headers={"Looks-By-Itself": "true"}
    )
    assert client.session[SEEN] == before


def test_signed_in_pages_are_kept_out_of_caches(client: Client, person: User) -> None:
    client.force_login(person)
    assert client.get("/").headers["Cache-Control"] == "no-store, private"
