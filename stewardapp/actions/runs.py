"""Queueing and cancelling runs; what a worker makes of them is the worker's to write."""

from __future__ import annotations

from django.db.models import Max

from stewardapp import storage
from stewardapp.access.rules import may_cancel, may_start_run
from stewardapp.access.verdict import Conflict, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.contributions import contribute
from stewardapp.actions.drafts import checked
from stewardapp.models import ContributionKind, Release, Run, User


@action
def start(*, release: Release, by: User) -> Run:
    """Queue a run of the recipe as it stands; a worker is told after the commit, not here."""
    release = locked(release)
    require(may_start_run(release.person(by), release.facts()))
    recipe, recipe_sha256 = checked(release.draft())
    run = Run.objects.create(
        release=release,
        number=(release.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
        recipe=recipe,
        recipe_sha256=recipe_sha256,
        started_by=by,
        key=storage.create_key(),
    )
    contribute(release, by, ContributionKind.STARTED_RUN)
    details = {"release": str(release.pk), "number": run.number, "recipe_sha256": run.recipe_sha256}
    audit.record("run.started", run, by=by, project=release.project, details=details)
    return run


@action
def cancel(*, run: Run, by: User) -> Run:
    """Stop a run: at once while it waits, at its next checkpoint while it works."""
    require(may_cancel(run.project.person(by), run.facts()))
    if not Run.objects.request_cancel(run.pk, by):
        raise Conflict("ended", "This run has ended, or somebody else is cancelling it.")
    run.refresh_from_db()
    audit.record("run.cancel-requested", run, by=by, project=run.project)
    return run
