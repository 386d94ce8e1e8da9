"""Find a thing this person may know of; anything else is not found, whether it exists or not."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TypeVar

from django.db.models import QuerySet, prefetch_related_objects
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from stewardapp.models import Release, Run, Sweep
from stewardapp.models.prepared import prepared
from stewardapp.models.user import AnyUser

Found = TypeVar("Found")


def release_or_404(request: HttpRequest, id: uuid.UUID) -> Release:
    """A release in one of the person's projects."""
    return with_policy(only(_releases(request.user, id)))


@prepared
def _releases(user: AnyUser, id: uuid.UUID) -> QuerySet[Release]:
    seen = Release.objects.visible_to(user).filter(pk=id)
    return seen.select_related(
        "project",
        "version__dataset__project",
        "version__dataset__population",
        "version__current__table",
        "author",
        "submitted_by",
        "policy",
        "candidate",
    )


def only(found: Sequence[Found]) -> Found:
    """What was looked for by its key, if this person may know of it."""
    if not found:
        raise Http404
    return found[0]


def with_policy(release: Release) -> Release:
    """The release, knowing the rows of the policy that it is judged by."""
    rows = "project__policies__rows" if release.policy is None else "policy__rows"
    prefetch_related_objects([release], rows)
    return release


def run_or_404(request: HttpRequest, id: uuid.UUID) -> Run:
    """A run in one of the person's projects."""
    run = only(_runs(request.user, id))
    with_policy(run.release)
    return run


@prepared
def _runs(user: AnyUser, id: uuid.UUID) -> QuerySet[Run]:
    seen = Run.objects.visible_to(user).filter(pk=id)
    return seen.select_related("release__project", "release__version__dataset__project", "release__policy")


def sweep_or_404(request: HttpRequest, id: uuid.UUID) -> Sweep:
    """A sweep in one of the person's projects."""
    seen = Sweep.objects.visible_to(request.user)
    named = ("project", "version__dataset__project", "policy", "candidate")
    sweep = get_object_or_404(seen.select_related(*(f"release__{one}" for one in named)), pk=id)
    with_policy(sweep.release)
    return sweep
