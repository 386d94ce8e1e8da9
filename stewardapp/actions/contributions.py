"""Who shaped which release; written inside other actions."""

from __future__ import annotations

from stewardapp.domain.recipe import populations_named
from stewardapp.domain.shaping import shapers_of
from stewardapp.models import Contribution, ContributionKind, Release, User, Version
from worker.engine.recipes.document import RecipeJson


def contribute(release: Release, by: User, kind: ContributionKind) -> None:
    """Remember that this person shaped this release; they may not review it."""
    Contribution.objects.get_or_create(release=release, user=by, kind=kind)


def contribute_inputs(release: Release) -> None:
    """Remember who shaped everything that a run queued just now is made of, whatever they did later.

    Asked after the run was put together: whoever changed something in between is one too many, not one too
    few.
    """
    Contribution.objects.bulk_create(
        [
            Contribution(release=release, user_id=id, kind=ContributionKind.SHAPED_INPUT)
            for id in shapers_of(release)
        ],
        ignore_conflicts=True,
    )


def shape(version: Version, *by: User) -> None:
    """Remember who said what the columns of a version are; whatever is made from it asks the version."""
    version.taggers.add(*by)


def hold_inputs(release: Release, draft: RecipeJson) -> None:
    """Until this transaction ends, no other reading of what the draft works on takes the place of these."""
    of_draft = {release.version_id, *populations_named(release.version, draft).values_list("pk", flat=True)}
    list(Version.objects.select_for_update(no_key=True).filter(pk__in=of_draft).order_by("pk"))
