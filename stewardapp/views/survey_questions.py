"""The questions of a draft: added, changed, removed."""

import uuid

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods, require_POST

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import survey_questions
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.forms.surveys import QuestionForm
from stewardapp.models import Survey, SurveyQuestion
from stewardapp.views.people import signed_in
from stewardapp.views.surveys import survey_or_404


@require_http_methods(["GET", "HEAD", "POST"])
def add(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """A new question."""
    survey = survey_or_404(request, id)
    require(rules.may_edit_survey(survey.person(request.user), survey.facts()))
    form = QuestionForm(request.POST or None)
    if form.is_valid():
        by = signed_in(request)
        if attempt(form, survey_questions.add, survey=survey, by=by, **form.said()) is not None:
            return redirect("survey-detail", survey.pk)
    return shown(request, survey, form, "New question")


@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Another text, other answers, another probability."""
    question = question_or_404(request, id)
    survey = question.survey
    require(rules.may_edit_survey(survey.person(request.user), survey.facts()))
    form = QuestionForm(request.POST) if request.method == "POST" else QuestionForm.of(question)
    if form.is_valid():
        by = signed_in(request)
        if attempt(form, survey_questions.change, question=question, by=by, **form.said()) is not None:
            return redirect("survey-detail", survey.pk)
    return shown(request, survey, form, f"Question {question.position + 1}")


@require_POST
def remove(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Take a question away."""
    question = question_or_404(request, id)
    survey = question.survey
    survey_questions.remove(question=question, by=signed_in(request))
    return redirect("survey-detail", survey.pk)


def shown(request: HttpRequest, survey: Survey, form: QuestionForm, heading: str) -> HttpResponse:
    """The page of one question."""
    page = {"form": form, "survey": survey, "project": survey.project, "heading": heading, "button": "Save"}
    return render(request, "surveys/form.html", page, status=answer_status(form))


def question_or_404(request: HttpRequest, id: uuid.UUID) -> SurveyQuestion:
    """A question of a survey of one of the person's projects."""
    seen = Survey.objects.visible_to(signed_in(request))
    found = SurveyQuestion.objects.filter(survey__in=seen).select_related("survey__project")
    return get_object_or_404(found, pk=id)


urlpatterns: list[URLPattern] = [
    path("surveys/<uuid:id>/questions/new/", add, name="survey-question-add"),
    path("survey-questions/<uuid:id>/", change, name="survey-question-change"),
    path("survey-questions/<uuid:id>/remove/", remove, name="survey-question-remove"),
]
