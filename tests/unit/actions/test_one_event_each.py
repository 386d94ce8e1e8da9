"""Every public action is called with by=, and leaves exactly one audit event, or nothing at all."""

import importlib
import inspect
import io
import pkgutil
import uuid
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

import stewardapp.actions
from stewardapp import actions
from stewardapp.access.guessing import Shared
from stewardapp.access.survey_states import SurveyMove
from stewardapp.actions import (
    accounts,
    action,
    anchors,
    assessments,
    audit,
    bookmarks,
    budgets,
    columns,
    comments,
    datasets,
    desks,
    downloads,
    editions,
    explorations,
    guesses,
    hierarchies,
    leaks,
    ledger,
    looks,
    memberships,
    officers,
    policies,
    populations,
    previews,
    project_keys,
    projects,
    proposals,
    queries,
    readings,
    releases,
    replays,
    reviews,
    runs,
    survey_questions,
    surveys,
    sweeps,
    uploads,
    versions,
)
from stewardapp.domain import audit_chain
from stewardapp.domain.pricing import Cost
from stewardapp.models import (
    Artifact,
    Assessment,
    AuditEvent,
    Exploration,
    Leak,
    Preview,
    Project,
    Query,
    Reading,
    Replay,
    Run,
    Upload,
    Version,
)
from tests import factories, factors
from worker.engine.contracts.privacy import Spend

pytestmark = pytest.mark.django_db

INFRASTRUCTURE = {
    "action",
    "arrivals",
    "audit",
    "brought",
    "classifications",
    "contributions",
    "moves",
    "parts",
    "sharing",
    "telling",
}
# They move bytes of an upload that begins and ends with an event, or tidy one's own notifications. An event
# for each answer to a survey would say when somebody answered; one for each guess would be the attacker's to
# write.
QUIET = {
    "assessments.look_beside",  # told with the submission
    "guesses.begin",
    "guesses.failed",
    "guesses.proved",
    "inbox.mark_read",
    "inbox.seen",
    "looks.look",
    "survey_answers.receive",
    "uploads.append",
    "uploads.resync",
}
# Actions made of other actions: each of these leaves its own event too.
OF_PARTS = {"sweeps.begin": 2}
# Nobody stands behind them: the date has come, the first administrator has nobody to be made by, or nobody is
# asked who answers or guesses.
BY_NOBODY = {
    "anchors.make",
    "guesses.begin",
    "guesses.failed",
    "guesses.note_slowed",
    "guesses.proved",
    "downloads.note_damage",
    "downloads.note_whole",
    "uploads.expire",
    "versions.expire",
    "surveys.expire",
    "accounts.create_first_admin",
    "accounts.recover",
    "survey_answers.receive",
}

Call = Callable[[], Any]


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, settings: Any) -> None:
    """Notes and anchors of a log that was undone speak against the next one."""
    settings.STEWARD_DATA = tmp_path


def public_actions() -> dict[str, Callable[..., Any]]:
    found = {}
    for module in pkgutil.iter_modules(stewardapp.actions.__path__):
        if module.name in INFRASTRUCTURE:
            continue
        loaded = importlib.import_module(f"stewardapp.actions.{module.name}")
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            if not name.startswith("_") and inspect.unwrap(function).__module__ == loaded.__name__:
                found[f"{module.name}.{name}"] = function
    return found


def begun(team: factories.Team) -> Any:
    return uploads.begin(dataset=factories.make_dataset(team), filename="a.csv", length=3, by=team.steward)


def sent(team: factories.Team) -> Any:
    upload = begun(team)
    return uploads.append(upload=upload, offset=0, stream=io.BytesIO(b"a\n1"), by=team.steward)


def record_reading(team: factories.Team) -> Call:
    version = factories.upload(team)
    reading = Reading.objects.get(version=version)
    fence = Reading.objects.claim(reading.pk, "w", 60)
    assert fence is not None
    table = factories.store(b"t", version.key, "table")
    return lambda: readings.record(reading=reading, fence=fence, table=table, profile=factories.PROFILE)


def tried(team: factories.Team) -> Preview:
    release = factories.make_release(team)
    return previews.start(release=release, step=factories.STEP, by=team.steward)


def record_preview(team: factories.Team) -> Call:
    preview = tried(team)
    fence = Preview.objects.claim(preview.pk, "w", 60)
    assert fence is not None
    return lambda: previews.record(preview=preview, fence=fence, result={})


