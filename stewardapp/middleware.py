"""Session rules, caching rules, and the translation of refusals into pages."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.exceptions import SessionInterrupted
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError
from django.shortcuts import render

from stewardapp.access.rules import may_enter
from stewardapp.access.verdict import NotAllowed, Refused
from stewardapp.actions import inbox
from stewardapp.full_disk import is_disk_full
from stewardapp.models import User
from stewardapp.models.policy import standing_of
from worker.engine.io.sent_text import is_text

Answer = Callable[[HttpRequest], HttpResponse]
SEEN = "seen"
RECORD_EVERY = 60
LISTENING = "/changes/"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
TO_ENROL = frozenset(
    {
        "account_logout",
        "account_reauthenticate",
        "mfa_index",
        "mfa_activate_totp",
        "mfa_reauthenticate",
        "theme",
        "healthz",
        "readyz",
    }
)
NO_TEXT = (
    "Something that was sent holds a character that is none (a NUL or half a surrogate pair). Remove it."
)


class ReadingOnMiddleware(SessionMiddleware):
    """Django's own; on a full disk pages still read, although nobody notes that somebody was seen."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """A write that came of an action has failed before; what a page notes may be lost."""
        try:
            return super().process_response(request, response)
        except (DatabaseError, SessionInterrupted) as error:
            if not is_disk_full(error):
                raise
            if request.method in SAFE:
                return response
            raise DatabaseError from error  # not a session that somebody ended


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
        if is_idle(request.session):
            logout(request)
        elif not _is_poll(request) and now - request.session.get(SEEN, 0) >= RECORD_EVERY:
            request.session[SEEN] = now


def is_idle(session: SessionBase) -> bool:
    """Whether nobody did anything in a session for longer than the idle time."""
    now = int(time.time())
    seen: int = session.get(SEEN, now)
    return now - seen > settings.STEWARD_IDLE_SECONDS


class WellFormedMiddleware:
    """Refuse what no database holds – a NUL, half a surrogate pair – wherever in a request it stands.

    So no view and no form needs to remember. Text is UTF-8, whatever a request calls it: other encodings can
    spell what UTF-8 cannot. Bodies that a view reads by itself are its own: uploads, answers to surveys.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.encoding is not None:
            request.encoding = "utf-8"
        for name in [name for name, value in request.COOKIES.items() if not is_text(name + value)]:
            del request.COOKIES[name]  # a session is looked for before there is a page to refuse on
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        """Refuse on a page; by now it is known who asks, and whether the form is read for the view anyway."""
        has_form = request.method == "POST" and not getattr(view, "csrf_exempt", False)
        if all(map(is_text, _texts(request, has_form))):
            return None
        return render(request, "400.html", {"reason": NO_TEXT}, status=400)


def _texts(request: HttpRequest, has_form: bool) -> Iterator[str]:
    yield request.path_info
    yield from (value for name, value in request.META.items() if name.startswith("HTTP_"))
    for fields in (request.GET, _form(request) if has_form else QueryDict()):
        for name, values in fields.lists():
            yield name
            yield from (value for value in values if isinstance(value, str))


def _form(request: HttpRequest) -> QueryDict:
    """What was sent; nothing when the connection broke, which the check of the form's token answers for."""
    try:
        return request.POST
    except UnreadablePostError:
        return QueryDict()


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
            self._note(request.path, request.user)
        return response

    def _note(self, path: str, user: User) -> None:
        """On a full disk the page is shown and its news stay unread."""
        try:
            inbox.seen(url=path, by=user)
        except DatabaseError as error:
            if not is_disk_full(error):
                raise


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


class SecondFactorMiddleware:
    """Show whoever needs a second factor and has none the way to it, and nothing else.

    Asked at each request, so that it holds for sessions that began before it was demanded.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        """Answer with the reason and the way; leave the pages that lead there alone."""
        if not isinstance(request.user, User):
            return None
        request.user.remember_second_factor()
        verdict = may_enter(standing_of(request.user))
        request.kept_outside = not verdict  # type: ignore[attr-defined]
        if verdict or (request.resolver_match and request.resolver_match.view_name in TO_ENROL):
            return None
        reason = {"reason": verdict.reason}
        return render(request, "account/second_factor_needed.html", reason, status=NotAllowed.status)


def _is_poll(request: HttpRequest) -> bool:
    return request.headers.get("Looks-By-Itself") == "true" or request.path.startswith(LISTENING)
