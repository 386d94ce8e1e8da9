"""Find a thing this person may know of; anything else is not found, whether it exists or not."""

from __future__ import annotations

import uuid

from django.db.models import prefetch_related_objects
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from stewardapp.models import Release, Run, Sweep


def release_or_404(request: HttpRequest, id: uuid.UUID) -> Release:
    """A release in one of the person's projects."""
    seen = Release.objects.visible_to(request.user)
    found = seen.select_related(
        "project",
        "version__dataset__project",
        "version__dataset__population",
        "version__current",
        "author",
        "submitted_by",
        "policy",
        "candidate",
    )
    return with_policy(get_object_or_404(found, pk=id))


def with_policy(release: Release) -> Release:
    """The release, knowing the rows of the policy that it is judged by."""
    rows = "project__policies__rows" if release.policy is None else "policy__rows"
    prefetch_related_objects([release], rows)
    return release


def run_or_404(request: HttpRequest, id: uuid.UUID) -> Run:
    """A run in one of the person's projects."""
    seen = Run.objects.visible_to(request.user)
    found = seen.select_related("release__project", "release__version__dataset__project", "release__policy")
    run = get_object_or_404(found, pk=id)
    with_policy(run.release)
    return run


def sweep_or_404(request: HttpRequest, id: uuid.UUID) -> Sweep:
    """A sweep in one of the person's projects."""
    seen = Sweep.objects.visible_to(request.user)
    named = ("project", "version__dataset__project", "policy", "candidate")
    sweep = get_object_or_404(seen.select_related(*(f"release__{one}" for one in named)), pk=id)
    with_policy(sweep.release)
    return sweep
