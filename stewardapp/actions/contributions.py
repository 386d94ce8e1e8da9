"""Who shaped which release; written inside other actions."""

from __future__ import annotations

from stewardapp.models import Contribution, ContributionKind, Release, User


def contribute(release: Release, by: User, kind: ContributionKind) -> None:
    """Remember that this person shaped this release; they may not review it."""
    Contribution.objects.get_or_create(release=release, user=by, kind=kind)
