"""Query desks: opening, the dictionary and the budget, asking after a try, closing."""

import uuid

from django.contrib import messages
from django.db.models import F
from django.db.models.lookups import IsNull
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import desks, queries
from stewardapp.domain.recipe import declared_of
from stewardapp.forms.desks import DeskForm, QuestionForm
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.models import Desk, Query
from stewardapp.presenters import desks as lines
from stewardapp.presenters.budgets import mixed_desk_warning, mixed_populations
from stewardapp.views.paging import paged, searched
from stewardapp.views.people import signed_in
from stewardapp.views.versions import version_or_404
from worker.engine.tables.kinds import RELEASED

MOST_LINES = 200


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """The desks of one's projects, the open ones first."""
    user = signed_in(request)
    seen = Desk.objects.visible_to(user).select_related(
        "version__dataset__project", "version__dataset__population"
    )
    wanted = searched(request, seen, "version__dataset__name", "version__dataset__project__name")
    found = paged(request, wanted.order_by(IsNull(F("closed_at"), True).desc(), "-created_at"))
    page = {
        "page": found,
        "lines": [(one, lines.purses(one, user)) for one in found],
        "mixed": mixed_populations(found),
    }
    return render(request, "desks/list.html", page)


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """What may be asked, what is left of the budget, what was asked."""
    user, desk = signed_in(request), desk_or_404(request, id)
    person, facts = desk.person(user), desk.facts(user)
    asked = (
        Query.objects.visible_to(user)
        .filter(desk__version=desk.version)
        .select_related("asked_by", "version")
    )
    page = {
        "query_desk": desk,
        "mixed": mixed_desk_warning(desk.version.dataset.population),
        "dictionary": lines.dictionary(desk),
        "purses": lines.purses(desk, user),
        "history": lines.history(asked[:MOST_LINES], user),
        "allotment": desk.allotment,
        "may_ask": rules.may_ask(person, facts),
        "may_close": rules.may_close_desk(person, facts),
        "may_allow": rules.may_allow(person),
        "sees_all": rules.may_see_exact(person),
    }
    return render(request, "desks/detail.html", page)


@require_http_methods(["GET", "HEAD", "POST"])
def open_on(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Open a desk on a version."""
    user, version = signed_in(request), version_or_404(request, id)
    has_desk = version.desks.open().exists()
    require(rules.may_open_desk(version.person(user), version.facts(), has_desk=has_desk))
    names = [column.name for column in version.columns.tagged() if column.role in RELEASED]
    entries = lines.dictionary(Desk(version=version).saying(dictionary=declared_of(version, names)))
    form = DeskForm(request.POST or None, columns=[(one.name, one.declared) for one in entries])
    if form.is_valid():
        desk = attempt(form, desks.open_on, version=version, by=user, **form.cleaned_data)
        if desk is not None:
            return redirect("desk-detail", desk.pk)
    page = {"form": form, "version": version, "names": names}
    page["mixed"] = mixed_desk_warning(version.dataset.population)
    return render(request, "desks/open.html", page, status=answer_status(form))


@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Fill in a question; sent, it is tried and priced. Nothing is spent and nothing is stored here.

    It is sent and not linked to, because addresses are logged and a condition names values.
    """
    user, desk = signed_in(request), desk_or_404(request, id)
    require(rules.may_ask(desk.person(user), desk.facts(user)))
    form = QuestionForm(request.POST if request.method == "POST" else None, desk=desk)
    found = lines.preview(desk, form.asked, user) if form.is_valid() and form.asked else None
    page = {"form": form, "query_desk": desk, "preview": found, "purses": lines.purses(desk, user)}
    page["mixed"] = mixed_desk_warning(desk.version.dataset.population)
    if found:
        page["confirmed"] = QuestionForm(request.POST, desk=desk, auto_id=False)
    return render(request, "desks/ask.html", page, status=answer_status(form))


@require_POST
def confirm(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Put the question: from here on it takes from the budget."""
    user, desk = signed_in(request), desk_or_404(request, id)
    require(rules.may_ask(desk.person(user), desk.facts(user)))
    form = QuestionForm(request.POST, desk=desk)
    if not form.is_valid() or form.asked is None:
        page = {"form": form, "query_desk": desk, "purses": lines.purses(desk, user)}
        page["mixed"] = mixed_desk_warning(desk.version.dataset.population)
        return render(request, "desks/ask.html", page, status=answer_status(form))
    query = queries.ask(desk=desk, question=form.asked.params(), by=user)
    return redirect("question-detail", query.pk)


@require_POST
def close(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Take no more questions."""
    desk = desk_or_404(request, id)
    desks.close(desk=desk, by=signed_in(request))
    messages.success(request, "The query desk is closed. What was answered stays.")
    return redirect("desk-detail", desk.pk)


def desk_or_404(request: HttpRequest, id: uuid.UUID) -> Desk:
    """A desk of one of the person's projects."""
    seen = Desk.objects.visible_to(signed_in(request))
    related = seen.select_related("version__dataset__project", "version__dataset__population", "opened_by")
    return get_object_or_404(related, pk=id)


urlpatterns: list[URLPattern] = [
    path("desks/", listing, name="desk-list"),
    path("desks/<uuid:id>/", detail, name="desk-detail"),
    path("desks/<uuid:id>/ask/", ask, name="desk-ask"),
    path("desks/<uuid:id>/confirm/", confirm, name="desk-confirm"),
    path("desks/<uuid:id>/close/", close, name="desk-close"),
    path("versions/<uuid:id>/desk/", open_on, name="desk-open"),
]
