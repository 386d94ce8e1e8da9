"""Queueing and cancelling runs, and recording what a worker made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Max

from stewardapp import storage
from stewardapp.access.rules import may_cancel, may_start_run
from stewardapp.access.verdict import Conflict, require
from stewardapp.actions import audit, project_keys
from stewardapp.actions.action import action, locked
from stewardapp.actions.contributions import contribute, contribute_inputs
from stewardapp.actions.drafts import checked, hold, populations_of
from stewardapp.models import Artifact, Blob, ContributionKind, Project, ProjectKey, Release, Run, User
from stewardapp.models.canonical import sha256_of
from stewardapp.models.drafting import dictionary_of, needs_project_key
from stewardapp.models.manifest import manifest_of
from stewardapp.notifications import notify


@action
def start(*, release: Release, by: User) -> Run:
    """Queue a run of the recipe as it stands; a worker is told after the commit, not here."""
    release = locked(release)
    require(may_start_run(release.person(by), release.facts()))
    hold(release, release.recipe)
    recipe, recipe_sha256 = checked(release.draft())
    compared = populations_of(release, recipe)
    run = Run(
        release=release,
        reading=release.version.read_now(),
        number=(release.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
        recipe_sha256=recipe_sha256,
        dictionary=dictionary_of(release.version),
        started_by=by,
        key=storage.create_key(),
        project_key=_project_key(release.project, by) if needs_project_key(recipe) else None,
    ).saying(recipe=recipe)
    run.save()
    run.compared.set(compared)
    contribute(release, by, ContributionKind.STARTED_RUN)
    contribute_inputs(release)
    details = {"release": str(release.pk), "number": run.number, "recipe_sha256": run.recipe_sha256}
    audit.record("run.started", run, by=by, project=release.project, details=details)
    return run


def _project_key(project: Project, by: User) -> ProjectKey:
    """The key of the project, made now if this is its first use; the lock keeps others from replacing it."""
    project = locked(project)
    return ProjectKey.objects.of(project.pk) or project_keys.create(project=project, by=by)


@action
def cancel(*, run: Run, by: User) -> Run:
    """Stop a run: at once while it waits, at its next checkpoint while it works."""
    run = locked(run)
    require(may_cancel(run.project.person(by), run.facts()))
    if not Run.objects.request_cancel(run.pk, by):
        raise Conflict("ended", "This run has ended, or somebody else is cancelling it.")
    run.refresh_from_db()
    audit.record("run.cancel-requested", run, by=by, project=run.project)
    return run


@dataclass(frozen=True, slots=True)
class Made:
    """A file a worker made and stored."""

    name: str
    media_type: str
    blob: Blob
    public: bool = False
    rows: int | None = None


@action
def record(
    *,
    run: Run,
    fence: int,
    files: Sequence[Made],
    report: Mapping[str, Any],
    goals: Sequence[Mapping[str, Any]],
    engine_version: str,
    microdata: bool = True,
    answered_by: Run | None = None,
    by: User | None = None,
) -> Run:
    """Store files, report and manifest and end the job, in one transaction; refused when the claim was lost.

    `goals` are those recomputed from the released bytes, in the shape of the report; `answered_by` is the
    run whose stored answer this one repeats.
    """
    artifacts = [_artifact(run, made) for made in files]
    manifest = manifest_of(
        run,
        artifacts=artifacts,
        goals=goals,
        report=report,
        engine_version=engine_version,
        microdata=microdata,
    )
    outcome = {
        **run.outcome(report, manifest),
        "manifest_sha256": sha256_of(manifest),
        "engine_version": engine_version,
        "answered_by": answered_by,
    }
    if not Run.objects.succeed(run.pk, fence, **outcome):
        raise Conflict("claim-lost", "Another worker has this run now, or it was cancelled.")
    Artifact.objects.bulk_create(artifacts)
    run.refresh_from_db()
    details = {"manifest_sha256": run.manifest_sha256}
    audit.record("run.succeeded", run, by=by, project=run.project, details=details)
    notify([run.started_by], f"Run {run.number} of {run.release.title} is done.", f"/runs/{run.pk}/")
    return run


def _artifact(run: Run, made: Made) -> Artifact:
    return Artifact(
        run=run,
        name=made.name,
        media_type=made.media_type,
        public=made.public,
        blob=made.blob,
        sha256=made.blob.sha256,
        size=made.blob.size,
        rows=made.rows,
    )
