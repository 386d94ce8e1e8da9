"""How much a person may send to an address. Asked before more than a form's worth of bytes is taken in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db import close_old_connections
from django.http import parse_cookie
from django.urls import Resolver404, resolve

from stewardapp.entrance.origin import Environ
from stewardapp.sessions import SessionStore, person_of

SMALL = 64 * 1024


@dataclass(frozen=True, slots=True)
class Admission:
    """What an address takes from the person who asks."""

    room: int
    in_words: bool
    """Whether the view itself says why a larger body is refused."""
    who: str = ""
    """Whom a large body counts for; nobody who is not signed in may send one."""


def admission(environ: Environ) -> Admission:
    """Small bodies from everybody; a form from who is signed in; a file where files are taken."""
    close_old_connections()
    limit = _largest(environ["PATH_INFO"])
    if not (who := _signed_in(environ.get("HTTP_COOKIE", ""))):
        return Admission(SMALL, limit is not None)
    form = (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0) + SMALL
    return Admission(max(form, limit() if limit else 0), limit is not None, who)


def _largest(path: str) -> Callable[[], int] | None:
    try:
        view = resolve(path.encode("latin-1").decode("utf-8", "replace")).func
    except Resolver404:
        return None
    limit: Callable[[], int] | None = getattr(view, "largest_body", None)
    return limit


def _signed_in(cookies: str) -> str:
    """The id of the person, if it is one."""
    key = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME)
    user = person_of(SessionStore(key)) if key else None
    return str(user.pk) if user is not None else ""
