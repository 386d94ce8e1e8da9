"""Is the process alive, and is the desk well? For load balancers and those who watch, not for people.

A part without which no page works is `failing`, and the answer is 503. Whatever else is wrong is `degraded`,
and the answer stays 200: to take away the pages would help nobody.
"""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from stewardapp.domain.vitals import Health, Sign, signs, worst
from stewardapp.reads.vitals import vitals

TEXT = "text/plain; charset=utf-8"


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """The process answers."""
    return HttpResponse("ok\n", content_type=TEXT)


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """One line for each part of the desk."""
    found = signs(vitals())
    status = 503 if worst(found) == Health.FAILING else 200
    return HttpResponse("".join(map(line, found)), status=status, content_type=TEXT)


def line(sign: Sign) -> str:
    """The part, how it is, and the figure."""
    return " ".join(filter(None, (sign.part, sign.health, sign.figure))) + "\n"


urlpatterns: list[URLPattern] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
]
