"""Publications as those in their audience find them, by their public id."""

from __future__ import annotations

import uuid
from dataclasses import replace

from django.utils import timezone

from stewardapp.access import rules
from stewardapp.access.verdict import Verdict
from stewardapp.access.workflow import State
from stewardapp.models import Release
from stewardapp.models.user import AnyUser
from stewardapp.reads.releases import Seen


class NotShown(Exception):
    """There is no such publication for this person."""


SHOWN = (State.PUBLISHED, State.REVOKED)


class Publication(Seen):
    """A publication before somebody."""

    @property
    def in_audience(self) -> Verdict:
        """Whether this person is among those it was published for."""
        open_ = replace(self.facts, state=State.PUBLISHED, embargo_until=None)
        return rules.may_download(self.person, open_, now=timezone.now())

    @property
    def in_team(self) -> bool:
        """Whether this person sees the working pages of the release."""
        return bool(rules.may_view_release(self.person))

    @property
    def is_shown(self) -> bool:
        """Whether it is out, and this person among those who find it."""
        return self.release.state in SHOWN and bool(self.in_audience or self.in_team)

    @property
    def may_download(self) -> Verdict:
        """Whether this person may have the published bytes now."""
        return rules.may_download(self.person, self.facts, now=timezone.now())


def published(user: AnyUser, public_id: uuid.UUID) -> Publication:
    """A publication this person is in the audience of, also when it is under embargo or revoked."""
    known = Release.objects.filter(public_id=public_id, state__in=SHOWN)
    release = known.select_related("project", "policy", "candidate", "version__dataset").first()
    if release is None:
        raise NotShown
    seen = Publication(release, user)
    if not seen.is_shown:
        raise NotShown
    return seen


def offers(seen: Publication) -> dict[str, object]:
    """The files, whether this person may have them, and other releases of the same dataset."""
    release = seen.release
    siblings = Release.objects.in_catalogue_for(seen.user).filter(version__dataset=release.version.dataset_id)
    files = release.candidate.artifacts.public() if release.candidate else []
    return {
        "files": files,
        "may_download": seen.may_download,
        "history": siblings.exclude(pk=release.pk).order_by("-published_at")[:20],
        "in_team": seen.in_team,
        "votes_needed": release.policy.reviewers if release.policy else 1,
    }
