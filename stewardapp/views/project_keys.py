"""The key of a project's pseudonyms: what it is, what it was used for, and replacing it."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path
from django.views.decorators.http import require_http_methods

from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import project_keys
from stewardapp.models import Project
from stewardapp.models.project_key import key_facts
from stewardapp.reads.projects import keys_of
from stewardapp.views.people import signed_in
from stewardapp.views.reauthentication import confirm_identity


@require_http_methods(["GET", "HEAD", "POST"])
def key(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """Say what the key is; replace it after a second look and the password."""
    user = signed_in(request)
    project = get_object_or_404(Project.objects.visible_to(user), pk=id)
    may_replace = rules.may_replace_project_key(project.person(user), key_facts(project.pk))
    if request.method == "POST":
        require(may_replace)
        confirm_identity(request)
        fresh = project_keys.replace(project=project, by=user)
        messages.success(request, f"Key {fresh.number} is in force. The former key is destroyed.")
        return redirect("project-key", project.pk)
    page = {"project": project, "keys": keys_of(project), "may_replace": may_replace}
    return render(request, "projects/key.html", page)


urlpatterns: list[URLPattern] = [path("projects/<uuid:id>/key/", key, name="project-key")]