def record_replay(team: factories.Team) -> Call:
    replay = factories.make_replay(team, done=False)
    fence = Replay.objects.claim(replay.pk, "w", 60)
    assert fence is not None
    return lambda: replays.record(replay=replay, fence=fence, result={})


def record_run(team: factories.Team) -> Call:
    run = factories.make_run(factories.make_release(team))
    fence = Run.objects.claim(run.pk, "w", 60)
    assert fence is not None
    return lambda: runs.record(run=run, fence=fence, files=[], report={}, goals=[], engine_version="1")


def succeeded(team: factories.Team) -> Run:
    return factories.make_succeeded_run(factories.make_release(team))


def candidate(team: factories.Team) -> Run:
    run = factories.make_release(team, state="in-review").candidate
    assert run is not None
    return run


def unjudged(team: factories.Team) -> Run:
    """It does not answer what the policy asks."""
    run = succeeded(team)
    Run.objects.filter(pk=run.pk).update(figures={})
    return run


def record_assessment(team: factories.Team) -> Call:
    made = factories.make_assessment(succeeded(team), done=False)
    fence = Assessment.objects.claim(made.pk, "w", 60)
    assert fence is not None
    file = factories.store(b"{}", made.run.key, "report.json")
    found = {"report": {"measures": []}, "file": file, "engine_version": "1"}
    return lambda: assessments.record(assessment=made, fence=fence, **found)


def record_exploration(team: factories.Team) -> Call:
    made = factories.make_exploration(succeeded(team), done=False)
    fence = Exploration.objects.claim(made.pk, "w", 60)
    assert fence is not None
    return lambda: explorations.record(exploration=made, fence=fence, steps=[])


def leaked(team: factories.Team, **how: bool) -> Leak:
    return factories.make_leak(factories.make_held_population(team), team.steward, **how)


def record_leak(team: factories.Team) -> Call:
    made = leaked(team, done=False)
    fence = Leak.objects.claim(made.pk, "w", 60)
    assert fence is not None
    table = factories.store(b"table", made.raw.key, "table")
    return lambda: leaks.record(leak=made, fence=fence, table=table, rows=1)


def record_query(team: factories.Team) -> Call:
    query = factories.make_query(factories.make_desk(team), team.analyst)
    fence = Query.objects.claim(query.pk, "w", 60)
    assert fence is not None
    Query.objects.mark_charged(query.pk, fence)
    exact = factories.store(b"exact", query.key, "exact.csv")
    return lambda: queries.record(query=query, fence=fence, answer={}, exact=exact, engine_version="1")


def expire(team: factories.Team) -> Call:
    version = factories.make_version(team)
    Version.objects.filter(pk=version.pk).update(retention_until=timezone.now() - timedelta(days=1))
    return lambda: versions.expire(version=version)


def attached(team: factories.Team) -> Any:
    column = factories.make_version(team).columns.get(name="zip")
    return hierarchies.attach(column=column, hierarchy=hierarchy(team), by=team.steward)


def hierarchy(team: factories.Team) -> Any:
    return hierarchies.create(
        project=team.project, name=factories.unique("h"), spec={"builder": "mask"}, by=team.steward
    )


def described(team: factories.Team) -> Call:
    version = factories.make_version(team)
    return lambda: columns.describe(version=version, name="age", label="Age in years", by=team.steward)


def edited(team: factories.Team) -> Call:
    release = factories.make_release(team)
    return lambda: releases.edit_recipe(release=release, recipe={"steps": [factories.STEP]}, by=team.steward)


def submitted(team: factories.Team) -> Call:
    release = factories.make_release(team)
    run = factories.make_succeeded_run(release)
    return lambda: releases.submit(release=release, run=run, by=team.steward)


def voted(team: factories.Team) -> Call:
    release = factories.make_release(team, state="in-review")
    seen = release.candidate_sha256
    return lambda: reviews.decide(
        release=release, manifest_sha256=seen, decision="approve", reason="Read.", by=team.reviewer
    )


def published(team: factories.Team) -> Call:
    release = factories.make_release(team, state="approved")
    seen = release.candidate_sha256
    return lambda: releases.publish(release=release, manifest_sha256=seen, by=team.steward)


def downloaded(team: factories.Team) -> Call:
    release = factories.make_release(team, state="published")
    assert release.candidate is not None
    artifact = release.candidate.artifacts.get(name="release.csv")
    return lambda: downloads.record(release=release, artifact=artifact, by=team.analyst)


