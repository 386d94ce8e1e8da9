"""Session rules, caching rules, and the translation of refusals into pages."""

import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from stewardapp.access.verdict import Refused
from stewardapp.actions import inbox
from stewardapp.models import User

Answer = Callable[[HttpRequest], HttpResponse]
SEEN = "seen"
RECORD_EVERY = 60


class IdleSessionMiddleware:
    """Sign a person out after the idle time. A page that polls by itself does not count as a person."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            self._check(request)
        return self.get_response(request)

    def _check(self, request: HttpRequest) -> None:
        now = int(time.time())
        seen = request.session.get(SEEN, now)
        if now - seen > settings.STEWARD_IDLE_SECONDS:
            logout(request)
        elif not _is_poll(request) and (now - seen >= RECORD_EVERY or SEEN not in request.session):
            request.session[SEEN] = now


class NoStoreMiddleware:
    """Keep signed-in pages out of every cache."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.user.is_authenticated:
            response.headers["Cache-Control"] = "no-store, private"
        return response


class NewsMiddleware:
    """Messages that lead to a page are read once whoever they are for has seen the page."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        page = request.method == "GET" and response.headers.get("Content-Type", "").startswith("text/html")
        if page and response.status_code == 200 and isinstance(request.user, User) and not _is_poll(request):
            inbox.seen(url=request.path, by=request.user)
        return response


class RefusalMiddleware:
    """Turn an action's refusal into the page of its status (400, 403, 409), with the reason in words."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Answer for refusals; leave everything else to Django."""
        if not isinstance(error, Refused):
            return None
        return render(request, f"{error.status}.html", {"reason": error.reason}, status=error.status)


def _is_poll(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true" and request.path.endswith("/progress/")
