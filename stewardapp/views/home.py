"""The first page after signing in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST, require_safe

from stewardapp.access import rules
from stewardapp.actions import inbox
from stewardapp.models import Notification, Project, Release
from stewardapp.models.membership import person_anywhere
from stewardapp.presenters.home import attention, in_catalogue, release_line
from stewardapp.presenters.limits import limits
from stewardapp.presenters.projects import project_line
from stewardapp.reads.demo import is_loading
from stewardapp.reads.projects import projects_with_counts
from stewardapp.views.people import signed_in

RECENT = 8
MESSAGES = 5


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What needs attention, recent releases, the way to upload."""
    user = signed_in(request)
    projects = Project.objects.visible_to(user)
    may_upload = rules.may_upload(person_anywhere(user))
    releases = Release.objects.visible_to(user).select_related("project").order_by("-created_at")
    page = {
        "attention": attention(user),
        "releases": [release_line(release) for release in releases[:RECENT]],
        "releases_url": reverse("release-list"),
        "has_projects": projects.exists(),
        "projects": [project_line(row) for row in projects_with_counts(projects[:RECENT], user)],
        "notifications": Notification.objects.visible_to(user).unread()[:MESSAGES],
        "may_upload": may_upload,
        "published": in_catalogue(user),
        "limits": limits(),
        "demo_is_loading": is_loading(),
    }
    return render(request, "home/home.html", page)


@require_POST
def notifications_read(request: HttpRequest) -> HttpResponse:
    """Mark one's own notifications as read."""
    inbox.mark_read(by=signed_in(request))
    return redirect("home")


urlpatterns: list[URLPattern] = [
    path("", home, name="home"),
    path("notifications/read/", notifications_read, name="notifications-read"),
]
