"""Forms that bring a whole file: how large a body may be, and why one is not even read."""

from __future__ import annotations

from django.http import HttpRequest

from stewardapp.presenters.limits import limits
from stewardapp.presenters.numbers import size

NO_LENGTH = "The request does not say how long it is (Content-Length); send the file in another way."
FORM_OVERHEAD = 64 * 1024


def largest() -> int:
    """The largest body of such a form."""
    return limits().bytes + FORM_OVERHEAD


def unread(request: HttpRequest) -> tuple[str, int] | None:
    """Why a posted file is not even looked at."""
    length, limit = length_of(request), limits().bytes
    if length < 0:
        return NO_LENGTH, 411
    if length > largest():
        return f"The file has {size(length)}; at most {size(limit)} can be uploaded.", 413
    return None


def length_of(request: HttpRequest) -> int:
    """How long the body is said to be; -1 where nothing is said."""
    return whole_number(request.headers.get("Content-Length"))


def whole_number(text: str | None) -> int:
    """What a header counts; -1 where it does not."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 18 else -1
