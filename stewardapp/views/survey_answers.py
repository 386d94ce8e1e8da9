"""The public side of a survey: the page whose script randomizes, and the door that takes only the result.

No session, no cookie, no account: nothing that could tell who answered. The door is exempt from the CSRF
token because there is no authority that a foreign page could borrow; it takes JSON from its own page only.
"""

from __future__ import annotations

import hmac
import json
import uuid

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from stewardapp import keyring
from stewardapp.access import rules
from stewardapp.access.verdict import Refused
from stewardapp.actions import survey_answers
from stewardapp.forms.survey_payload import acceptable, parsed, refusal
from stewardapp.logs import RESPONDENTS
from stewardapp.models import Survey
from stewardapp.presenters import survey_pages

TOO_MANY = "Too many answers came from your network within this hour. Please try again later."
HOUR = 3600


@login_not_required
@never_cache
@require_safe
def answer_page(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """The questions, what is done to the answers, and the script that does it."""
    survey = published_or_404(public_id)
    page = {
        "survey": survey,
        "may_answer": rules.may_answer(survey.facts(), timezone.localdate()),
        "protocol_text": json.dumps(survey_pages.public_protocol(survey)),
        "questions": survey_pages.public_questions(survey),
        "total": survey_pages.total(survey),
    }
    return render(request, "surveys/answer.html", page)


@csrf_exempt
@login_not_required
@never_cache
@require_POST
def receive(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """Take a randomized answer; anything else is refused unread, or forgotten as soon as it was read."""
    survey = published_or_404(public_id)
    try:
        if not from_own_page(request) or not acceptable(
            request.headers.get("Content-Type", ""), request.headers.get("Content-Length", "")
        ):
            raise refusal()
        if not survey.invited and crowded(request, survey):
            return JsonResponse({"reason": TOO_MANY}, status=429)
        payload = parsed(request.body)
        token = request.headers.get("Invitation", "")
        survey_answers.receive(survey=survey, token=token, **payload._asdict())
    except Refused as refused:
        return JsonResponse({"reason": refused.reason}, status=refused.status)
    return JsonResponse({"stored": True}, status=201)


def published_or_404(public_id: uuid.UUID) -> Survey:
    """A survey whose link was given out."""
    survey = Survey.objects.published().filter(public_id=public_id).first()
    if survey is None:
        raise Http404
    return survey


def from_own_page(request: HttpRequest) -> bool:
    """Whether the browser says that our own page sent this; what says nothing is no browser."""
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    own = f"{request.scheme}://{request.get_host()}"
    return site == "same-origin" and origin in (None, own)


def crowded(request: HttpRequest, survey: Survey) -> bool:
    """Whether one network has sent too many answers this hour. The address itself is not kept: only its keyed
    hash, in memory, until the hour is over.
    """
    said = f"{survey.pk} {request.META['REMOTE_ADDR']} {timezone.now():%Y-%m-%d %H}".encode()
    key = hmac.digest(keyring.seal_of("survey throttle"), said, "sha256").hex()
    cache.add(f"survey-{key}", 0, HOUR)
    return cache.incr(f"survey-{key}") > settings.STEWARD_SURVEY_PER_HOUR


urlpatterns: list[URLPattern] = [
    path(f"{RESPONDENTS}<uuid:public_id>/", answer_page, name="survey-answer"),
    path(f"{RESPONDENTS}<uuid:public_id>/answer/", receive, name="survey-receive"),
]
