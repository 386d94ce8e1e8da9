"""Objects for tests, made only by the real actions and the worker's own moves: no impossible states."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, BinaryIO, cast

from django.db import transaction
from django.utils import timezone

from stewardapp import keyring, storage
from stewardapp.access.survey_states import SurveyMove
from stewardapp.access.workflow import Audience, Decision, State
from stewardapp.actions import (
    accounts,
    assessments,
    bookmarks,
    budgets,
    columns,
    datasets,
    desks,
    explorations,
    leaks,
    looks,
    memberships,
    officers,
    policies,
    populations,
    previews,
    projects,
    proposals,
    queries,
    readings,
    releases,
    replays,
    reviews,
    runs,
    survey_answers,
    survey_questions,
    surveys,
    sweeps,
    uploads,
)
from stewardapp.actions.brought import arriving
from stewardapp.domain.averaging import published_of
from stewardapp.domain.demands import Demand
from stewardapp.domain.facts import DECIDED_ON
from stewardapp.domain.holding import stake_of
from stewardapp.domain.policy_presets import protecting
from stewardapp.domain.sweeping import Varied
from stewardapp.models import (
    Allotment,
    Artifact,
    Assessment,
    Blob,
    Bookmark,
    DataKey,
    Dataset,
    Desk,
    Exploration,
    Leak,
    Population,
    Preview,
    Project,
    Query,
    Reading,
    Release,
    Replay,
    Run,
    Survey,
    Sweep,
    User,
    Version,
)
from stewardapp.models.leak import TABLE
from stewardapp.models.query import EXACT_VALUES
from stewardapp.models.run import RunQuerySet
from stewardapp.models.sealed import SealedRow
from stewardapp.reads.releases import Seen
from stewardapp.reads.runs import SeenRun
from tests import put_back
from worker.engine import catalogue
from worker.engine.contracts.privacy import Spend
from worker.engine.io.ingest import Likeness, ingest
from worker.sealed import SealedWriter

PASSWORD = "a long walk by the sea"
CSV = b"age,zip,illness\n34,1011,cold\n35,1012,flu\n36,1013,cold\n37,1014,flu\n38,1015,cold\n39,1016,flu\n"
RELEASED_CSV = b"age,zip,illness\n" + 3 * b"30-39,101*,cold\n" + 3 * b"30-39,101*,flu\n"
ROLES = {"age": "quasi-identifier", "zip": "quasi-identifier", "illness": "sensitive"}
RECIPE: dict[str, Any] = {
    "goals": [{"goal": "k-anonymity", "params": {"k": 5}}],
    "steps": [{"method": "generalization", "params": {}}],
}
WORKER, LEASE = "test-worker", 60

_numbers = itertools.count(1)


def unique(word: str) -> str:
    """A name nobody has used yet."""
    return f"{word}-{next(_numbers)}"


# People and projects


def make_admin() -> User:
    """An administrator; the first one of an installation has nobody to be made by."""
    first = User.objects.filter(is_staff=True, is_active=True).first()
    if first is None:
        return accounts.create_first_admin(username=unique("admin"), password=PASSWORD)
    return accounts.create(username=unique("admin"), password=PASSWORD, is_admin=True, by=first)


def any_admin() -> User:
    """Whichever administrator there is."""
    return User.objects.filter(is_staff=True, is_active=True).first() or make_admin()


def make_user(word: str = "person") -> User:
    """Somebody with an account and no role anywhere."""
    return accounts.create(username=unique(word), password=PASSWORD, by=any_admin())


@dataclass(frozen=True)
class Team:
    """A project and the personas of the tests."""

    project: Project
    admin: User
    steward: User
    co_steward: User
    reviewer: User
    second_reviewer: User
    third_reviewer: User
    analyst: User
    outsider: User

    def persona(self, name: str) -> User:
        """The persona of this name."""
        person: User = getattr(self, name)
        return person


PERSONAS = (
    "steward",
    "co_steward",
    "reviewer",
    "second_reviewer",
    "third_reviewer",
    "analyst",
    "outsider",
    "admin",
)
_ROLES = {
    "steward": "steward",
    "co_steward": "steward",
    "reviewer": "reviewer",
    "second_reviewer": "reviewer",
    "third_reviewer": "reviewer",
    "analyst": "analyst",
}


def make_project(**policy: Any) -> Team:
    """A project with everybody in it; keyword arguments revise its policy: rows=demands(k=3), …"""
    team = put_back.once("team", make_team)
    if policy:
        revise_policy(team.project, team.admin, **policy)
    return team


def make_team() -> Team:
    """A project as it begins, and everybody in their roles."""
    admin = make_admin()
    project = projects.create(name=unique("Project"), by=admin)
    people = {name: make_user(name) for name in PERSONAS if name != "admin"}
    for name, role in _ROLES.items():
        memberships.add(project=project, user=people[name], role=role, by=admin)
    return Team(project=project, admin=admin, **people)


def demands(k: int = 5, risk: str = "0.2", unique: str = "0.05") -> list[Demand]:
    """Rows that every release of rows answers."""
    return [
        Demand("reidentification", "smallest_class", Decimal(k)),
        Demand("reidentification", "highest_risk", Decimal(risk)),
        Demand("kept-columns", "unique_share", Decimal(unique), excusable=True),
    ]


def revise_policy(project: Project, admin: User, **changes: Any) -> None:
    """Change a few rules and keep the others."""
    rules = {
        "rows": demands(),
        "reviewers": 1,
        "retention_days": 90,
        "maximum_epsilon_micro": 1_000_000,
        "require_second_factor": False,
        **changes,
    }
    policies.revise(project=project, by=admin, **rules)


# Data


def make_population(team: Team) -> Population:
    """Some people."""
    return populations.create(name=unique("Population"), by=team.steward)


def make_held_population(team: Team) -> Population:
    """Some people about whom the project of the team holds data."""
    population = make_population(team)
    hold(team, population)
    return population


def hold(team: Team, population: Population) -> Dataset:
    """Data about these people in the project of the team, in bytes that no other people have."""
    dataset = datasets.create(
        project=team.project, population=population, name=unique("Dataset"), by=team.steward
    )
    own = CSV + f"40,{unique('zip')},cold\n".encode()
    read(upload(team, data=own, dataset=dataset))
    return dataset


def make_officer() -> User:
    """A data protection officer."""
    user = make_user("officer")
    return officers.appoint(user=user, by=any_admin())


def give_budget(team: Team, population: Population, limit: Spend) -> Allotment:
    """A limit that two stewards agreed on, all of it allotted to the project, which holds data."""
    if not stake_of(team.steward, [population]).holds:
        hold(team, population)
    proposal = proposals.propose_limit(
        population=population, limit=limit, reason="For tests.", by=team.steward
    )
    looks.look(proposal=proposal, by=team.co_steward)
    proposals.confirm(proposal=proposal, by=team.co_steward, aware=True)
    return budgets.allot(population=population, project=team.project, limit=limit, by=team.steward)


def declare_overlap(team: Team, one: Population, other: Population) -> None:
    """Two stewards agree that some people belong to both; the project holds data about both."""
    for population in (one, other):
        if not stake_of(team.steward, [population]).holds:
            hold(team, population)
    proposal = proposals.propose_overlap(population=one, other=other, reason="For tests.", by=team.steward)
    proposals.confirm(proposal=proposal, by=team.co_steward)


def make_dataset(team: Team) -> Dataset:
    """A dataset without versions."""
    population = make_population(team)
    return datasets.create(
        project=team.project, population=population, name=unique("Dataset"), by=team.steward
    )


def upload(
    team: Team, *, data: bytes = CSV, by: User | None = None, dataset: Dataset | None = None
) -> Version:
    """A version whose reading waits for a worker."""
    by = by or team.steward
    dataset = dataset or make_dataset(team)
    begun = uploads.begin(dataset=dataset, filename="survey.csv", length=len(data), by=by)
    uploads.append(upload=begun, offset=0, stream=io.BytesIO(data), by=by)
    return uploads.complete(upload=begun, by=by)


def make_version(
    team: Team,
    *,
    data: bytes = CSV,
    by: User | None = None,
    dataset: Dataset | None = None,
    profile: Mapping[str, Any] | None = None,
    roles: Mapping[str, str] | None = None,
) -> Version:
    """A version that was read and tagged, as if a worker had done the reading."""
    version = upload(team, data=data, by=by, dataset=dataset)
    version = read(version, profile=profile)
    columns.tag(version=version, roles=ROLES if roles is None else roles, by=by or team.steward)
    return version


def read(
    version: Version, *, profile: Mapping[str, Any] | None = None, content: bytes = b"a table"
) -> Version:
    """Do what a worker does with the queued reading; the stored table is a stand-in."""
    waiting = Reading.objects.queued().get(version=version)
    fence = Reading.objects.claim(waiting.pk, WORKER, LEASE)
    assert fence is not None
    with transaction.atomic():
        table = store(content, version.key, "table")
        return readings.record(reading=waiting, fence=fence, table=table, profile=profile or PROFILE)


def read_again(
    version: Version, by: User, content: bytes = b"another table", profile: Mapping[str, Any] | None = None
) -> Version:
    """The same bytes with other missing codes make another table: one column fewer, one of another kind."""
    readings.start(version=version, dialect={"missing": ["", "9"]}, by=by)
    return read(version, profile=profile or OTHER_PROFILE, content=content)


def read_for_real(version: Version) -> Version:
    """Do the queued reading with the engine, in this process: the stored table is a table."""
    waiting = Reading.objects.queued().get(version=version)
    fence = Reading.objects.claim(waiting.pk, WORKER, LEASE)
    assert fence is not None
    with storage.reading(version.raw) as raw, storage.temporary() as temporary:
        found = io.BytesIO()
        likeness = Likeness(found, keyring.seal_of("likeness")[:16])
        with SealedWriter(temporary.file, storage.key_bytes(version.key)) as writer:
            reader = cast(BinaryIO, io.BufferedReader(raw))
            sealed = cast(BinaryIO, writer)
            values = io.BytesIO()
            read_now = ingest(reader, sealed, waiting.dialect, likeness=likeness, values=values)
            profile = read_now.as_json()
        with transaction.atomic():
            facts = {"sha256": writer.sha256, "size": writer.size, "purpose": "table"}
            files = {"table": storage.keep(temporary, key=version.key, **facts)}
            files["values"] = store(values.getvalue(), version.key, "values")
            if found.getvalue():
                files["likeness"] = store(found.getvalue(), version.key, "likeness")
            return readings.record(reading=waiting, fence=fence, profile=profile, **files)


def _column(name: str, position: int, kind: str, distinct: int, suggested_role: str) -> dict[str, Any]:
    return {
        "name": name,
        "position": position,
        "kind": kind,
        "distinct": distinct,
        "missing": 0,
        "shape": [100, 0, 0, 0, 0, 0, 0, 0, 0, 100],
        "suggested_role": suggested_role,
        "reason": "few people share a value",
        "unique_share": 1.0,
    }


PROFILE: dict[str, Any] = {
    "rows": 6,
    "dialect": {"delimiter": ",", "encoding": "utf-8", "quote": '"', "missing": [""]},
    "columns": [
        _column("age", 0, "integer", 6, "quasi-identifier"),
        _column("zip", 1, "text", 6, "quasi-identifier"),
        _column("illness", 2, "categorical", 2, "sensitive"),
    ],
    "preview": [["••", "••••", "••••"]],
}


OTHER_PROFILE: dict[str, Any] = {
    "rows": 5,
    "dialect": {
        **PROFILE["dialect"],
        "missing": ["", "9"],
        "suggested_missing": ["-99"],
        "notes": ["Half of it is empty."],
    },
    "columns": [
        _column("age", 0, "decimal", 5, "quasi-identifier"),
        _column("illness", 1, "text", 1, "sensitive"),
    ],
    "preview": [["••", "••••"]],
}


def store(content: bytes, key: DataKey, purpose: str) -> Blob:
    """Seal some bytes and give them their final name."""
    with storage.temporary() as temporary:
        with SealedWriter(temporary.file, storage.key_bytes(key)) as writer:
            writer.write(content)
        return storage.keep(temporary, key=key, sha256=writer.sha256, size=len(content), purpose=purpose)


def rewrite(row: SealedRow, **values: Any) -> None:
    """Other values in the sealed columns of a row, as no action would write them."""
    type(row)._default_manager.filter(pk=row.pk).update(**row.sealed(**values))


# Query desks

DECLARED: dict[str, dict[str, Any]] = {
    "age": {"bounds": [0, 100], "bin_width": 10},
    "illness": {"categories": ["cold", "flu", "none"]},
}
COUNT: dict[str, Any] = {"ask": "count", "epsilon": 0.5}


def make_desk(team: Team, *, version: Version | None = None, allowance: str = "1") -> Desk:
    """An open desk on a table that is a table, and an allowance for the analyst."""
    version = version or read_for_real(upload(team))
    columns.tag(version=version, roles=ROLES, by=team.steward)
    for name, settings in DECLARED.items():
        columns.describe(version=version, name=name, settings=settings, by=team.steward)
    allotment = give_budget(team, version.dataset.population, Spend.of(2))
    budgets.allow(allotment=allotment, user=team.analyst, limit=Spend.of(Decimal(allowance)), by=team.steward)
    return desks.open_on(version=version, columns=list(DECLARED), rows_per_person=1, by=team.steward)


def make_query(desk: Desk, by: User, question: Mapping[str, Any] = COUNT) -> Query:
    """A question that waits for a worker."""
    return queries.ask(desk=desk, question=question, by=by)


def make_answer(desk: Desk, by: User, question: Mapping[str, Any] = COUNT) -> Query:
    """A question that a worker answered: the noise is real, the engine's process too."""
    from worker.queue import runner

    query = make_query(desk, by, question)
    runner.perform("query", str(query.pk))
    query.refresh_from_db()
    return query


