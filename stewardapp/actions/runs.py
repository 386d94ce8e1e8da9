"""Queueing and cancelling runs, and recording what a worker made."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Max

from stewardapp import storage
from stewardapp.access.rules import may_cancel, may_start_run
from stewardapp.access.verdict import Conflict, require
from stewardapp.actions import audit, project_keys
from stewardapp.actions.action import action, locked
from stewardapp.actions.contributions import contribute, contribute_inputs, hold_inputs
from stewardapp.canonical import sha256_of
from stewardapp.domain.averaging import known_beside, leaked_beside
from stewardapp.domain.facts import release_facts, run_facts
from stewardapp.domain.manifest import kept_figures, manifest_of, parted
from stewardapp.domain.recipe import dictionary_of, needs_project_key, recipe_of
from stewardapp.domain.runnable import measured_for, populations_of
from stewardapp.models import Artifact, Blob, ContributionKind, Project, ProjectKey, Release, Run, Sweep, User
from stewardapp.notifications import notify
from worker.engine.contracts.goal import GoalFinding
from worker.engine.recipes.document import RecipeJson
from worker.engine.recipes.report import ReportJson


@action
def start(*, release: Release, by: User, draft: RecipeJson | None = None, sweep: Sweep | None = None) -> Run:
    """Queue a run of the recipe as it stands; a worker is told after the commit, not here.

    A sweep says which draft to run in its place: nothing keeps that but the run.
    """
    release = locked(release)
    if draft is not None:
        release.recipe = draft
    require(may_start_run(release.person(by), release_facts(release)))
    hold_inputs(release, release.recipe)
    recipe, recipe_sha256 = measured_for(release.judged_by, recipe_of(release))
    compared = populations_of(release, recipe)
    run = Run(
        release=release,
        reading=release.version.read_now(),
        sweep=sweep,
        number=(release.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
        recipe_sha256=recipe_sha256,
        dictionary=dictionary_of(release.version),
        started_by=by,
        key=storage.create_key(),
        project_key=_project_key(release.project, by) if needs_project_key(recipe) else None,
    ).saying(recipe=recipe)
    run.save()
    run.compared.set(compared)
    run.others.set(known_beside(release))
    run.leaks.set(leaked_beside(release))
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
    require(may_cancel(run.project.person(by), run_facts(run)))
    if not Run.objects.request_cancel(run.pk, by):
        raise Conflict("ended", "This run has ended, or somebody else is cancelling it.")
    run.refresh_from_db()
    audit.record("run.cancel-requested", run, by=by, project=run.project)
    return run


@action
def record(
    *,
    run: Run,
    fence: int,
    files: Sequence[Artifact],
    report: ReportJson,
    goals: Sequence[GoalFinding],
    engine_version: str,
    microdata: bool = True,
    kept: Sequence[Blob] = (),
    answered_by: Run | None = None,
    by: User | None = None,
) -> Run:
    """Store files, report and manifest and end the job, in one transaction; refused when the claim was lost.

    `files` are rows that nobody wrote yet; `goals` are those recomputed from the released bytes, in the shape
    of the report; `kept` are sealed files for measuring it again; `answered_by` is the run whose stored
    answer this one repeats.
    """
    manifest = manifest_of(
        run,
        artifacts=files,
        goals=goals,
        report=report,
        engine_version=engine_version,
        microdata=microdata,
    )
    stated, inside = parted(manifest)
    outcome = {
        "stated": stated,
        **run.sealed(report=dict(report), inside=inside),
        "figures": kept_figures(run.recipe, report),
        "manifest_sha256": sha256_of(manifest),
        "engine_version": engine_version,
        "answered_by": answered_by,
    }
    if not Run.objects.succeed(run.pk, fence, **outcome):
        raise Conflict("claim-lost", "Another worker has this run now, or it was cancelled.")
    Artifact.objects.bulk_create(files)
    run.kept.set(kept)
    run.refresh_from_db()
    details = {"manifest_sha256": run.manifest_sha256}
    audit.record("run.succeeded", run, by=by, project=run.project, details=details)
    notify([run.started_by], f"Run {run.number} of {run.release.title} is done.", f"/runs/{run.pk}/")
    return run
