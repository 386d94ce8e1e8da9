"""What the budget prevents: attacks on answers, replayed on people who do not exist."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_POST, require_safe

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import replays
from stewardapp.forms.method_form import ParameterForm, bound_form, filled_form
from stewardapp.forms.refusals import answer_status, attempt
from stewardapp.models import Replay, User
from stewardapp.models.membership import person_anywhere
from stewardapp.presenters import charts
from stewardapp.presenters import replays as presenter
from stewardapp.views.people import signed_in
from worker.engine.demonstrations.settings import AttackSettings
from worker.engine.dp import promises

PREFIX = "attack"


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    """The newest result, the form for another, and what was replayed before."""
    seen = Replay.objects.visible_to(signed_in(request))
    return _page(request, seen.latest_result(), _form(seen.latest_result()))


@require_safe
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """One replay; the fragment asks for itself again until the work is done."""
    replay = get_object_or_404(Replay.objects.visible_to(signed_in(request)), pk=id)
    if request.headers.get("HX-Request"):
        return render(request, "replays/_replay.html", _shown(replay, signed_in(request)))
    return _page(request, replay, _form(replay))


@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Have a worker replay the attacks with other settings."""
    user = signed_in(request)
    require(rules.may_replay_attacks(person_anywhere(user), Replay.objects.alive().exists()))
    form = bound_form(AttackSettings, (), request.POST, PREFIX)
    if form.is_valid():
        replay = attempt(form, replays.start, settings=form.as_params(), by=user)
        if replay is not None:
            messages.success(request, "A worker replays the attacks.")
            return redirect("replay-detail", replay.pk)
    return _page(request, Replay.objects.visible_to(user).latest_result(), form)


@require_POST
def cancel(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Stop a replay that waits or works."""
    replay = get_object_or_404(Replay.objects.visible_to(signed_in(request)), pk=id)
    replays.cancel(replay=replay, by=signed_in(request))
    messages.info(request, "The replay is being cancelled.")
    return redirect("replay-detail", replay.pk)


@require_safe
def chart(request: HttpRequest, id: uuid.UUID, slug: str) -> HttpResponse:
    """One picture as Plotly's JSON."""
    replay = get_object_or_404(Replay.objects.visible_to(signed_in(request)), pk=id)
    found = presenter.charts_of(replay).get(slug)
    if found is None:
        raise Http404
    return HttpResponse(charts.figure_json(found), content_type="application/json")


def _form(replay: Replay | None) -> ParameterForm:
    settings = replay.settings if replay else AttackSettings().params()
    return filled_form(AttackSettings, (), settings, PREFIX)


def _shown(replay: Replay, user: User) -> dict[str, object]:
    may_cancel = rules.may_cancel_replay(person_anywhere(user), replay.facts())
    return {"shown": presenter.shown(replay), "may_cancel": may_cancel}


def _page(request: HttpRequest, replay: Replay | None, form: ParameterForm) -> HttpResponse:
    user = signed_in(request)
    seen = Replay.objects.visible_to(user)
    page = {
        **(_shown(replay, user) if replay else {}),
        "earlier": seen.select_related("requested_by"),
        "form": form,
        "guessed": promises.GUESSED,
        "may_replay": rules.may_replay_attacks(person_anywhere(user), seen.alive().exists()),
    }
    return render(request, "replays/detail.html", page, status=answer_status(form))


urlpatterns: list[URLPattern] = [
    path("attacks/", listing, name="replay-list"),
    path("attacks/start/", start, name="replay-start"),
    path("attacks/<uuid:id>/", detail, name="replay-detail"),
    path("attacks/<uuid:id>/cancel/", cancel, name="replay-cancel"),
    path("attacks/<uuid:id>/charts/<slug:slug>/", chart, name="replay-chart"),
]
