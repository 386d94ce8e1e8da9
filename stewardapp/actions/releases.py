"""A release from draft to its end, apart from the votes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from django.utils import timezone

from stewardapp.access.rules import (
    may_create_release,
    may_edit_release,
    may_publish,
    may_reopen,
    may_revoke,
    may_submit,
    may_withdraw,
)
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.access.workflow import Audience, transition
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.assessments import look_beside
from stewardapp.actions.contributions import contribute
from stewardapp.actions.moves import check_revision, move
from stewardapp.domain.assessed import candidate_sha256
from stewardapp.domain.facts import contributors_of, release_facts, run_facts
from stewardapp.domain.text import limited, required
from stewardapp.models import ContributionKind, Population, Release, Run, User, Version
from stewardapp.notifications import notify

if TYPE_CHECKING:
    from worker.engine.recipes.document import RecipeJson

DRAFT_KEYS = frozenset({"goals", "steps", "measures", "formats"})


@action
def create(
    *,
    version: Version,
    title: str,
    purpose: str = "",
    context: str = "",
    recipe: RecipeJson | None = None,
    by: User,
) -> Release:
    """Begin a release from a version."""
    version = locked(version)
    project = version.project
    require(may_create_release(project.person(by), version.facts()))
    release = Release(
        project=project,
        version=version,
        title=required(title, "title", 200),
        purpose=limited(purpose, "purpose"),
        context=limited(context, "context"),
        author=by,
    ).saying(recipe=_draft(recipe or {}))
    release.save()
    contribute(release, by, ContributionKind.CREATED)
    audit.record("release.created", release, by=by, project=project, details={"version": str(version.pk)})
    return release


@action
def edit_recipe(*, release: Release, recipe: RecipeJson, revision: int | None = None, by: User) -> Release:
    """Change goals, steps, measures and formats; columns are what the version's tags say."""
    release = _editable(release, revision, by)
    contribute(release, by, ContributionKind.EDITED_RECIPE)
    move(release, "edit", **release.sealed(recipe=_draft(recipe)))
    audit.record(transition("edit").event, release, by=by, project=release.project)
    return release


@action
def describe(
    *,
    release: Release,
    title: str | None = None,
    purpose: str | None = None,
    context: str | None = None,
    reason_for_unique: str | None = None,
    audience: str | None = None,
    named: Iterable[User] | None = None,
    revision: int | None = None,
    by: User,
) -> Release:
    """Change what is said about a release and who it is for; what is not given stays."""
    release = _editable(release, revision, by)
    changes = _described(
        title=title,
        audience=audience,
        purpose=purpose,
        context=context,
        reason_for_unique=reason_for_unique,
    )
    if named is not None:
        release.named.set(named)
    contribute(release, by, ContributionKind.DESCRIBED)
    move(release, "edit", **changes)
    audit.record(
        "release.described", release, by=by, project=release.project, details={"changed": sorted(changes)}
    )
    return release


def _editable(release: Release, revision: int | None, by: User) -> Release:
    release = locked(release)
    require(may_edit_release(release.person(by), release_facts(release)))
    check_revision(release, revision)
    return release


def _described(*, title: str | None, audience: str | None, **texts: str | None) -> dict[str, str]:
    changes = {name: limited(text, name) for name, text in texts.items() if text is not None}
    if title is not None:
        changes["title"] = required(title, "title", 200)
    if audience is not None:
        changes["audience"] = _audience(audience)
    return changes


def _audience(audience: str) -> Audience:
    if audience not in list(Audience):
        raise Invalid("unknown-audience", "Choose who the release is for.", "audience")
    return Audience(audience)


def _draft(recipe: RecipeJson) -> RecipeJson:
    """What a draft keeps of a recipe."""
    return cast("RecipeJson", {key: part for key, part in sorted(recipe.items()) if key in DRAFT_KEYS})


