"""Having more measured of a run after it ended, and recording what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import IntegrityError, transaction

from stewardapp.access.rules import may_assess, may_demand, may_measure_policy, may_stop_assessment
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.access.workflow import EDITABLE, State
from stewardapp.actions import audit, brought
from stewardapp.actions.action import action, locked
from stewardapp.actions.brought import Arrived
from stewardapp.actions.contributions import hold_inputs
from stewardapp.actions.moves import change
from stewardapp.canonical import sha256_of
from stewardapp.domain.assessed import candidate_sha256, with_assessment
from stewardapp.domain.averaging import known_beside, leaked_beside
from stewardapp.domain.brought import check_used
from stewardapp.domain.compared import uncompared
from stewardapp.domain.demands import entries, looks_beside, unanswered
from stewardapp.domain.facts import assessable_facts, release_facts
from stewardapp.domain.runnable import checked, populations_of
from stewardapp.models import Assessment, Blob, Policy, Release, Run, User, Why
from stewardapp.notifications import notify
from worker.engine.recipes.document import Entry, RecipeJson
from worker.engine.recipes.stored import results_of

Asked = Sequence[Entry | str]
"""Measures as a recipe lists them."""
COUNTING = (*EDITABLE, State.IN_REVIEW)
"""In these states of a release it is still open what is voted on."""


@action
def ask(*, run: Run, measures: Asked, file: Arrived | None = None, by: User) -> Assessment:
    """Have more measured of a run, for whoever wants to know; no verdict hangs on it."""
    run = _held(run, measures)
    require(may_assess(run.project.person(by), release_facts(run.release), assessable_facts(run)))
    assessment = _queued(run, measures, Why.HAND, by, file)
    audit.record("assessment.asked", assessment, by=by, project=run.project, details=_told(assessment))
    return assessment


@action
def demand(*, run: Run, measures: Asked, file: Arrived | None = None, by: User) -> Assessment:
    """Have something measured before anybody approves; its report becomes part of what is voted on."""
    run = _held(run, measures)
    facts, person = release_facts(run.release), run.project.person(by)
    require(may_demand(person, facts, assessable_facts(run), is_candidate=_is_candidate(run)))
    assessment = _queued(run, measures, Why.REVIEWER, by, file)
    change(run.release)  # who votes at this moment did not see that something was demanded
    audit.record("assessment.demanded", assessment, by=by, project=run.project, details=_told(assessment))
    release = run.release
    people = {one.pk: one for one in (release.author, release.submitted_by) if one is not None}
    notify(people.values(), f"A reviewer wants to know more of {release.title}.", _page(run))
    return assessment


@action
def measure_policy(*, run: Run, by: User) -> Assessment:
    """Have measured what the policy asks of a run and the run does not answer, and what it tells together
    with releases that went out since."""
    run = _held(run, ())
    release, facts, seen = run.release, assessable_facts(run), release_facts(run.release)
    lacking = unanswered(facts, release.judged_by)
    if seen.uncompared:
        beside = entries(uncompared(run, release.judged_by, known_beside(release)))
        lacking += [one for one in beside if one not in lacking]
    require(
        may_measure_policy(
            run.project.person(by),
            seen,
            facts,
            is_candidate=_is_candidate(run),
            lacking=bool(lacking),
        )
    )
    assessment = _queued(run, lacking, Why.POLICY, by)
    change(release)
    audit.record("assessment.demanded", assessment, by=by, project=run.project, details=_told(assessment))
    return assessment


def look_beside(*, run: Run, policy: Policy, by: User) -> dict[str, object]:
    """Demand of a candidate what it tells together with other releases that are out about the same people,
    and say what was demanded, for the log.

    One that was compared with all of them has answered. A table with noise is measured by nobody.
    """
    measures = entries(uncompared(run, policy, known_beside(run.release)))
    if not measures or run.assessments.open_demands().filter(measures_sha256=sha256_of(measures)).exists():
        return {}
    assessment = _queued(run, measures, Why.POLICY, by)
    return {"assessment": str(assessment.pk), "measures_sha256": assessment.measures_sha256}


@action
def cancel(*, assessment: Assessment, by: User) -> Assessment:
    """Stop one that waits or works, or give up one that was demanded and failed: nobody waits for it then."""
    release = locked(assessment.run.release)
    assessment = locked(assessment)
    run = assessment.run
    require(may_stop_assessment(run.project.person(by), release_facts(release), assessment.facts()))
    moves = Assessment.objects.all()
    if not (moves.request_cancel(assessment.pk, by) or moves.give_up(assessment.pk, by)):
        raise Conflict("ended", "This assessment has ended, or somebody else is cancelling it.")
    assessment.refresh_from_db()
    details = {} if assessment.is_alive else brought.destroy(assessment)
    audit.record("assessment.cancel-requested", assessment, by=by, project=run.project, details=details)
    return assessment


@action
def record(
    *,
    assessment: Assessment,
    fence: int,
    report: Mapping[str, object],
    file: Blob,
    engine_version: str,
    by: User | None = None,
) -> Assessment:
    """Store what a worker found and end the job; what was demanded becomes part of what is voted on."""
    release = locked(assessment.run.release)
    outcome = {
        **assessment.sealed(report=dict(report)),
        "file": file,
        "report_sha256": file.sha256,
        "engine_version": engine_version,
    }
    if not Assessment.objects.succeed(assessment.pk, fence, **outcome):
        raise Conflict("claim-lost", "Another worker has this job now, or it was cancelled.")
    assessment.refresh_from_db()
    counts = assessment.demanded and release.state in COUNTING
    if counts:
        _count(release, assessment)
    details = {**_told(assessment), "report_sha256": file.sha256, "counts": counts}
    details |= brought.destroy(assessment)
    audit.record("assessment.succeeded", assessment, by=by, project=release.project, details=details)
    notify([assessment.asked_by], f"{release.title} was assessed.", _page(assessment.run))
    return assessment


def _count(release: Release, assessment: Assessment) -> None:
    """Make it part of the run's verdict and of the candidate: who voted before it was known votes again."""
    run = assessment.run = locked(assessment.run)
    run.assessed = with_assessment(run, assessment, results_of(assessment.report))
    run.save(update_fields=["assessed"])
    if release.state != State.IN_REVIEW or release.candidate_id != run.pk:
        return
    voted = [vote.reviewer for vote in release.reviews.counted(release).select_related("reviewer")]
    change(release, candidate_sha256=candidate_sha256(run))
    text = f"{release.title} was assessed after you voted; look at the result and vote again."
    notify(voted, text, f"/releases/{release.pk}/review/")


