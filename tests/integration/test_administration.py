"""The administration tells nothing it does not show, and is no second way to sign in or change a password."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from stewardapp.admin import ThroughActions, UserAdmin, site
from stewardapp.models import Project, User
from tests import factories
from tests.integration.test_foreign_ids import NOISE
from tests.integration.url_scene import BACKEND

pytestmark = pytest.mark.django_db
LOOKUPS = (
    "",
    "exact",
    "iexact",
    "regex",
    "iregex",
    "startswith",
    "contains",
    "gt",
    "lte",
    "in",
    "range",
    "isnull",
)
ODD = """q=%00 o=999 o=-0.x o=1.1.1 p=x p=-1 p=99999999999999999999 all= e=1 _popup=1 _facets=True
    is_active__exact=maybe is_active__exact=%00 is_active__isnull=1""".split()
GONE = """login/ logout/ password_change/ password_change/done/ autocomplete/ r/1/1/ r/x/y/ auth/group/
    r/99999999999999999999/1/ mfa/authenticator/ account/emailaddress/ axes/accessattempt/""".split()
HARMLESS = {"index", "app_index", "i18n_javascript"}
SECRET = {"password", "session_epoch"}


@pytest.fixture
def client() -> Client:
    team = factories.make_project()
    client = Client(raise_request_exception=False)
    client.force_login(team.admin, backend=BACKEND)
    return client


# What can be asked of a list


def paths(model: type[models.Model], depth: int = 2) -> Iterator[tuple[str, Any]]:
    """Every field of a model and of what it is related to, by the name a lookup would give it."""
    for field in model._meta.get_fields(include_hidden=False):
        name = getattr(field, "related_query_name", None) if field.auto_created else None
        yield (name() if callable(name) else field.name), field
        if field.related_model and depth > 1:
            label = name() if callable(name) else field.name
            for inner, last in paths(field.related_model, depth - 1):
                yield f"{label}__{inner}", last


def asked(model: type[models.Model]) -> Iterator[str]:
    """Every lookup on every field, apart from those the list offers."""
    for (path, _), lookup in itertools.product(paths(model), LOOKUPS):
        yield f"{path}__{lookup}" if lookup else path


def list_of(model: type[models.Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


@pytest.mark.parametrize("model", list(site._registry), ids=lambda model: str(model._meta.model_name))
def test_a_list_answers_no_question_that_it_does_not_offer(client: Client, model: type[models.Model]) -> None:
    offered = site._registry[model].lookups  # type: ignore[attr-defined]
    questions = [one for one in dict.fromkeys(asked(model)) if one not in offered]
    assert len(questions) > 300
    assert {one for one in questions if site._registry[model].lookup_allowed(one, "x", None)} == set()
    some = [one for one in questions if "password" in one or one.startswith(("id", "user__", "role"))]
    answers = {one: client.get(list_of(model), {one: "1"}).status_code for one in some[:150]}
    assert {one: status for one, status in answers.items() if status != 400} == {}


@pytest.mark.parametrize(
    "question",
    ["password__regex", "password__startswith", "password", "audit_events__details__contains", "id__gt"],
)
def test_a_right_guess_looks_like_a_wrong_one(client: Client, question: str) -> None:
    person = factories.make_user()
    values = {"password": person.password, "id__gt": "00000000-0000-4000-8000-000000000000"}
    right = client.get(list_of(User), {question: values.get(question, person.password[:4])})
    wrong = client.get(list_of(User), {question: "~"})
    assert right.status_code == wrong.status_code == 400
    assert NOISE.sub("", right.content.decode()) == NOISE.sub("", wrong.content.decode())


@pytest.mark.parametrize("model", list(site._registry), ids=lambda model: str(model._meta.model_name))
def test_lists_offer_only_what_they_show(model: type[models.Model]) -> None:
    page: Any = site._registry[model]
    shown = {*page.list_display, *(page.fields or ())}
    searched = {name.split("__")[0].lstrip("^=@") for name in page.search_fields}
    filtered = {name.split("__")[0] for name in (*page.list_filter, *page.lookups)}
    assert searched <= shown
    assert filtered <= shown
    assert not (searched | filtered | shown) & SECRET
    assert page.ordering in ((), None)


def test_what_a_list_offers_it_answers(client: Client) -> None:
    for model, page in site._registry.items():
        for lookup in page.lookups:  # type: ignore[attr-defined]
            value = str(Project.objects.get().pk) if lookup == "project__id__exact" else "1"
            answer = client.get(list_of(model), {lookup: value})
            assert (lookup, answer.status_code) == (lookup, 200)


def test_rows_are_named_by_their_id_only(client: Client) -> None:
    person = factories.make_user()
    for field in ("password", "username", "email", "memberships"):
        answers = [
            client.get(reverse("admin:stewardapp_user_change", args=[value]), {"_to_field": field})
            for value in (person.password, person.username, "~")
        ]
        assert [answer.status_code for answer in answers] == [400] * 3


@pytest.mark.parametrize(
    "query",
    ODD,
)
def test_odd_questions_are_answered_or_refused(client: Client, query: str) -> None:
    answer = client.get(f"{list_of(User)}?{query}")
    assert answer.status_code in (200, 302, 400)


# One site


def test_everything_administered_refuses_lookups_and_saves_through_actions() -> None:
    assert all(isinstance(page, ThroughActions) for page in site._registry.values())
    assert site._registry
    assert admin.site._registry == {}, "libraries register there; nobody is led to it"
    with pytest.raises(ImproperlyConfigured):
        site.register(models.Model, ModelAdmin)
    with pytest.raises(ImproperlyConfigured):
        site.register(models.Model)


def test_no_admin_class_allows_lookups_by_itself() -> None:
    for page in site._registry.values():
        assert type(page).lookup_allowed is ThroughActions.lookup_allowed
        assert type(page).to_field_allowed is ThroughActions.to_field_allowed
    assert issubclass(UserAdmin, ThroughActions)


# One door


def patterns(found: list[Any], prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address there is, the administration's too."""
    for one in found:
        if isinstance(one, URLPattern):
            yield prefix + str(one.pattern), one
        else:
            yield from patterns(one.url_patterns, prefix + str(one.pattern))


