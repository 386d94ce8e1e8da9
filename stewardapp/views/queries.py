"""One question: waiting for its tick, answered with its interval, or without an answer."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_safe

from stewardapp.access import rules
from stewardapp.access.amounts import epsilon_words
from stewardapp.models import Query
from stewardapp.presenters import desks as lines
from stewardapp.views.people import signed_in

STOP_POLLING = 286


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The answer once its tick has come; why there is none is told to the audit log alone."""
    user, query = signed_in(request), query_or_404(request, id)
    cleared = rules.may_see_exact(query.desk.person(user))
    table = lines.answer_table(query, exact=bool(cleared)) if query.stands == "answered" else None
    page = {
        "query": query,
        "query_desk": query.desk,
        "table": table,
        "price": epsilon_words(query.epsilon_micro),
        "facts": query.answer.get("facts", {}) if table else {},
        "may_ask": rules.may_ask(query.desk.person(user), query.desk.facts(user)),
        "purses": lines.purses(query.desk, user),
    }
    return render(request, "desks/question.html", page)


@require_safe
def progress(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The fragment that is fetched again until the tick; it tells nothing of the work itself."""
    query = query_or_404(request, id)
    if query.stands == "waiting":
        return render(request, "desks/_waiting.html", {"query": query})
    answer = HttpResponse(status=STOP_POLLING)
    answer["HX-Refresh"] = "true"
    return answer


def query_or_404(request: HttpRequest, id: uuid.UUID) -> Query:
    """A question this person asked, or may see."""
    seen = Query.objects.visible_to(signed_in(request))
    return get_object_or_404(
        seen.select_related("desk__version__dataset__project", "desk__version__dataset__population"), pk=id
    )


urlpatterns: list[URLPattern] = [
    path("questions/<uuid:id>/", detail, name="question-detail"),
    path("questions/<uuid:id>/progress/", progress, name="question-progress"),
]
