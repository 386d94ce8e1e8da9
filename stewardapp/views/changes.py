"""One line on which a page hears that something it shows has changed."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import URLPattern, path
from django.views.decorators.http import require_GET

from stewardapp.reads.changes import Topic, may_watch
from stewardapp.views.people import signed_in
from stewardapp.watching.sitting import Sitting
from stewardapp.watching.watcher import WATCHER

MOST_TOPICS = 50
TOO_MANY = "You have many pages open that watch something. This one asks by itself."


@require_GET
def changes(request: HttpRequest, of: str) -> HttpResponse | StreamingHttpResponse:
    """Events without a value: what changed. What it is now the page fetches by its own address."""
    user, topics = signed_in(request), topics_of(of)
    if not may_watch(user, topics):
        raise Http404
    sitting = Sitting(str(user.pk), request.session.session_key or "")
    if not WATCHER.has_room_for(sitting.person):
        return HttpResponse(TOO_MANY, status=429, content_type="text/plain")
    answer = StreamingHttpResponse(WATCHER.events(sitting, topics), content_type="text/event-stream")
    answer.headers["X-Accel-Buffering"] = "no"
    return answer


def topics_of(text: str) -> frozenset[Topic]:
    """What the address names; what is no such thing is not found."""
    named = text.split(",")
    if len(named) > MOST_TOPICS:
        raise Http404
    try:
        return frozenset(map(Topic.of, named))
    except ValueError:
        raise Http404 from None


urlpatterns: list[URLPattern] = [path("changes/<str:of>/", changes, name="changes")]