HISTOGRAM: dict[str, Any] = {"ask": "histogram", "column": "illness", "epsilon": 0.5}


def make_stored_answer(desk: Desk, by: User, question: Mapping[str, Any] = HISTOGRAM) -> Query:
    """A question answered without an engine: two of three illnesses, as the worker would store them."""
    query = make_query(desk, by, question)
    fence = Query.objects.claim(query.pk, "w", 60)
    assert fence is not None
    Query.objects.mark_charged(query.pk, fence)
    rows = [["cold", "3", "2"], ["flu", "-1", "2"], ["none", "40", "2"]]
    answer = {"columns": ["illness", "answer", "error95"], "rows": rows, "facts": {"codebook": ["Noise."]}}
    lines = [[name, str(true), told, "2"] for (name, told, _), true in zip(rows, (2, 0, 41), strict=True)]
    true = {"columns": ["illness", "exact", "answer", "error95"], "rows": lines}
    exact = store(json.dumps(true).encode(), query.key, EXACT_VALUES)
    query = queries.record(query=query, fence=fence, answer=answer, exact=exact, engine_version="1")
    before_its_tick = timezone.now() - timedelta(minutes=1)
    Query.objects.filter(pk=query.pk).update(queued_at=before_its_tick, finished_at=before_its_tick)
    query.refresh_from_db()
    return query