def _held(run: Run, measures: Asked) -> Run:
    """The run with its release and all data that are named, locked in the order in which everybody locks."""
    release = locked(run.release)
    hold_inputs(release, {"measures": list(measures)})
    run = Run.objects.select_related("reading__table").get(pk=run.pk)
    run.release = Release.objects.get(pk=release.pk)
    return run


def _is_candidate(run: Run) -> bool:
    return run.release.candidate_id == run.pk


def _queued(run: Run, measures: Asked, why: Why, by: User, file: Arrived | None = None) -> Assessment:
    if not measures:
        raise Invalid("nothing-asked", "Choose at least one measure.", "measures")
    made: RecipeJson = run.recipe
    recipe, _ = checked({**made, "goals": [], "measures": list(measures)})
    compared = populations_of(run.release, recipe, uploaded=file is not None)
    assessment = Assessment(
        run=run, why=why, measures_sha256=sha256_of(recipe["measures"]), asked_by=by
    ).saying(measures=recipe["measures"])
    if file is not None:
        check_used(recipe)
        assessment.brought = brought.keep(file)
    try:
        with transaction.atomic():
            assessment.save(force_insert=True)
    except IntegrityError:
        raise Conflict("busy", "Exactly this is being measured already.") from None
    assessment.compared.set(compared)
    if looks_beside(recipe):
        assessment.others.set(known_beside(run.release))
        assessment.leaks.set(leaked_beside(run.release))
    return assessment


def _told(assessment: Assessment) -> dict[str, object]:
    """What the log says of one: which measures by a hash, because their parameters may hold values."""
    return {
        "run": str(assessment.run_id),
        "why": assessment.why,
        "measures_sha256": assessment.measures_sha256,
        **({"uploaded_bytes": assessment.brought.size} if assessment.brought else {}),
    }


def _page(run: Run) -> str:
    return f"/runs/{run.pk}/assessments/"
