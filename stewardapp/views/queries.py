"""One question: waiting for its tick, answered with its interval, taken back, or without an answer."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.amounts import epsilon_words
from stewardapp.actions import queries
from stewardapp.forms.desks import ON, QuestionForm, filled, fits
from stewardapp.models import Query
from stewardapp.presenters import answers, charts, remedies
from stewardapp.presenters import desks as lines
from stewardapp.presenters.budgets import mixed_desk_warning
from stewardapp.reads.answers import exact_figures
from stewardapp.views.people import signed_in
from worker.engine.dp.questions import Question

STOP_POLLING = 286
ANSWERED = "answered"


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The answer once its tick has come; why there is none is told to the audit log alone."""
    user, query = signed_in(request), query_or_404(request, id)
    person = query.desk.person(user)
    page = {
        "query": query,
        "query_desk": query.desk,
        "mixed": mixed_desk_warning(query.desk.version.dataset.population),
        "price": epsilon_words(query.epsilon_micro),
        "may_ask": rules.may_ask(person, query.desk.facts(user)),
        "may_withdraw": rules.may_withdraw_question(person, query.facts()),
        "purses": lines.purses(query.desk, user),
        "again": _form(query, {}),
    }
    if query.stands == ANSWERED:
        exact = exact_figures(query) if rules.may_see_exact(person) else ()
        comparison = remedies.compared(query, user)
        page |= {
            "table": answers.answer_table(query, exact=exact),
            "chart": answers.answer_chart(query, exact=exact),
            "facts": query.answer.get("facts", {}),
            "comparison": comparison,
            "others": [(ON[way], _form(query, {"on": way})) for way in comparison.missing],
        }
    return render(request, "desks/question.html", page)


def _form(query: Query, changed: dict[str, str]) -> QuestionForm | None:
    """The question filled in again, to be changed and tried; none when the form has no room for it."""
    if not query.question:
        return None  # destroyed with its data
    asked = Question.of(query.question)
    data = {**filled(asked), **changed}
    return QuestionForm(data, desk=query.desk, auto_id=False) if fits(asked) else None


@require_safe
def chart(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The picture of the answer as Plotly's JSON, with the true figures for those cleared for them."""
    user, query = signed_in(request), query_or_404(request, id)
    if query.stands != ANSWERED:
        raise Http404
    exact = exact_figures(query) if rules.may_see_exact(query.desk.person(user)) else ()
    if (drawn := answers.answer_chart(query, exact=exact)) is None:
        raise Http404
    return HttpResponse(charts.figure_json(drawn), content_type="application/json")


@require_safe
def progress(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The fragment that is fetched again until the tick; it tells nothing of the work itself."""
    query = query_or_404(request, id)
    if query.stands == "waiting":
        return render(request, "desks/_waiting.html", {"query": query})
    answer = HttpResponse(status=STOP_POLLING)
    answer["HX-Refresh"] = "true"
    return answer


@require_POST
def withdraw(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Take a question back before it costs anything."""
    query = query_or_404(request, id)
    queries.withdraw(query=query, by=signed_in(request))
    messages.success(request, "The question was taken back. Nothing was taken from the budget.")
    return redirect("question-detail", query.pk)


def query_or_404(request: HttpRequest, id: uuid.UUID) -> Query:
    """A question this person asked, or may see."""
    seen = Query.objects.visible_to(signed_in(request))
    return get_object_or_404(
        seen.select_related("desk__version__dataset__project", "desk__version__dataset__population"), pk=id
    )


urlpatterns: list[URLPattern] = [
    path("questions/<uuid:id>/", detail, name="question-detail"),
    path("questions/<uuid:id>/charts/answer/", chart, name="question-chart"),
    path("questions/<uuid:id>/progress/", progress, name="question-progress"),
    path("questions/<uuid:id>/withdraw/", withdraw, name="question-withdraw"),
]
