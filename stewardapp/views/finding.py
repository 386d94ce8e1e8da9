"""Find a thing this person may know of; anything else is not found, whether it exists or not."""

from __future__ import annotations

import uuid

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from stewardapp.models import Release, Run


def release_or_404(request: HttpRequest, id: uuid.UUID) -> Release:
    """A release in one of the person's projects."""
    seen = Release.objects.visible_to(request.user)
    return get_object_or_404(seen.select_related("project", "version__dataset", "author", "policy"), pk=id)


def run_or_404(request: HttpRequest, id: uuid.UUID) -> Run:
    """A run in one of the person's projects."""
    seen = Run.objects.visible_to(request.user)
    return get_object_or_404(seen.select_related("release__project", "release__version__dataset"), pk=id)