def left(team: factories.Team) -> Call:
    dataset = factories.make_dataset(team)
    upload = uploads.begin(dataset=dataset, filename="a.csv", length=9, by=team.steward)
    Upload.objects.filter(pk=upload.pk).update(created_at=timezone.now() - timedelta(days=8))
    upload.refresh_from_db()
    return lambda: uploads.expire(upload=upload)


def damaged(team: factories.Team) -> Call:
    artifact = published_file(team)
    return lambda: downloads.note_damage(artifact=artifact)


def whole_again(team: factories.Team) -> Call:
    artifact = published_file(team)
    downloads.note_damage(artifact=artifact)
    return lambda: downloads.note_whole(artifact=artifact)


def published_file(team: factories.Team) -> Artifact:
    release = factories.make_release(team, state="published")
    assert release.candidate is not None
    return release.candidate.artifacts.get(name="release.csv")


def anchored(team: factories.Team) -> Call:
    return lambda: anchors.make(settled=timedelta(0))


def resolved(team: factories.Team) -> Call:
    comment = comments.add(release=factories.make_release(team), text="Why?", by=team.reviewer)
    return lambda: comments.resolve(comment=comment, by=team.steward)


def read_again(team: factories.Team) -> Call:
    version = factories.make_version(team)
    return lambda: readings.start(version=version, dialect={"delimiter": ";"}, by=team.steward)


def cancelled(team: factories.Team) -> Call:
    run = factories.make_run(factories.make_release(team))
    return lambda: runs.cancel(run=run, by=team.steward)


def cancelled_reading(team: factories.Team) -> Call:
    reading = Reading.objects.get(version=factories.upload(team))
    return lambda: readings.cancel(reading=reading, by=team.steward)


def destroyed(team: factories.Team) -> Call:
    version = factories.make_version(team)
    return lambda: versions.destroy(version=version, reason="Asked for.", by=team.admin)


def revise(team: factories.Team) -> Call:
    return lambda: policies.revise(
        project=team.project,
        rows=factories.demands(k=3, risk="0.33"),
        reviewers=2,
        retention_days=30,
        maximum_epsilon_micro=0,
        require_second_factor=True,
        by=team.admin,
    )


def overlap(team: factories.Team) -> Call:
    one, other = factories.make_held_population(team), factories.make_held_population(team)
    return lambda: proposals.propose_overlap(population=one, other=other, reason="Why.", by=team.steward)


def separation(team: factories.Team) -> Call:
    one, other = factories.make_held_population(team), factories.make_held_population(team)
    factories.declare_overlap(team, one, other)
    return lambda: proposals.propose_separation(population=one, other=other, reason="Why.", by=team.steward)


def unadmitted(team: factories.Team) -> Any:
    others = factories.make_project()
    return datasets.create(
        project=team.project,
        population=factories.make_held_population(others),
        name="Theirs",
        by=team.steward,
    )


def hierarchy_for(team: factories.Team) -> Call:
    column, made = factories.make_version(team).columns.get(name="zip"), hierarchy(team)
    return lambda: hierarchies.attach(column=column, hierarchy=made, by=team.steward)


def kept_hierarchy(team: factories.Team) -> Call:
    version = factories.make_version(team)
    made = hierarchies.create(
        project=team.project, version=version, name="h", spec={"builder": "mask"}, by=team.steward
    )
    return lambda: hierarchies.keep(hierarchy=made, by=team.steward)


def reused(team: factories.Team) -> Call:
    version, made = factories.make_version(team), hierarchy(team)
    return lambda: hierarchies.reuse(version=version, hierarchies={"zip": made}, by=team.steward)


def brought(team: factories.Team) -> Call:
    version = factories.make_version(team)
    tables = {"zip": hierarchies.Table("1000;*", 2), "age": hierarchies.Table("34;*", 2)}
    return lambda: hierarchies.bring(version=version, tables=tables, by=team.steward)


def release_of(team: factories.Team) -> Call:
    version = factories.make_version(team)
    return lambda: releases.create(version=version, title="T", by=team.steward)


def edition(team: factories.Team) -> Call:
    release = factories.make_release(team, state="published")
    other = factories.read(factories.upload(team, data=factories.CSV + b"40,1018,none\n"))
    return lambda: editions.begin(release=release, version=other, title="Next", by=team.steward)


