"""The pages for what cannot be done: why, and what to do next. Never a value, never a trace."""

import sys

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from stewardapp.full_disk import NO_ROOM, is_disk_full
from stewardapp.store_away import AWAY, StoreAway

MALFORMED = "The request was too large, broken on its way, or not written as a browser writes it."
CSRF = (
    "This form was sent from an old or foreign page. Go back, load the page again and send it once more; "
    "nothing was changed."
)


@login_not_required
def malformed(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400 for what never got as far as a view: a broken form, too many fields, a host that is not ours."""
    if isinstance(exception, DisallowedHost):
        return HttpResponse("This request cannot be understood.\n", status=400, content_type="text/plain")
    return render(request, "400.html", {"reason": MALFORMED}, status=400)


@login_not_required
def refused(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """403 for refusals of Django's own; ours carry their reason through the middleware."""
    return render(request, "403.html", status=403)


@login_not_required
def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """404: not there, or not yours; both look the same."""
    return render(request, "404.html", status=404)


@login_not_required
def broken(request: HttpRequest) -> HttpResponse:
    """500: our fault. 507 where the disk is full, whoever met it first; 503 where the store is away."""
    error = sys.exc_info()[1]
    if isinstance(error, StoreAway):
        return render(request, "503.html", {"reason": AWAY}, status=503)
    if is_disk_full(error):
        return render(request, "507.html", {"reason": NO_ROOM}, status=507)
    return render(request, "500.html", status=500)


@login_not_required
def csrf_refused(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001
    """A POST without a valid token."""
    return render(request, "403.html", {"reason": CSRF}, status=403)