# Releases

STEP: dict[str, Any] = {"method": "pram", "params": {"column": "illness"}}


def make_release(
    team: Team,
    *,
    state: State | str = State.DRAFT,
    version: Version | None = None,
    audience: Audience | str = Audience.PROJECT,
    recipe: Mapping[str, Any] = RECIPE,
    by: User | None = None,
) -> Release:
    """A release that was taken to this state by the people who may."""
    by = by or team.steward
    release = releases.create(
        version=version or make_version(team, by=by),
        title=unique("Release"),
        purpose="To study illness by age.",
        recipe=dict(recipe),
        by=by,
    )
    if audience != Audience.PROJECT:
        release = releases.describe(release=release, audience=audience, by=by)
    return take_to(team, release, State(state), by)


def take_to(team: Team, release: Release, state: State, by: User) -> Release:
    """Walk a draft along the workflow."""
    if state is State.WITHDRAWN:
        return releases.withdraw(release=release, by=by)
    if state is State.DRAFT:
        return release
    release = submit(release, by)
    votes = {State.IN_REVIEW: None, State.CHANGES_REQUESTED: "request-changes", State.REJECTED: "reject"}
    decision = votes.get(state, "approve")
    if decision is not None:
        release = vote(team, answered(release), decision)
    if state in (State.PUBLISHED, State.REVOKED):
        release = releases.publish(release=release, manifest_sha256=release.candidate_sha256, by=by)
    if state is State.REVOKED:
        release = releases.revoke(release=release, notice="A mistake was found.", by=by)
    return release