def on_release(state: str, call: Callable[[Any], Any]) -> Callable[[factories.Team], Call]:
    def arrange(team: factories.Team) -> Call:
        release = factories.make_release(team, state=state)
        return lambda: call(release)

    return arrange


def on(arrange: Callable[[factories.Team], Any], call: Callable[[factories.Team, Any], Any]) -> Any:
    def arranged(team: factories.Team) -> Call:
        thing = arrange(team)
        return lambda: call(team, thing)

    return arranged


def nothing(team: factories.Team) -> None:
    """Nothing to arrange."""


def gone(team: factories.Team) -> None:
    """An installation whose administrators are gone."""
    type(team.admin).objects.update(is_staff=False)


def collected(team: factories.Team) -> Any:
    """A survey with an answer, whose dataset is there already."""
    survey = factories.make_answers(factories.make_survey(team, SurveyMove.OPEN), (0, 1))
    surveys.collect(survey=survey, by=team.steward)
    survey.refresh_from_db()
    return survey


def forgotten(team: factories.Team) -> Any:
    """A survey whose answers have reached their date."""
    survey = factories.make_answers(factories.make_survey(team, SurveyMove.OPEN), (0, 1))
    type(survey).objects.filter(pk=survey.pk).update(erase_on=timezone.localdate())
    return survey


def lapsed(team: factories.Team) -> Any:
    """Approved by somebody who was shut out since."""
    release = factories.make_release(team, state="approved")
    accounts.deactivate(user=team.reviewer, by=team.admin)
    return release


def inactive(team: factories.Team) -> None:
    accounts.deactivate(user=team.analyst, by=team.admin)


def limited(team: factories.Team) -> Any:
    population = factories.make_version(team).dataset.population
    factories.give_budget(team, population, Spend(100, 1))
    return population


def allotted(team: factories.Team) -> Any:
    return factories.give_budget(team, factories.make_population(team), Spend(100))


def proposed(team: factories.Team) -> Any:
    return proposals.propose_limit(
        population=factories.make_held_population(team), limit=Spend(5), reason="Why.", by=team.steward
    )


def moving(team: factories.Team) -> Call:
    dataset, target = factories.make_dataset(team), factories.make_population(team)
    return lambda: proposals.propose_move(dataset=dataset, target=target, reason="Why.", by=team.steward)


def paid_run(team: factories.Team) -> Call:
    run = factories.make_run(factories.make_release(team))
    factories.give_budget(team, run.release.version.dataset.population, Spend(100))
    fence = Run.objects.claim(run.pk, "w", 60)
    assert fence is not None
    costs = [Cost(0, "A count", Spend(1))]
    return lambda: ledger.charge_run(run=run, fence=fence, costs=costs, by=team.steward)


def paid_query(team: factories.Team) -> Call:
    version = factories.make_version(team)
    allotment = factories.give_budget(team, version.dataset.population, Spend(100))
    budgets.allow(allotment=allotment, user=team.analyst, limit=Spend(10), by=team.steward)
    asked = {"query": uuid.uuid4(), "version": version, "what": "A count", "by": team.analyst}
    return lambda: ledger.charge_query(cost=Spend(1), **asked)


def repeated_query(team: factories.Team) -> Call:
    desk = factories.make_desk(team)
    first = factories.make_stored_answer(desk, team.analyst)
    other = factories.make_user("colleague")
    memberships.add(project=team.project, user=other, role="analyst", by=team.admin)
    allotment = desk.allotment
    assert allotment is not None
    budgets.allow(allotment=allotment, user=other, limit=Spend.of(1), by=team.steward)
    again = factories.make_query(desk, other, factories.HISTOGRAM)
    fence = Query.objects.claim(again.pk, "w", 60)
    assert fence is not None
    return lambda: ledger.charge_repeat(query=again, fence=fence, earlier=first, by=other)


