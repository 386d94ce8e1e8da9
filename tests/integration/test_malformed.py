"""What no database can hold is refused on an ordinary page, wherever it stands, on both databases."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from stewardapp.models import Release
from tests import factories
from tests.integration.url_scene import browser
from tests.site import Site

SENTENCE = "holds a character that is none"
HALF = "%ED%A0%80"  # half a surrogate pair, spelled as no browser would
BIGGER_THAN_BIGINT = str(2**63)
OFTEN = ("0" * 5000, "9" * 5000, "1e400", "-1", BIGGER_THAN_BIGINT, "NaN", "²", "x")


@pytest.fixture
def team(any_site: Site) -> factories.Team:
    return factories.make_project()


@pytest.fixture
def client(team: factories.Team) -> Client:
    return browser(team.steward)


def refused(answer: Any) -> None:
    assert answer.status_code == 400
    assert SENTENCE in answer.content.decode()
    assert "<nav" in answer.content.decode()  # an ordinary page


LISTS = ("audit-list", "release-list", "dataset-list", "catalogue-list", "project-list", "population-list")


def test_a_nul_is_refused_in_a_query(client: Client) -> None:
    for name in LISTS:
        for query in ("q=%00", "page=%00", "%00=1", "q=a%00b", "subject=%00", "actor=%00", "state=%00"):
            refused(client.get(f"{reverse(name)}?{query}"))


def test_a_nul_is_refused_in_a_form_a_path_and_a_header(team: factories.Team, client: Client) -> None:
    release = factories.make_release(team)
    configure = reverse("release-configure", args=[release.pk])
    refused(client.post(configure, {"do": "a\0"}))
    refused(client.post(configure, {"\0": "save"}))
    refused(client.post(reverse("comment-add", args=[release.pk]), {"text": "\0"}))
    assert client.get("/methods/methods/a%00b/").status_code in (400, 404)
    refused(client.get("/", headers={"X-Anything": "a\0"}))
    assert client.get("/releases/a%00b/").status_code == 404  # nothing of that name at all


def test_a_nul_in_a_cookie_is_no_cookie(client: Client) -> None:
    assert client.get("/", headers={"Cookie": 'theme="\\000"'}).status_code == 302
    answer = Client().get("/", headers={"Cookie": 'steward_session="a\\000"; steward_csrf="\\000"'})
    assert answer.status_code == 302


def test_half_a_pair_never_arrives(team: factories.Team, client: Client) -> None:
    """Not in UTF-8, and not by calling a form something else."""
    for name in LISTS:
        assert client.get(f"{reverse(name)}?q={HALF}").status_code == 200
    release = factories.make_release(team)
    url = reverse("comment-add", args=[release.pk])
    for kind in ("unicode_escape", "utf-7", "rot13", "idna", "utf-16"):
        form = f"application/x-www-form-urlencoded; charset={kind}"
        assert client.generic("POST", url, b"visibility=public&text=\\ud800", form).status_code in (
            302,
            400,
        )
        part = '--x\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
        parts = (part.format("visibility", "public") + part.format("text", "\\ud800") + "--x--\r\n").encode()
        multipart = f"multipart/form-data; boundary=x; charset={kind}"
        assert client.generic("POST", url, parts, multipart).status_code < 500
    assert all("\ud800" not in comment.text for comment in release.comments.all())


def test_numbers_beyond_all_pages_and_columns_are_answered(team: factories.Team, client: Client) -> None:
    for value in OFTEN:
        for name in LISTS:
            answer = client.get(
                reverse(name), {"page": value, "q": value, "subject": value, "project": value}
            )
            assert answer.status_code == 200, (name, value[:20])
    release = factories.make_release(team)
    for value in OFTEN:
        sent = {"do": "save", "revision": value, "item": "step:a:rounding", "a-base": value}
        assert client.post(reverse("release-configure", args=[release.pk]), sent).status_code in (409, 422)


def test_there_is_nothing_to_jump_to_in_the_administration(team: factories.Team) -> None:
    admin = browser(team.admin)
    for address in ("/admin/r/1/1/", "/admin/r/x/\0/", "/admin/stewardapp/user/x/change/"):
        assert admin.get(address).status_code in (302, 400, 404)


# Recipes that are pasted


def recipes() -> Iterator[tuple[str, str]]:
    """A recipe, and what is said of it."""
    goal, step = {"goal": "k-anonymity", "params": {"k": 5}}, {"method": "rounding", "params": {}}
    yield json.dumps({"goals": [goal] * 20_000}), "A page holds 60 goals, steps and measures"
    yield (
        json.dumps({"goals": [goal] * 40, "steps": [step] * 21}),
        "A page holds 60 goals, steps and measures",
    )
    yield '{"goals": [' + "1," * 300_000 + "1]}", "values"
    yield '{"goals":' + "[" * 100_000, "is nested too deeply"
    yield '{"goals": [{"goal": "k-anonymity", "params": {"k": ' + "9" * 5000 + "}}]}", "more than 100 digits"
    yield '{"goals": [{"goal": "k-anonymity", "params": {"k": 1e999}}]}', "a number that is too large"
    yield '{"goals": [{"goal": "k-anonymity", "params": {"k": NaN}}]}', "NaN, which is not a number"
    yield '{"goals": [{"goal": "\\ud800"}]}', SENTENCE
    yield '{"goals": [{"goal": "a\\u0000"}]}', SENTENCE
    yield '{"goals": [], "goals": []}', "says a name twice"
    for shape in (
        "{}",
        "1",
        '"x"',
        "[[]]",
        "[1]",
        "[null]",
        '[{"goal": []}]',
        '[{"goal": "x", "params": []}]',
    ):
        yield f'{{"goals": {shape}}}', "lists of objects"
    for whole in ("[]", "1", "null", '"x"'):
        yield whole, "A recipe is a JSON object"
    yield "x" * (2 * 1024**2 + 1), "at most"


def test_a_recipe_that_is_none_is_refused_before_a_page_is_made_of_it(
    team: factories.Team, client: Client
) -> None:
    release = factories.make_release(team)
    url = reverse("release-import", args=[release.pk])
    for text, said in recipes():
        began = time.process_time()
        answer = client.post(url, {"recipe": text})
        page = answer.content.decode()
        assert (answer.status_code, said in page) == (422, True), (text[:60], said)
        assert len(page) < 100_000 + 2 * len(text)
        assert time.process_time() - began < 3
    assert Release.objects.get(pk=release.pk).recipe == release.recipe