def answered(release: Release) -> Release:
    """With results for what was demanded when it was put forward."""
    for one in Assessment.objects.open_demands().filter(run=release.candidate_id):
        measured(one)
    release.refresh_from_db()
    return release


def published_beside(release: Release) -> RunQuerySet:
    """The candidates that others had in hand when this one was made."""
    return published_of(release.pk, release.project_id, release.version.dataset.population_id)


def know_each_other(version: Version) -> None:
    """What is decided on now was compared with everything that is out."""
    for release in Release.objects.filter(version=version, state__in=DECIDED_ON):
        assert release.candidate is not None
        release.candidate.others.set(published_beside(release))


def submit(release: Release, by: User) -> Release:
    """Make a run and put it forward."""
    run = make_succeeded_run(release, by=by)
    return releases.submit(release=release, run=run, by=by)


def vote(team: Team, release: Release, decision: Decision | str) -> Release:
    """As many votes as the policy asks for."""
    assert release.policy is not None
    voters = (team.reviewer, team.second_reviewer, team.third_reviewer)[: release.policy.reviewers]
    for voter in voters:
        reviews.decide(
            release=release,
            manifest_sha256=release.candidate_sha256,
            decision=decision,
            reason="Read all of it.",
            by=voter,
        )
    release.refresh_from_db()
    return release