def view_behind(pattern: URLPattern) -> Any:
    view: Any = inspect.unwrap(pattern.callback)
    return getattr(view, "view_class", getattr(view, "__func__", view))


def brought_along(view: Any) -> bool:
    """A view of Django's for signing in and out and for passwords, of its own or of its administration."""
    of_the_site = view.__qualname__.startswith("AdminSite.") and view.__name__ not in HARMLESS
    return view.__module__.startswith("django.contrib.auth") or of_the_site


def test_nobody_signs_in_or_changes_a_password_past_our_pages() -> None:
    found = dict(patterns(get_resolver().url_patterns))
    assert len(found) > 100
    assert [address for address, one in found.items() if brought_along(view_behind(one))] == []
    names = {one.name for address, one in found.items() if address.startswith("admin/")}
    assert not names & {
        "login",
        "logout",
        "password_change",
        "password_change_done",
        "autocomplete",
        "view_on_site",
    }


def test_the_walk_sees_djangos_own() -> None:
    views = [view_behind(one) for _, one in patterns(admin.AdminSite("other").urls[0])]
    assert {view.__name__ for view in views if brought_along(view)} >= {"login", "logout", "password_change"}


@pytest.mark.parametrize(
    "address",
    GONE,
)
def test_djangos_own_addresses_are_gone(client: Client, address: str) -> None:
    for browser in (client, Client(raise_request_exception=False)):
        for method in ("get", "post"):
            assert getattr(browser, method)(f"/admin/{address}").status_code == 404


def test_odd_ids_are_ids_of_nothing(client: Client) -> None:
    for id in ("1", "x", "%00", "9" * 5000, "00000000-0000-4000-8000-000000000000", "_5F", "../../"):
        for page in ("change/", "history/", "delete/", ""):
            answer = client.get(f"/admin/stewardapp/user/{id}/{page}", follow=True)
            assert answer.status_code in (200, 400, 403, 404), (id, page)


def test_strangers_are_sent_to_the_one_sign_in(client: Client) -> None:
    for address in ("", "stewardapp/", "stewardapp/user/", "jsi18n/"):
        answer = Client().get(f"/admin/{address}")
        assert (answer.status_code, answer["Location"]) == (
            302,
            f"{reverse('account_login')}?next=/admin/{address}",
        )


def test_the_administrations_pages_lead_to_our_account_pages(client: Client) -> None:
    page = client.get("/admin/").content.decode()
    for name in ("account_change_password", "account_logout", "mfa_index"):
        assert reverse(name) in page