CALLS: dict[str, Callable[[factories.Team], Call]] = {
    "anchors.make": anchored,
    "accounts.create": on(
        nothing, lambda t, _: accounts.create(username="new", password=factories.PASSWORD, by=t.admin)
    ),
    "accounts.create_first_admin": on(
        gone, lambda t, _: accounts.create_first_admin(username="first", password=factories.PASSWORD)
    ),
    "guesses.note_slowed": on(
        nothing, lambda t, _: guesses.note_slowed(user=t.analyst, shared=Shared.ACCOUNT)
    ),
    "accounts.change": on(nothing, lambda t, _: accounts.change(user=t.analyst, last_name="A", by=t.admin)),
    "accounts.deactivate": on(nothing, lambda t, _: accounts.deactivate(user=t.analyst, by=t.admin)),
    "accounts.reactivate": on(inactive, lambda t, _: accounts.reactivate(user=t.analyst, by=t.admin)),
    "accounts.reset_password": on(nothing, lambda t, _: accounts.reset_password(user=t.analyst, by=t.admin)),
    "accounts.choose_password": on(
        lambda t: accounts.reset_password(user=t.analyst, by=t.admin),
        lambda t, user: accounts.choose_password(password="another long walk", by=user),
    ),
    "accounts.recover": on(
        nothing, lambda t, _: accounts.recover(username="found", password=factories.PASSWORD)
    ),
    "accounts.change_own_password": on(
        nothing, lambda t, _: accounts.change_own_password(password="another long walk", by=t.analyst)
    ),
    "accounts.remove_factors": on(
        lambda t: factors.give(t.analyst), lambda t, _: accounts.remove_factors(user=t.analyst, by=t.admin)
    ),
    "accounts.note_own_change": on(
        nothing,
        lambda t, _: accounts.note_own_change(change="factor-removed", factor="totp", by=t.analyst),
    ),
    "budgets.allot": on(
        limited, lambda t, p: budgets.allot(population=p, project=t.project, limit=Spend(50), by=t.steward)
    ),
    "budgets.allow": on(
        allotted, lambda t, a: budgets.allow(allotment=a, user=t.analyst, limit=Spend(50), by=t.steward)
    ),
    "columns.tag": on(
        factories.make_version, lambda t, v: columns.tag(version=v, roles={"age": "other"}, by=t.steward)
    ),
    "columns.describe": described,
    "columns.confirm_kinds": on(
        factories.make_version,
        lambda t, v: columns.confirm_kinds(
            version=v, kinds={"age": v.columns.get(name="age").kind}, by=t.steward
        ),
    ),
    "comments.add": on(
        factories.make_release, lambda t, r: comments.add(release=r, text="Why?", by=t.reviewer)
    ),
    "comments.resolve": resolved,
    "datasets.create": on(
        factories.make_population,
        lambda t, p: datasets.create(project=t.project, population=p, name="D", by=t.steward),
    ),
    "datasets.remove": on(factories.make_dataset, lambda t, d: datasets.remove(dataset=d, by=t.steward)),
    "downloads.note_damage": damaged,
    "downloads.note_whole": whole_again,
    "downloads.record": downloaded,
    "hierarchies.create": on(nothing, lambda t, _: hierarchy(t)),
    "hierarchies.keep": kept_hierarchy,
    "hierarchies.attach": hierarchy_for,
    "hierarchies.reuse": reused,
    "hierarchies.bring": brought,
    "hierarchies.detach": on(attached, lambda t, column: hierarchies.detach(column=column, by=t.steward)),
    "ledger.charge_run": paid_run,
    "ledger.charge_query": paid_query,
    "ledger.charge_repeat": repeated_query,
    "memberships.add": on(
        nothing, lambda t, _: memberships.add(project=t.project, user=t.outsider, role="analyst", by=t.admin)
    ),
    "memberships.remove": on(
        nothing,
        lambda t, _: memberships.remove(membership=t.project.memberships.get(user=t.analyst), by=t.admin),
    ),
    "policies.revise": revise,
    "populations.create": on(nothing, lambda t, _: populations.create(name="P", by=t.steward)),
    "proposals.propose_overlap": overlap,
    "proposals.propose_separation": separation,
    "proposals.propose_admission": on(
        unadmitted, lambda t, d: proposals.propose_admission(dataset=d, reason="Why.", by=t.steward)
    ),
    "proposals.propose_part": on(
        limited,
        lambda t, p: proposals.propose_part(
            population=p, project=t.project, limit=Spend(1), reason="Why.", by=t.steward
        ),
    ),
    "officers.appoint": on(nothing, lambda t, _: officers.appoint(user=t.analyst, by=t.admin)),
    "officers.dismiss": on(
        lambda t: factories.make_officer(), lambda t, one: officers.dismiss(user=one, by=t.admin)
    ),
    "previews.start": on(
        factories.make_release,
        lambda t, r: previews.start(release=r, step=factories.STEP, by=t.steward),
    ),
    "previews.record": record_preview,
    "replays.start": on(nothing, lambda t, _: replays.start(settings={}, by=t.steward)),
    "replays.record": record_replay,
    "replays.cancel": on(
        lambda t: factories.make_replay(t, done=False), lambda t, r: replays.cancel(replay=r, by=t.steward)
    ),
    "project_keys.create": on(nothing, lambda t, _: project_keys.create(project=t.project, by=t.steward)),
    "project_keys.replace": on(
        lambda t: project_keys.create(project=t.project, by=t.steward),
        lambda t, _: project_keys.replace(project=t.project, by=t.admin),
    ),
    "projects.create": on(nothing, lambda t, _: projects.create(name="N", by=t.admin)),
    "projects.rename": on(nothing, lambda t, _: projects.rename(project=t.project, name="M", by=t.admin)),
    "proposals.propose_limit": on(
        factories.make_held_population,
        lambda t, p: proposals.propose_limit(population=p, limit=Spend(5), reason="Why.", by=t.steward),
    ),
    "proposals.propose_move": moving,
    "looks.told": on(proposed, lambda t, one: looks.told(proposal=one, found=[], by=t.co_steward)),
    "proposals.confirm": on(proposed, lambda t, one: proposals.confirm(proposal=one, by=t.co_steward)),
    "proposals.decline": on(proposed, lambda t, one: proposals.decline(proposal=one, by=t.co_steward)),
    "readings.start": read_again,
    "readings.cancel": cancelled_reading,
    "readings.record": record_reading,
    "releases.create": release_of,
    "releases.edit_recipe": edited,
    "releases.describe": on(
        factories.make_release, lambda t, r: releases.describe(release=r, title="T", by=t.steward)
    ),
    "releases.submit": submitted,
    "releases.reopen": on(lapsed, lambda t, r: releases.reopen(release=r, by=t.steward)),
    "editions.begin": edition,
    "releases.withdraw": on_release("draft", lambda r: releases.withdraw(release=r, by=r.author)),
    "releases.publish": published,
    "releases.revoke": on_release(
        "published", lambda r: releases.revoke(release=r, notice="A mistake.", by=r.author)
    ),
    "reviews.decide": voted,
    "leaks.register": on(
        factories.make_held_population, lambda t, p: factories.make_leak(p, t.steward, done=False)
    ),
    "leaks.record": record_leak,
    "leaks.unregister": on(leaked, lambda t, leak: leaks.unregister(leak=leak, reason="No.", by=t.steward)),
    "bookmarks.keep": on(
        succeeded, lambda t, r: bookmarks.keep(run=r, step=0, node="1-1", note="Why.", by=t.steward)
    ),
    "bookmarks.remove": on(
        lambda t: factories.make_bookmark(succeeded(t)),
        lambda t, b: bookmarks.remove(bookmark=b, by=t.steward),
    ),
    "explorations.start": on(succeeded, lambda t, r: explorations.start(run=r, by=t.steward)),
    "explorations.record": record_exploration,
    "assessments.ask": on(
        succeeded, lambda t, r: assessments.ask(run=r, measures=[factories.ASKED], by=t.steward)
    ),
    "assessments.demand": on(
        candidate, lambda t, r: assessments.demand(run=r, measures=[factories.ASKED], by=t.reviewer)
    ),
    "assessments.measure_policy": on(unjudged, lambda t, r: assessments.measure_policy(run=r, by=t.steward)),
    "assessments.cancel": on(
        lambda t: factories.make_assessment(succeeded(t), done=False),
        lambda t, a: assessments.cancel(assessment=a, by=t.steward),
    ),
    "assessments.record": record_assessment,
    "runs.start": on(factories.make_release, lambda t, r: runs.start(release=r, by=t.steward)),
    "runs.cancel": cancelled,
    "runs.record": record_run,
    "sweeps.begin": on(
        factories.make_release, lambda t, r: sweeps.begin(release=r, entries=factories.GRID, by=t.steward)
    ),
    "sweeps.cancel": on(
        lambda t: factories.make_sweep(factories.make_release(t)),
        lambda t, s: sweeps.cancel(sweep=s, by=t.steward),
    ),
    "surveys.create": on(
        factories.make_population,
        lambda t, p: surveys.create(project=t.project, population=p, title="S", by=t.steward),
    ),
    "surveys.describe": on(
        factories.make_survey,
        lambda t, s: surveys.describe(
            survey=s, title="S", introduction="", invited=True, opens_on=None, closes_on=None, by=t.steward
        ),
    ),
    "surveys.move": on(
        factories.make_survey, lambda t, s: surveys.move(survey=s, move=SurveyMove.OPEN, by=t.steward)
    ),
    "surveys.invite": on(
        lambda t: factories.make_survey(t, invited=True),
        lambda t, s: surveys.invite(survey=s, number=2, by=t.steward),
    ),
    "surveys.collect": on(collected, lambda t, s: surveys.collect(survey=s, by=t.steward)),
    "surveys.expire": on(forgotten, lambda t, s: surveys.expire(survey=s)),
    "survey_questions.add": on(
        factories.make_survey,
        lambda t, s: survey_questions.add(
            survey=s, name="more", text="?", answers=["a", "b"], epsilon=Decimal(1), by=t.steward
        ),
    ),
    "survey_questions.change": on(
        factories.make_survey,
        lambda t, s: survey_questions.change(
            question=s.questions.first(),
            name="x",
            text="?",
            answers=["a", "b"],
            keep=Decimal("0.6"),
            by=t.steward,
        ),
    ),
    "survey_questions.remove": on(
        factories.make_survey,
        lambda t, s: survey_questions.remove(question=s.questions.first(), by=t.steward),
    ),
    "desks.open_on": on(
        factories.make_version,
        lambda t, v: desks.open_on(version=v, columns=["age"], rows_per_person=1, by=t.steward),
    ),
    "desks.close": on(factories.make_desk, lambda t, d: desks.close(desk=d, by=t.steward)),
    "queries.ask": on(
        factories.make_desk, lambda t, d: queries.ask(desk=d, question=factories.COUNT, by=t.analyst)
    ),
    "queries.record": record_query,
    "queries.withdraw": on(
        lambda team: factories.make_query(factories.make_desk(team), team.analyst),
        lambda t, q: queries.withdraw(query=q, by=t.analyst),
    ),
    "uploads.begin": on(
        factories.make_dataset,
        lambda t, d: uploads.begin(dataset=d, filename="a.csv", length=3, by=t.steward),
    ),
    "uploads.complete": on(sent, lambda t, upload: uploads.complete(upload=upload, by=t.steward)),
    "uploads.expire": left,
    "uploads.abandon": on(begun, lambda t, upload: uploads.abandon(upload=upload, by=t.steward)),
    "versions.destroy": destroyed,
    "versions.expire": expire,
}