def make_run(release: Release, *, by: User | None = None) -> Run:
    """A run that waits for a worker."""
    return runs.start(release=release, by=by or release.author)


GRID = (Varied("goals", 0, "k", (3, 5)),)


def make_sweep(release: Release, *, by: User | None = None, entries: Sequence[Varied] = GRID) -> Sweep:
    """Two runs that wait, for two values of k."""
    return sweeps.begin(release=release, entries=entries, by=by or release.author)


def make_succeeded_run(
    release: Release,
    *,
    by: User | None = None,
    smallest_class: int = 6,
    unique_share: float = 0.0,
    goals_hold: bool = True,
    content: bytes = RELEASED_CSV,
    epsilon: str = "0",
    steps: Sequence[Mapping[str, Any]] = (),
) -> Run:
    """Do what a worker does with a run, with invented figures and a small released file."""
    run = make_run(release, by=by)
    report = _report(run, smallest_class, goals_hold, epsilon, unique_share)
    report["steps"] = list(steps) or report["steps"]
    return succeed(run, report, content)


def succeed(
    run: Run,
    report: Mapping[str, Any] | None = None,
    content: bytes = RELEASED_CSV,
    *,
    smallest_class: int = 6,
) -> Run:
    """End a run that waits as a worker ends one that went well."""
    report = report or _report(run, smallest_class, True, "0", 0.0)
    fence = Run.objects.claim(run.pk, WORKER, LEASE)
    assert fence is not None
    with transaction.atomic():
        files = [
            _made(run, "release.csv", content, public=True),
            _made(run, "records.csv", b"row\n0\n", public=False),
        ]
        return runs.record(
            run=run, fence=fence, files=files, report=report, goals=report["goals"], engine_version="test"
        )


CHART: dict[str, Any] = {
    "slug": "marginal-illness",
    "title": "Shares of illness",
    "kind": "bar",
    "x": {"title": "illness", "unit": "", "scale": "category"},
    "y": {"title": "Share of rows", "unit": "", "scale": "percent"},
    "series": [{"name": "Before", "x": ["flu"], "y": [1.0]}, {"name": "After", "x": ["flu"], "y": [0.8]}],
    "note": "",
    "threshold": None,
    "internal": True,
}
TRIED: dict[str, Any] = {
    "column": "illness",
    "describe": "Change categories of illness at random.",
    "rows": 6,
    "tried_rows": 6,
    "facts": {"method": "pram", "column": "illness", "smallest_diagonal": 0.8},
    "guidance": ["Frequencies are biased."],
    "figures": {"rows": [6, 6], "changed_cells": 2, "changed_share": 0.3333, "distinct": [2, 2]},
    "charts": [CHART],
}


