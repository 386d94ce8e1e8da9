"""Surveys as stewards see them: draft, link, invitations, results, collecting."""

import uuid

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.survey_states import SOURCES, SurveyMove, SurveyState
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import surveys
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.forms.surveys import NewSurveyForm, SurveyForm
from stewardapp.models import Population, Project, Survey
from stewardapp.presenters import survey_pages
from stewardapp.presenters.charts import figure_json, pictured
from stewardapp.views.paging import paged, searched
from stewardapp.views.people import signed_in
from stewardapp.views.populations import with_population
from worker.engine.wording import thousands

MOVE_WORDS = {
    SurveyMove.OPEN: "Open the survey",
    SurveyMove.PAUSE: "Pause",
    SurveyMove.RESUME: "Resume",
    SurveyMove.CLOSE: "Close for ever",
}


@require_safe
def listing(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The surveys of a project."""
    user = signed_in(request)
    project = get_object_or_404(Project.objects.visible_to(user), pk=id)
    person = project.person(user)
    here = Survey.objects.visible_to(user).filter(project=project)
    page = {
        "project": project,
        "page": paged(request, searched(request, here, "title")),
        "may_create": rules.may_create_survey(person),
        "may_view": rules.may_view_survey(person),
    }
    return render(request, "surveys/list.html", page)


@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Begin a survey."""
    user = signed_in(request)
    project = get_object_or_404(Project.objects.visible_to(user), pk=id)
    require(rules.may_create_survey(project.person(user)))
    form = NewSurveyForm(request.POST or None, populations=Population.objects.visible_to(user))
    if form.is_valid():
        values = with_population(form, user)
        if values is not None:
            form.cleaned_data = values
            survey = attempt(form, surveys.create, project=project, by=user, **form.said())
            if survey is not None:
                return redirect("survey-detail", survey.pk)
    page = {"form": form, "project": project, "heading": "New survey", "button": "Continue to the questions"}
    return render(request, "surveys/form.html", page, status=answer_status(form))


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Where it stands, what is asked, its link."""
    survey = survey_or_404(request, id)
    return render(request, "surveys/detail.html", shown(request, survey))


def shown(request: HttpRequest, survey: Survey) -> dict[str, object]:
    """What the page of a survey needs."""
    person, facts = survey.person(request.user), survey.facts()
    moves = [move for move in SurveyMove if facts.state in SOURCES[move]]
    return {
        "survey": survey,
        "project": survey.project,
        "questions": survey_pages.public_questions(survey),
        "total": survey_pages.total(survey),
        "link": request.build_absolute_uri(reverse("survey-answer", args=[survey.public_id])),
        "moves": [(one, MOVE_WORDS[one], rules.may_move_survey(person, facts, one)) for one in moves],
        "is_draft": facts.state is SurveyState.DRAFT,
        "invitations": survey.invitations.count(),
        "used": survey.invitations.filter(used=True).count(),
        "may_edit": rules.may_edit_survey(person, facts),
        "may_invite": rules.may_invite(person, facts),
        "may_collect": rules.may_collect(person, facts),
        "may_view": rules.may_view_survey(person),
        "most": surveys.MOST_INVITATIONS,
    }


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Text and dates of a draft."""
    survey = survey_or_404(request, id)
    require(rules.may_edit_survey(survey.person(request.user), survey.facts()))
    form = SurveyForm(request.POST) if request.method == "POST" else SurveyForm.of(survey)
    if form.is_valid():
        by = signed_in(request)
        if attempt(form, surveys.describe, survey=survey, by=by, **form.said()) is not None:
            return redirect("survey-detail", survey.pk)
    page = {"form": form, "project": survey.project, "survey": survey, "button": "Save"}
    return render(
        request, "surveys/form.html", page | {"heading": "Text and dates"}, status=answer_status(form)
    )


@require_POST
def move(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Open, pause, resume, close."""
    survey = survey_or_404(request, id)
    asked = request.POST.get("move", "")
    if asked not in list(SurveyMove):
        raise Http404
    surveys.move(survey=survey, move=SurveyMove(asked), by=signed_in(request))
    return redirect("survey-detail", survey.pk)


class InviteForm(forms.Form):
    """How many personal links."""

    number = forms.IntegerField(min_value=1, max_value=surveys.MOST_INVITATIONS)


@require_POST
def invite(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Make personal links and hand them out as a file, once: only hashes are kept."""
    survey = survey_or_404(request, id)
    form = InviteForm(request.POST)
    require(rules.may_invite(survey.person(request.user), survey.facts()))
    if not form.is_valid():
        raise Invalid("number", f"Choose a number from 1 to {thousands(surveys.MOST_INVITATIONS)}.", "number")
    tokens = surveys.invite(survey=survey, number=form.cleaned_data["number"], by=signed_in(request))
    link = request.build_absolute_uri(reverse("survey-answer", args=[survey.public_id]))
    answer = HttpResponse("".join(f"{link}#{token}\n" for token in tokens), content_type="text/plain")
    answer["Content-Disposition"] = 'attachment; filename="invitations.txt"'
    return answer


@require_POST
def collect(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """One click: the answers become a version."""
    survey = survey_or_404(request, id)
    try:
        version = surveys.collect(survey=survey, by=signed_in(request))
    except Invalid as refused:
        messages.error(request, refused.reason)
        return redirect("survey-detail", survey.pk)
    messages.success(request, "The answers are a version now; its columns are tagged and marked.")
    return redirect("version-detail", version.pk)


@require_safe
def results(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """What the randomized answers say about the true ones."""
    survey = survey_or_404(request, id)
    require(rules.may_view_survey(survey.person(request.user)))
    found = survey_pages.results(survey) if survey.answered and not survey.erased else []
    drawn = [
        (one, pictured(survey_pages.chart(one)), reverse("survey-chart", args=[survey.pk, one.line.number]))
        for one in found
    ]
    return render(
        request, "surveys/results.html", {"survey": survey, "project": survey.project, "results": drawn}
    )


@require_GET
def chart(request: HttpRequest, id: uuid.UUID, number: int) -> HttpResponse:
    """The estimates of one question."""
    survey = survey_or_404(request, id)
    require(rules.may_view_survey(survey.person(request.user)))
    found = {one.line.number: one for one in survey_pages.results(survey)}
    if number not in found:
        raise Http404
    return HttpResponse(figure_json(survey_pages.chart(found[number])), content_type="application/json")


def survey_or_404(request: HttpRequest, id: uuid.UUID) -> Survey:
    """A survey of one of the person's projects."""
    seen = Survey.objects.visible_to(signed_in(request))
    return get_object_or_404(seen.select_related("project", "population", "dataset"), pk=id)


urlpatterns: list[URLPattern] = [
    path("projects/<uuid:id>/surveys/", listing, name="project-surveys"),
    path("projects/<uuid:id>/surveys/new/", create, name="survey-create"),
    path("surveys/<uuid:id>/", detail, name="survey-detail"),
    path("surveys/<uuid:id>/edit/", edit, name="survey-edit"),
    path("surveys/<uuid:id>/move/", move, name="survey-move"),
    path("surveys/<uuid:id>/invitations/", invite, name="survey-invite"),
    path("surveys/<uuid:id>/collect/", collect, name="survey-collect"),
    path("surveys/<uuid:id>/results/", results, name="survey-results"),
    path("surveys/<uuid:id>/results/<int:number>/", chart, name="survey-chart"),
]