def test_the_list_is_complete() -> None:
    assert set(public_actions()) == set(CALLS) | QUIET


@pytest.mark.parametrize("name", CALLS)
def test_one_event(name: str) -> None:
    team = factories.make_project()
    call = CALLS[name](team)
    before = AuditEvent.objects.count()
    call()
    assert AuditEvent.objects.count() == before + 1 + OF_PARTS.get(name, 0)
    event = AuditEvent.objects.latest("id")
    by_machinery = name in BY_NOBODY or (name.endswith(".record") and name != "downloads.record")
    assert (event.actor_id is None) is by_machinery
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


@pytest.mark.parametrize("name", sorted(set(CALLS) | QUIET))
def test_everything_is_keyword_only_and_by_somebody(name: str) -> None:
    parameters = inspect.signature(public_actions()[name]).parameters
    assert {one.kind for one in parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert ("by" in parameters) is (name not in BY_NOBODY)


def test_an_action_without_its_event_is_undone() -> None:
    @action.action
    def forgetful() -> None:
        Project.objects.create(name="unseen")

    with pytest.raises(action.AuditMissing):
        forgetful()
    assert not Project.objects.filter(name="unseen").exists()


def test_an_action_with_two_events_is_undone() -> None:
    @action.action
    def talkative(project: Project) -> None:
        audit.record("project.renamed", project, by=None)
        audit.record("project.renamed", project, by=None)

    project = factories.make_project().project
    before = AuditEvent.objects.count()
    with pytest.raises(action.AuditMissing):
        talkative(project)
    assert AuditEvent.objects.count() == before


def test_an_event_outside_a_transaction_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction.get_connection(), "in_atomic_block", False)
    with pytest.raises(RuntimeError, match="transaction"):
        audit.record("project.renamed", Project(name="x"), by=None)


def test_the_package_is_documented() -> None:
    assert actions.__doc__
    assert all(function.__doc__ for function in public_actions().values())