def seen(run: Run) -> SeenRun:
    """A run before whoever started it."""
    return SeenRun(run, Seen(run.release, run.started_by))


def make_preview(release: Release, *, by: User | None = None, done: bool = True) -> Preview:
    """A step that was asked to be tried, and by default was."""
    preview = previews.start(release=release, step=STEP, by=by or release.author)
    if done:
        fence = Preview.objects.claim(preview.pk, WORKER, LEASE)
        assert fence is not None
        previews.record(preview=preview, fence=fence, result=TRIED)
        preview.refresh_from_db()
    return preview


_LINE = {"slug": "averaging", "kind": "line", "x": {"title": "Times asked", "unit": "", "scale": "log"}}
_FOUND = {"asked": 2, "right": 9, "bits": 16, "share": 0.5625, "low": 0.29, "high": 0.81, "least": 0.5}
REPLAYED: dict[str, Any] = {
    "attacks": [
        {
            "slug": "averaging",
            "title": "Averaging a repeated question",
            "chart": {**CHART, **_LINE, "series": [{"name": "Our desk", "x": [1, 2], "y": [0.5, 0.5625]}]},
            "findings": [{"name": "Our desk", **_FOUND}],
        }
    ],
}


def make_replay(team: Team, *, by: User | None = None, done: bool = True) -> Replay:
    """Attacks that somebody wanted to see, and by default did."""
    replay = replays.start(settings={"rounds": 1}, by=by or team.steward)
    if done:
        fence = Replay.objects.claim(replay.pk, WORKER, LEASE)
        assert fence is not None
        replays.record(replay=replay, fence=fence, result=REPLAYED)
        replay.refresh_from_db()
    return replay


ASSESSED: dict[str, Any] = {"measures": [], "engine": {"version": "test"}, "output": {}}
ASKED: dict[str, Any] = {"measure": "marginals", "params": {}}


def make_assessment(run: Run, *, by: User | None = None, done: bool = True, **found: Any) -> Assessment:
    """Something that was asked of a run after it ended, and by default measured; `found` are its figures."""
    assessment = assessments.ask(run=run, measures=[ASKED], by=by or run.started_by)
    return measured(assessment, **found) if done else assessment


EXPLORED: dict[str, Any] = {
    "nodes": 4,
    "nodes_checked": 2,
    "optimal": True,
    "minimal_complete": True,
    "minimal_nodes": [{"age": 1}],
    "explored": [{"levels": {"age": 1}, "feasible": True, "suppressed_rows": 0, "score": 0.5}],
    "not_listed": None,
}


def make_leak(
    population: Population, by: User, *, done: bool = True, content: bytes = CSV, place: str = "A forum"
) -> Leak:
    """A file about these people that leaked, and by default was read."""
    with arriving(io.BytesIO(content)) as file:
        leak = leaks.register(population=population, place=place, seen_on=date(2026, 1, 2), file=file, by=by)
    return read_leak(leak) if done else leak


def read_leak(leak: Leak) -> Leak:
    """Do what a worker does with a file that leaked."""
    fence = Leak.objects.claim(leak.pk, WORKER, LEASE)
    assert fence is not None
    with transaction.atomic():
        table = store(b"table", leak.raw.key, TABLE)
        leaks.record(leak=leak, fence=fence, table=table, rows=6)
    leak.refresh_from_db()
    return leak


def make_bookmark(
    run: Run, *, node: str = "1-1", note: str = "Few rows go.", by: User | None = None
) -> Bookmark:
    """A combination of levels that somebody wants to come back to."""
    return bookmarks.keep(run=run, step=0, node=node, note=note, by=by or run.started_by)


