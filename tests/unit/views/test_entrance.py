"""Signing in, the theme, home, health, and the pages for what cannot be done."""

import pytest
from django.test import Client

from stewardapp.models import Notification
from tests import factories


@pytest.mark.parametrize("path", ["/", "/projects/", "/datasets/", "/uploads/", "/populations/"])
def test_nobody_is_let_in_without_signing_in(db, path):
    answer = Client().get(path)
    assert answer.status_code == 302
    assert answer.url == f"/accounts/login/?next={path}"


def test_somebody_signs_in_and_out(team):
    client = Client()
    sent = {"login": team.steward.username, "password": factories.PASSWORD}
    assert client.post("/accounts/login/", sent).url == "/"
    assert team.project.name in client.get("/").content.decode()
    client.post("/accounts/logout/")
    assert client.get("/").status_code == 302


def try_in(user, password):
    """One attempt from a browser of its own; whether it let somebody in."""
    client = Client()
    client.post("/accounts/login/", {"login": user.username, "password": password})
    return "_auth_user_id" in client.session


def test_the_right_password_no_longer_opens_after_five_wrong_ones(team):
    assert [try_in(team.steward, "wrong") for _ in range(5)] == [False] * 5
    assert not try_in(team.steward, factories.PASSWORD)
    assert try_in(team.reviewer, factories.PASSWORD), "nobody else waits"


def test_getting_in_forgets_the_wrong_passwords_before(team):
    for _ in range(3):
        assert [try_in(team.steward, "wrong") for _ in range(4)] == [False] * 4
        assert try_in(team.steward, factories.PASSWORD)


def test_nobody_signs_up(db):
    page = Client().get("/accounts/signup/").content.decode()
    assert "Sign-up is closed" in page
    assert "<form" not in page.split("<main")[1]


@pytest.mark.parametrize("path", ["/accounts/password/change/", "/accounts/2fa/", "/accounts/logout/"])
def test_account_pages_wear_our_look(client_of, team, path):
    page = client_of(team.steward).get(path, follow=True).content.decode()
    assert 'class="site-header"' in page


@pytest.mark.parametrize("path", ["/", "/projects/", "/accounts/login/"])
def test_no_page_holds_inline_style_or_script(client_of, team, path):
    page = client_of(team.steward).get(path, follow=True).content.decode()
    assert " style=" not in page
    assert " onclick=" not in page
    assert "<script>" not in page


def test_the_theme_is_pinned_by_a_cookie_and_nothing_else(client_of, team):
    client = client_of(team.steward)
    assert client.post("/theme/", {"theme": "dark", "next": "/projects/"}).url == "/projects/"
    assert 'data-theme="dark"' in client.get("/projects/").content.decode()
    client.post("/theme/", {"theme": '"><script>', "next": "/"})
    assert 'data-theme="dark"' in client.get("/projects/").content.decode()


@pytest.mark.parametrize("target", ["https://example.org/", "//example.org", "javascript:alert(1)"])
def test_the_theme_switch_leads_nowhere_else(db, target):
    assert Client().post("/theme/", {"theme": "dark", "next": target}).url == "/"


def test_home_shows_what_waits_for_each(client_of, team):
    release = factories.make_release(team, state="in-review")
    assert release.title in client_of(team.reviewer).get("/").content.decode()
    steward = client_of(team.steward).get("/").content.decode()
    assert "waits for a review" not in steward
    assert release.title not in client_of(team.outsider).get("/").content.decode()


def test_the_navigation_counts_reviews_for_independent_reviewers_only(client_of, team):
    factories.make_release(team, state="in-review")
    counted = '<span class="count">1'
    assert counted in client_of(team.reviewer).get("/projects/").content.decode()
    assert counted not in client_of(team.steward).get("/projects/").content.decode()


def test_home_shows_what_came_back(client_of, team):
    factories.make_release(team, state="changes-requested")
    assert "reviewers ask for changes" in client_of(team.steward).get("/").content.decode()


def test_messages_are_marked_as_read_by_their_owner_only(client_of, team):
    Notification.objects.create(user=team.steward, text="Your run has finished.")
    unread = Notification.objects.filter(user=team.steward, read_at=None)
    client_of(team.outsider).post("/notifications/read/")
    assert unread.exists()
    client_of(team.steward).post("/notifications/read/")
    assert not unread.exists()


def test_not_found_explains_and_says_nothing_of_what_is_there(client_of, team):
    answer = client_of(team.outsider).get(f"/projects/{team.project.pk}/")
    assert answer.status_code == 404
    assert "There is nothing here for you" in answer.content.decode()
    assert team.project.name not in answer.content.decode()


def test_a_form_from_an_old_page_is_refused_in_words(team):
    client = Client(enforce_csrf_checks=True)
    client.force_login(team.steward)
    answer = client.post("/notifications/read/")
    assert answer.status_code == 403
    assert "load the page again" in answer.content.decode()


def test_health_without_signing_in(db, tmp_path, settings):
    settings.STEWARD_DATA = tmp_path
    assert Client().get("/healthz").content == b"ok\n"
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    assert answer.content.startswith(b"database ok\nstorage ok\nkeys ok\nworker degraded 0 alive\n")


def test_not_ready_without_a_place_to_write(db, tmp_path, settings):
    blocked = tmp_path / "file"
    blocked.write_text("")
    settings.STEWARD_DATA = blocked
    answer = Client().get("/readyz")
    assert answer.status_code == 503
    assert b"storage failing" in answer.content
