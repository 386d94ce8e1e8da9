"""Is the process alive, and can it work? For load balancers and the run command, not for people."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from stewardapp import storage

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
    """The database answers and the storage takes writes."""
    checks = {"database": _database(), "storage": _storage()}
    lines = "".join(f"{name} {'ok' if fine else 'failing'}\n" for name, fine in checks.items())
    return HttpResponse(lines, status=200 if all(checks.values()) else 503, content_type=TEXT)


def _database() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _storage() -> bool:
    try:
        storage.check()
    except OSError:
        return False
    return True


urlpatterns: list[URLPattern] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
]