def make_exploration(
    run: Run, *, by: User | None = None, done: bool = True, steps: Sequence[Mapping[str, Any]] = (EXPLORED,)
) -> Exploration:
    """The solutions of a run that somebody wanted listed, and by default were."""
    exploration = explorations.start(run=run, by=by or run.started_by)
    if done:
        fence = Exploration.objects.claim(exploration.pk, WORKER, LEASE)
        assert fence is not None
        explorations.record(exploration=exploration, fence=fence, steps=steps)
        exploration.refresh_from_db()
    return exploration


def make_demand(run: Run, *, by: User, done: bool = True, **found: Any) -> Assessment:
    """The same before anybody approves."""
    assessment = assessments.demand(run=run, measures=[ASKED], by=by)
    return measured(assessment, **found) if done else assessment


def measured(assessment: Assessment, measure: str = "marginals", **found: Any) -> Assessment:
    """Do what a worker does with an assessment, with invented figures."""
    fence = Assessment.objects.claim(assessment.pk, WORKER, LEASE)
    assert fence is not None
    after = found or {"mean_total_variation": 0.25}
    report = {**ASSESSED, "measures": [result(measure, "utility", after=after, charts=[CHART])]}
    with transaction.atomic():
        content = json.dumps(report).encode()
        file = store(content + str(assessment.pk).encode(), assessment.run.key, "report.json")
        return assessments.record(
            assessment=assessment, fence=fence, report=report, file=file, engine_version="test"
        )


TABLE_CSV = b"zip,age,count,error95\n1,a,12,6\n1,b,-2,6\n2,a,7,6\n2,b,0,6\n"
EXACT_CSV = b"zip,age,exact,count,error95\n1,a,4711,12,6\n1,b,0,-2,6\n2,a,5,7,6\n2,b,1,0,6\n"


def make_table_run(release: Release, *, content: bytes = TABLE_CSV) -> Run:
    """A run that made a table with noise instead of microdata."""
    run = make_run(release)
    fence = Run.objects.claim(run.pk, WORKER, LEASE)
    assert fence is not None
    step = {"cells_from": {"zip": "declared categories", "age": "declared categories"}, "error95": 6}
    step |= {"error95_all_cells": 9, "codebook": ["Every count is a true count plus noise."]}
    loss = {"epsilon": 0.5, "delta": 0.0, "unit": "row", "neighbours": "add-remove"}
    report: dict[str, Any] = {
        "input": {"rows": 6, "columns": 3, "rows_without_consent": 0, "sha256": "ab" * 32},
        "output": {"rows": 4, "columns": 4},
        "steps": [{**step, "plan_seconds": 0.123}],
        "goals": [],
        "measures": [],
        "privacy_loss": loss,
        "public": {"steps": [step], "privacy_loss": loss},
    }
    with transaction.atomic():
        files = [
            _made(run, "table.csv", content, public=True),
            _made(run, "exact.csv", EXACT_CSV, public=False),
        ]
        return runs.record(
            run=run,
            fence=fence,
            files=files,
            report=report,
            goals=[],
            engine_version="test",
            microdata=False,
        )


def _made(run: Run, name: str, content: bytes, *, public: bool) -> Artifact:
    blob, rows = store(content, run.key, name), max(0, content.count(b"\n") - 1)
    told = {"name": name, "media_type": "text/csv", "public": public, "rows": rows}
    return Artifact(run=run, blob=blob, sha256=blob.sha256, size=blob.size, **told)


def _report(
    run: Run, smallest_class: int, goals_hold: bool, epsilon: str, unique_share: float
) -> dict[str, Any]:
    before, after = _reidentification(6, 1), _reidentification(1, smallest_class)
    return {
        "version": 2,
        "input": {"rows": 6, "columns": 3, "rows_without_consent": 0},
        "output": {"rows": 6, "columns": 3, "family": "truthful"},
        "engine": {"version": "test", "seconds": 0.1, "peak_memory_bytes": 1},
        "steps": [
            {
                "method": "generalization",
                "levels": {"age": 1, "zip": 1},
                "heights": {"age": 2, "zip": 2},
                "suppressed_rows": 0,
                "suppressed_cells": 0,
                "classes": 1,
                "smallest_class": smallest_class,
                "objective": "loss",
                "score": 0.5,
            }
        ],
        "goals": [
            {
                "goal": "k-anonymity",
                "required": 5,
                "achieved": smallest_class,
                "holds": goals_hold,
                "violating_rows": 0,
            }
        ],
        "measures": [
            result("reidentification", "risk", before=before, after=after, charts=[RISK_CHART]),
            result("kept-columns", "risk", after={"unique_share": unique_share}),
            *_idle(run, {"reidentification", "kept-columns"}),
        ],
        "privacy_loss": {"epsilon": float(epsilon), "delta": 0, "unit": "row", "neighbours": "add-remove"},
    }


