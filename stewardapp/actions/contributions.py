"""Who shaped which release; written inside other actions."""

from __future__ import annotations

from stewardapp.models import Contribution, ContributionKind, Release, User, Version


def contribute(release: Release, by: User, kind: ContributionKind) -> None:
    """Remember that this person shaped this release; they may not review it."""
    Contribution.objects.get_or_create(release=release, user=by, kind=kind)


def shape(version: Version, by: User) -> None:
    """Remember who said what the columns are, on the version and on every release made from it."""
    version.taggers.add(by)
    for release in version.releases.unfinished():
        contribute(release, by, ContributionKind.TAGGED)
