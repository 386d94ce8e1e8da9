"""Publications as those in their audience find them, by their public id."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from django.utils import timezone

from stewardapp.access import rules
from stewardapp.access.verdict import Verdict
from stewardapp.access.workflow import State
from stewardapp.models import Release
from stewardapp.models.user import AnyUser


class NotShown(Exception):
    """There is no such publication for this person."""


def published(user: AnyUser, public_id: uuid.UUID) -> Release:
    """A publication this person is in the audience of, also when it is under embargo or revoked."""
    known = Release.objects.filter(public_id=public_id, state__in=[State.PUBLISHED, State.REVOKED])
    release = known.select_related("project", "candidate", "version__dataset").first()
    if release is None or not (in_audience(release, user) or in_team(release, user)):
        raise NotShown
    return release


def in_audience(release: Release, user: AnyUser) -> Verdict:
    """Whether this person is among those it was published for."""
    open_ = replace(release.facts(), state=State.PUBLISHED, embargo_until=None)
    return rules.may_download(release.person(user), open_, now=timezone.now())


def in_team(release: Release, user: AnyUser) -> bool:
    """Whether this person sees the working pages of the release."""
    return Release.objects.visible_to(user).filter(pk=release.pk).exists()


def may_download(release: Release, user: AnyUser) -> Verdict:
    """Whether this person may have the published bytes now."""
    return rules.may_download(release.person(user), release.facts(), now=timezone.now())


def offers(release: Release, user: AnyUser) -> dict[str, Any]:
    """The files, whether this person may have them, and other releases of the same dataset."""
    siblings = Release.objects.in_catalogue_for(user).filter(version__dataset=release.version.dataset_id)
    files = release.candidate.artifacts.public() if release.candidate else []
    return {
        "files": files,
        "may_download": may_download(release, user),
        "history": siblings.exclude(pk=release.pk).order_by("-published_at")[:20],
        "in_team": in_team(release, user),
        "votes_needed": release.policy.reviewers if release.policy else 1,
    }