NOTHING_THERE = "There is nothing of the kind in this release."
NOBODY_ALONE = {"unique_share": 0.0, "exposed_share": 0.0}


def _idle(run: Run, found: Set[str]) -> list[dict[str, Any]]:
    """What a new project demands besides, where nothing is found; nobody stands out beside others."""
    beside = [slug for slug, one in catalogue.measures().items() if one.looks_beside]
    demanded = dict.fromkeys([*(one.measure for one in protecting()), *beside])
    nothing = {"state": "does-not-apply", "reason": NOTHING_THERE}
    compared = {slug: {"after": NOBODY_ALONE} for slug in beside if run.others.exists()}
    return [result(one, "risk", **compared.get(one, nothing)) for one in demanded if one not in found]


def _reidentification(classes: int, smallest: int) -> dict[str, Any]:
    return {
        "classes": classes,
        "smallest_class": smallest,
        "unique_rows": classes if smallest == 1 else 0,
        "unique_share": 1.0 if smallest == 1 else 0.0,
        "average_risk": round(1 / smallest, 4),
        "highest_risk": 1 / smallest,
        "share_above": {"0.05": 1.0, "0.2": 0.0, "0.5": 0.0},
    }


def result(measure: str, section: str, **found: Any) -> dict[str, Any]:
    """An entry of a report of version 2, as an instance leaves it to which nothing was said."""
    contract = catalogue.measures().get(measure)
    params = contract.of({}).params() if contract else {}
    id = contract.of({}).id if contract else f"{measure}#44136fa3"
    entry = {"id": id, "measure": measure, "section": section, "params": params}
    nothing = {"before": None, "after": None, "charts": [], "seconds": 0.1}
    return {**entry, "state": "measured", "reason": None, **nothing, **found}


RISK_CHART: dict[str, Any] = {
    **CHART,
    "slug": "risk-per-row",
    "title": "Share of rows at or above each risk",
    "internal": False,
}


# Surveys

QUESTIONS: tuple[dict[str, Any], ...] = (
    {"name": "doping", "text": "Have you doped?", "answers": ["yes", "no"], "keep": Decimal("0.75")},
    {
        "name": "offer",
        "text": "Who offered?",
        "answers": ["nobody", "a friend", "a coach"],
        "epsilon": Decimal(1),
    },
)


def make_survey(team: Team, *moves: SurveyMove, invited: bool = False, days: int = 7) -> Survey:
    """A survey with two questions, open since today, after these moves."""
    population = make_population(team)
    survey = surveys.create(
        project=team.project, population=population, title=unique("Survey"), invited=invited, by=team.steward
    )
    for question in QUESTIONS:
        survey_questions.add(survey=survey, by=team.steward, **question)
    survey = describe_survey(survey, invited, days, by=team.steward)
    for move in moves:
        survey = surveys.move(survey=survey, move=move, by=team.steward)
    return survey


def describe_survey(survey: Survey, invited: bool = False, days: int = 7, *, by: User) -> Survey:
    """Open from today for some days."""
    today = timezone.localdate()
    return surveys.describe(
        survey=survey,
        title=survey.title,
        introduction="Who asks.",
        invited=invited,
        opens_on=today,
        closes_on=today + timedelta(days=days),
        by=by,
    )


def make_answers(survey: Survey, *answers: tuple[int, int]) -> Survey:
    """What browsers sent."""
    for codes in answers:
        survey_answers.receive(survey=survey, parameters=survey.parameters_sha256, codes=codes)
    survey.refresh_from_db()
    return survey