@action
def submit(
    *,
    release: Release,
    run: Run,
    description: Mapping[str, Any] | None = None,
    revision: int | None = None,
    by: User,
) -> Release:
    """Put a run forward as the candidate; the policy of this moment is the one it is judged by.

    With a `description` (what `describe` takes) the release is described and submitted, or neither.
    """
    if description is not None:
        release, revision = describe(release=release, revision=revision, by=by, **description), None
    release = locked(release)
    run = release.runs.select_related("started_by").get(pk=run.pk)
    policy = release.project.policy
    require(may_submit(release.person(by), release_facts(release), run_facts(run), policy.facts()))
    check_revision(release, revision)
    contribute(release, by, ContributionKind.SUBMITTED)
    contribute(release, run.started_by, ContributionKind.STARTED_RUN)
    submission, sha256 = release.submission + 1, candidate_sha256(run)
    move(
        release,
        "submit",
        candidate=run,
        candidate_sha256=sha256,
        submission=submission,
        policy=policy,
        submitted_at=timezone.now(),
        submitted_by=by,
        decided_at=None,
    )
    details = {"run": str(run.pk), "manifest_sha256": sha256, "submission": submission}
    details |= look_beside(run=run, policy=policy, by=by)
    audit.record(transition("submit").event, release, by=by, project=release.project, details=details)
    notify(_reviewers(release), f"A release waits for review: {release.title}.", _review_url(release))
    return release


def _reviewers(release: Release) -> list[User]:
    members = release.project.memberships.reviewers().select_related("user")
    contributors = contributors_of(release)
    return [member.user for member in members if member.user_id not in contributors]


@action
def withdraw(*, release: Release, revision: int | None = None, by: User) -> Release:
    """Give a release up."""
    release = locked(release)
    require(may_withdraw(release.person(by), release_facts(release)))
    check_revision(release, revision)
    move(release, "withdraw")
    audit.record(transition("withdraw").event, release, by=by, project=release.project)
    return release


@action
def reopen(*, release: Release, revision: int | None = None, by: User) -> Release:
    """Return an approved release to its reviewers, because too few of its votes still count, or because more
    is out by now; with that it is compared at once."""
    release = locked(release)
    require(may_reopen(release.person(by), release_facts(release)))
    check_revision(release, revision)
    move(release, "reopen", decided_at=None)
    assert release.candidate is not None  # a constraint: in review there is a candidate
    details = look_beside(run=release.candidate, policy=release.judged_by, by=by)
    audit.record(transition("reopen").event, release, by=by, project=release.project, details=details)
    notify(_reviewers(release), f"A release waits for another vote: {release.title}.", _review_url(release))
    return release


@action
def publish(
    *,
    release: Release,
    manifest_sha256: str,
    embargo_until: datetime | None = None,
    revision: int | None = None,
    by: User,
) -> Release:
    """Hand exactly the approved bytes to their audience, at once or after an embargo."""
    release = locked(release)
    release.reviews.hold_owners(release)
    _hold_people(release)
    require(may_publish(release.person(by), release_facts(release)))
    check_revision(release, revision)
    if manifest_sha256 != release.candidate_sha256:
        raise Conflict("other-candidate", "The approved candidate is not the one you looked at.")
    now = timezone.now()
    move(release, "publish", published_at=now, published_by=by, embargo_until=embargo_until)
    _extend_retention(release, now)
    details = {"manifest_sha256": release.candidate_sha256, "audience": release.audience}
    audit.record(transition("publish").event, release, by=by, project=release.project, details=details)
    people = [release.author, *release.named.all()]
    notify(people, f"Published: {release.title}.", f"/catalogue/{release.public_id}/")
    return release


def _hold_people(release: Release) -> None:
    """One release about the same people is published after the other: the second knows the first."""
    people = Population.objects.sharing_with(release.version.dataset.population_id)
    list(Population.objects.select_for_update(no_key=True).filter(pk__in=people.values("pk")).order_by("pk"))


def _extend_retention(release: Release, now: datetime) -> None:
    """Data are kept until so many days after the last release made from them."""
    until = now + timedelta(days=release.project.policy.retention_days)
    Version.objects.filter(pk=release.version_id, retention_until__lt=until).update(retention_until=until)


@action
def revoke(*, release: Release, notice: str, revision: int | None = None, by: User) -> Release:
    """Stop a publication; everybody who downloaded it gets the notice."""
    release = locked(release)
    require(may_revoke(release.person(by), release_facts(release)))
    check_revision(release, revision)
    notice = required(notice, "notice")
    move(release, "revoke", revoked_at=timezone.now(), revoked_by=by, revocation_notice=notice)
    downloaders = User.objects.filter(downloads__release=release).distinct()
    audit.record(
        transition("revoke").event,
        release,
        by=by,
        project=release.project,
        details={"downloaders": downloaders.count()},
    )
    notify(downloaders, f"Revoked: {release.title}. {notice}", f"/catalogue/{release.public_id}/")
    return release


def _review_url(release: Release) -> str:
    return f"/releases/{release.pk}/review/"
