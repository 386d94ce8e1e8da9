"""Measures of a run that ended: ask for them, watch, read the results."""

from __future__ import annotations

import uuid
from contextlib import AbstractContextManager, nullcontext
from typing import Any, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from stewardapp.access import rules
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import assessments
from stewardapp.actions.brought import Arrived, arriving
from stewardapp.domain.brought import FIELD
from stewardapp.forms.recipe_form import RecipeForm
from stewardapp.models import Assessment
from stewardapp.presenters import assessments as shown
from stewardapp.presenters import charts, configuring, measures
from stewardapp.presenters.limits import limits
from stewardapp.reads.releases import Seen
from stewardapp.reads.runs import SeenRun
from stewardapp.uploadhandler import SealedFile, receiving, takes_files
from stewardapp.views.finding import run_or_404
from stewardapp.views.people import signed_in
from stewardapp.views.posted_files import largest, unread

STOP_POLLING = 286
ACTIONS = {"ask": assessments.ask, "demand": assessments.demand}
ASKED = {
    "ask": "A worker measures it.",
    "demand": "A worker measures it. Nobody can approve before it has ended.",
}


@takes_files(largest)
@csrf_exempt
@require_http_methods(["GET", "POST"])
def run_assessments(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """What was measured afterwards, and the form to have more measured. Its token is checked below, because
    reading it reads the whole body, and with it a file."""
    run = run_or_404(request, id)
    seen = SeenRun(run, Seen(run.release, request.user))
    form = RecipeForm(configuring.offered_of_run(run, seen.files_to_compare_with()))
    if request.method == "GET":
        wanted = request.GET.get("add")
        return room(request, seen, form.rearranged(f"add:measure:{wanted}") if wanted else form)
    require(rules.may_assess(seen.seen.person, seen.seen.facts, seen.assessable))
    if refusal := unread(request):
        reason, status = refusal
        return room(request, seen, form, status, brought_error=reason)
    with receiving(request, limits().bytes):
        return received(request, seen, form)


@csrf_protect
def received(request: HttpRequest, seen: SeenRun, form: RecipeForm) -> HttpResponse:
    """What somebody sent, rearranged or asked for."""
    sent = RecipeForm.sent(request.POST, form.columns, {"measures": []})
    form = RecipeForm(form.columns, sent.measures).numbered()
    command = request.POST.get("do", "ask")
    if command not in ACTIONS:
        return room(request, seen, form.rearranged(command))
    return asked(request, seen, form, command)


def asked(request: HttpRequest, seen: SeenRun, form: RecipeForm, command: str) -> HttpResponse:
    """Queue what was chosen, or show what is wrong with it."""
    if not form.is_valid():
        return room(request, seen, form, status=422)
    try:
        with brought_in(request) as file:
            wanted = form.as_recipe()["measures"]
            ACTIONS[command](run=seen.run, measures=wanted, file=file, by=signed_in(request))
    except Invalid as refused:
        if refused.param == FIELD:
            return room(request, seen, form, refused.status, brought_error=refused.reason)
        configuring.mark_refusal(form, refused)
        return room(request, seen, form, status=refused.status)
    messages.success(request, ASKED[command])
    return redirect("run-assessments", seen.run.pk)


def brought_in(request: HttpRequest) -> AbstractContextManager[Arrived | None]:
    """The file that came with the form, if one did."""
    file = request.FILES.get(FIELD)
    return arriving(cast(Any, file.file)) if isinstance(file, SealedFile) else nullcontext()


def room(
    request: HttpRequest, seen: SeenRun, form: RecipeForm, status: int = 200, *, brought_error: str = ""
) -> HttpResponse:
    """The page around the form."""
    run, may = seen.run, shown.verdicts(seen)
    if may.ask:
        configuring.tell_costs_in(form, configuring.outlook_of_run(run))
    return render(
        request,
        "assessments/room.html",
        {
            "run": run,
            "release": run.release,
            "form": form,
            "may": may,
            "uncompared": seen.seen.facts.uncompared,
            "lines": shown.lines(seen.seen, seen.assessments),
            "measure_choices": configuring.measure_choices(form),
            "form_url": reverse("run-assessments", args=[run.pk]),
            "limits": limits(),
            "brought_error": brought_error,
        },
        status=status,
    )


@require_POST
def run_measure_policy(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Have measured what the policy asks and the run does not answer."""
    run = run_or_404(request, id)
    assessments.measure_policy(run=run, by=signed_in(request))
    messages.success(request, "A worker measures what the policy asks.")
    return redirect("run-assessments", run.pk)


@require_GET
def assessment_detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The results of one, with its charts; while it works the fragment asks for itself again."""
    assessment = assessment_or_404(request, id)
    run = assessment.run
    seen = Seen(run.release, request.user)
    [line] = shown.lines(seen, [assessment])
    context = {"run": run, "release": run.release, "line": line, "assessment": assessment}
    if request.headers.get("HX-Request"):
        return render(request, "assessments/_progress.html", context) if assessment.is_alive else ended()
    look = rules.may_view_version(seen.person)
    found = [
        one
        for section in measures.SECTIONS
        for one in shown.readings([assessment], section, internal=bool(look))
    ]
    return render(request, "assessments/detail.html", {**context, "readings": found, "may_see_data": look})


def ended() -> HttpResponse:
    """Nothing is to be watched any more: the page is fetched whole."""
    answer = HttpResponse(status=STOP_POLLING)
    answer["HX-Refresh"] = "true"
    return answer


@require_GET
def assessment_chart(request: HttpRequest, id: uuid.UUID, slug: str) -> HttpResponse:
    """One chart of the results as Plotly's JSON: aggregates only."""
    assessment = assessment_or_404(request, id)
    chart = measures.charts(assessment.report).get(slug)
    if chart is None:
        raise Http404
    if chart.internal:
        require(rules.may_view_version(assessment.project.person(request.user)))
    return HttpResponse(charts.figure_json(chart), content_type="application/json")


@require_POST
def assessment_cancel(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Stop one that waits or works, or give up one that failed."""
    assessment = assessment_or_404(request, id)
    assessments.cancel(assessment=assessment, by=signed_in(request))
    messages.info(request, "Nobody waits for this assessment any more.")
    return redirect("run-assessments", assessment.run_id)


def assessment_or_404(request: HttpRequest, id: uuid.UUID) -> Assessment:
    """One of a run in one of the person's projects."""
    around = (
        "asked_by",
        "brought",
        "run__reading__table",
        "run__release__project",
        "run__release__version__dataset",
    )
    found = Assessment.objects.visible_to(request.user).select_related(*around)
    return get_object_or_404(found.prefetch_related("compared__version__dataset"), pk=id)


urlpatterns = [
    path("runs/<uuid:id>/assessments/", run_assessments, name="run-assessments"),
    path("runs/<uuid:id>/assessments/policy/", run_measure_policy, name="run-measure-policy"),
    path("assessments/<uuid:id>/", assessment_detail, name="assessment-detail"),
    path("assessments/<uuid:id>/cancel/", assessment_cancel, name="assessment-cancel"),
    path("assessments/<uuid:id>/charts/<path:slug>/", assessment_chart, name="assessment-chart"),
]
