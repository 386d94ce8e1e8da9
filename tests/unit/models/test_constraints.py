"""What must never be false is refused by the database itself, whoever writes."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from stewardapp.access.survey_states import SurveyMove
from stewardapp.models import (
    Allotment,
    Allowance,
    Artifact,
    Assessment,
    Blob,
    Bookmark,
    Charge,
    Column,
    Comment,
    DataKey,
    Dataset,
    Desk,
    Exploration,
    Hierarchy,
    Leak,
    Membership,
    Policy,
    PolicyRow,
    Population,
    Preview,
    ProjectKey,
    Proposal,
    Query,
    Reading,
    Release,
    Replay,
    Resemblance,
    Review,
    Run,
    Survey,
    SurveyAnswer,
    SurveyQuestion,
    Upload,
    Version,
)
from stewardapp.models.audit import AuditEvent, AuditHead
from stewardapp.models.sealed import Sealed
from tests import factories
from worker.engine.contracts.privacy import Spend

pytestmark = pytest.mark.django_db
NOW = timezone.now()
HASH = "a" * 64


def purse_check(model: type[models.Model], pool: str, unit: str) -> str:
    return f"{model._meta.model_name}_{pool}_{unit.partition('_')[0]}_within_limit"


# model, the change that must be refused, the constraint that refuses it
CHANGES: list[tuple[type[models.Model], dict[str, Any], str]] = [
    (Membership, {"role": "owner"}, "membership_role_known"),
    (Policy, {"version": 0}, "policy_version_counts"),
    (Policy, {"maximum_local_epsilon": -1}, "policy_local_epsilon_not_negative"),
    (Policy, {"reviewers": 0}, "policy_reviewers_1_to_3"),
    (Policy, {"reviewers": 4}, "policy_reviewers_1_to_3"),
    (Policy, {"retention_days": 0}, "policy_retention_days"),
    (Policy, {"maximum_epsilon_micro": -1}, "policy_epsilon_not_negative"),
    (PolicyRow, {"position": 0}, "policy_row_position_counts"),
    (ProjectKey, {"replaced_at": NOW}, "project_key_replaced_by_somebody"),
    (Blob, {"sha256": "x"}, "blob_hash_is_a_hash"),
    (Blob, {"size": -1}, "blob_size_not_negative"),
    (Survey, {"state": "lost"}, "survey_state_known"),
    (Survey, {"title": ""}, "survey_has_a_title"),
    (Survey, {"closes_on": "2000-01-01"}, "survey_closes_after_it_opens"),
    (Survey, {"parameters_sha256": ""}, "survey_opened_is_fixed"),
    (Survey, {"erase_on": None}, "survey_opened_is_fixed"),
    (SurveyQuestion, {"epsilon": 1, "keep": 0.5}, "survey_question_by_epsilon_or_keep"),
    (SurveyQuestion, {"epsilon": None, "keep": None}, "survey_question_by_epsilon_or_keep"),
    (SurveyQuestion, {"other_weight": 0}, "survey_question_truth_is_likelier"),
    (SurveyQuestion, {"true_weight": 1}, "survey_question_truth_is_likelier"),
    (SurveyQuestion, {"name": "same"}, "survey_question_name_once"),
    (SurveyQuestion, {"position": 7}, "survey_question_position_once"),
    (SurveyAnswer, {"number": 7}, "survey_answer_number_once"),
    (Upload, {"state": "lost"}, "upload_state_known"),
    (Upload, {"offset": 10**9}, "upload_offset_within_length"),
    (Upload, {"offset": 1}, "upload_complete_is_a_whole_version"),
    (Upload, {"version": None}, "upload_complete_is_a_whole_version"),
    (Version, {"number": 0}, "version_number_counts"),
    (Version, {"size": -1}, "version_size_not_negative"),
    (Dataset, {"removed_at": NOW}, "dataset_removed_by_somebody"),
    (Reading, {"rows": None}, "reading_table_with_rows"),
    (Reading, {"state": "failed", "error_code": "x"}, "reading_table_only_succeeded"),
    (Column, {"unknown_because": "measured-here"}, "column_unknown_says_why"),
    (Column, {"distinct": -1}, "column_counts_not_negative"),
    (Column, {"name": "same"}, "column_name_once"),
    (Column, {"position": 7}, "column_position_once"),
    (Hierarchy, {"sealed_lines": Sealed(b"a;*")}, "hierarchy_is_built_or_written"),
    (Artifact, {"sha256": ""}, "artifact_hash_is_a_hash"),
    (Bookmark, {"node": ""}, "bookmark_names_a_node"),
    (Leak, {"place": ""}, "leak_was_seen_somewhere"),
    (Leak, {"table": None}, "leak_read_has_table"),
    (Leak, {"rows": None}, "leak_read_has_table"),
    (Leak, {"state": "failed", "error_code": "x"}, "leak_read_has_table"),
    (Leak, {"unregistered_at": NOW}, "leak_unregistered_by_somebody"),
    (Assessment, {"why": "boredom"}, "assessment_why_known"),
    (Assessment, {"report_sha256": ""}, "assessment_succeeded_has_report"),
    (Assessment, {"file": None}, "assessment_succeeded_has_report"),
    (Artifact, {"size": -1}, "artifact_size_not_negative"),
    (Review, {"decision": "maybe"}, "review_decision_known"),
    (Review, {"reason": ""}, "review_has_a_reason"),
    (Review, {"manifest_sha256": ""}, "review_names_the_bytes"),
    (Comment, {"text": ""}, "comment_says_something"),
    (Comment, {"visibility": "secret"}, "comment_visibility_known"),
    (Comment, {"resolved_at": NOW}, "comment_resolved_by_somebody"),
    (AuditHead, {"id": 2}, "audit_head_is_one_row"),
    *(
        (model, {f"{pool}_{unit}": value}, purse_check(model, pool, unit))
        for model, pool, value in (
            (Population, "left", -1),
            (Population, "unshared", -1),
            (Population, "unshared", 10**12),
            (Allotment, "left", -1),
            (Allotment, "unshared", -1),
            (Allotment, "unshared", 10**12),
            (Allowance, "left", -1),
        )
        for unit in ("epsilon_micro", "delta_femto")
    ),
    (Proposal, {"kind": "wish"}, "proposal_kind_known"),
    (Proposal, {"state": "lost"}, "proposal_state_known"),
    (Proposal, {"decided_by": None}, "proposal_decided_by_somebody"),
    (Proposal, {"state": "open"}, "proposal_open_undecided"),
    (Proposal, {"decided_by": models.F("proposed_by")}, "proposal_confirmed_by_another"),
    (Proposal, {"epsilon_micro": None}, "proposal_says_what_its_kind_says"),
    (Desk, {"closed_at": NOW}, "desk_closed_by_somebody"),
    (Desk, {"rows_per_person": 0}, "desk_rows_per_person_counts"),
    (Query, {"epsilon_micro": 0}, "query_costs_something"),
    (
        Query,
        {"state": "succeeded", "finished_at": NOW, "percent": 100},
        "query_succeeded_was_charged",
    ),
    (Run, {"number": 0}, "run_number_counts"),
    (Run, {"manifest_sha256": ""}, "run_succeeded_has_manifest"),
    (Run, {"state": "queued", "finished_at": None}, "run_manifest_only_succeeded"),
    (Release, {"state": "lost"}, "release_state_known"),
    (Release, {"title": ""}, "release_has_a_title"),
    (Release, {"audience": "all"}, "release_audience_known"),
    (Release, {"submitted_by": None}, "release_submitted_by_somebody"),
    (Release, {"published_by": None}, "release_published_by_somebody"),
    (Release, {"revoked_at": NOW}, "release_revoked_by_somebody"),
    (Release, {"candidate_sha256": ""}, "release_candidate_with_hash"),
    (Release, {"candidate": None}, "release_candidate_with_hash"),
    (Release, {"candidate": None, "candidate_sha256": ""}, "release_reviewed_bytes_known"),
    (Release, {"policy": None}, "release_reviewed_bytes_known"),
    (Release, {"decided_at": None}, "release_decided_has_time"),
    (Release, {"published_at": None, "published_by": None}, "release_published_has_who"),
    (Release, {"state": "revoked"}, "release_revoked_has_who"),
]

JOBS: list[tuple[dict[str, Any], str]] = [
    ({"state": "lost"}, "state_known"),
    ({"percent": 101}, "percent_at_most_100"),
    ({"attempts": 9}, "attempts_within_fence"),
    ({"state": "failed", "error_code": "x"}, "ended_has_time"),
    ({"finished_at": NOW}, "alive_has_no_end"),
    ({"state": "running", "worker": "w"}, "running_has_lease"),
    ({"state": "running", "lease_until": NOW}, "running_has_lease"),
    ({"lease_until": NOW}, "lease_only_running"),
    ({"state": "failed", "finished_at": NOW}, "failed_has_code"),
    ({"state": "cancelled", "finished_at": NOW}, "cancelled_was_asked"),
    ({"cancel_requested_at": NOW}, "cancel_by_somebody"),
]


def published(team: factories.Team) -> Release:
    from stewardapp.actions import budgets, comments, hierarchies, project_keys

    release = factories.make_release(team, state="published")
    comments.add(release=release, text="Why?", by=team.steward)
    factories.make_answers(factories.make_survey(team, SurveyMove.OPEN), (0, 1), (1, 1))
    project_keys.create(project=team.project, by=team.steward)
    hierarchies.create(project=team.project, name="h", spec={"builder": "mask"}, by=team.steward)
    allotment = factories.give_budget(team, release.version.dataset.population, Spend(100, 100))
    budgets.allow(allotment=allotment, user=team.analyst, limit=Spend(100, 100), by=team.steward)
    made_query(team)
    assert release.candidate is not None
    factories.make_assessment(release.candidate)
    factories.make_bookmark(release.candidate)
    factories.make_leak(release.version.dataset.population, team.steward)
    return release


def made_query(team: factories.Team) -> Query:
    """A question that waits, about other people."""
    version = factories.read(factories.upload(team, data=factories.CSV + b"40,1017,none\n"))
    return factories.make_query(factories.make_desk(team, version=version), team.analyst)


def refused(rows: models.QuerySet[Any], change: dict[str, Any], constraint: str) -> None:
    assert rows.exists()
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        rows.update(**change)
    message = str(caught.value)
    # Where several are violated each database names one of its choice; SQLite does not name unique ones.
    own = (
        {one.name for one in rows.model._meta.constraints}
        if connection.vendor == "postgresql"
        else {constraint}
    )
    assert any(name in message for name in own) or "UNIQUE constraint failed" in message


def test_the_database_refuses() -> None:
    published(factories.make_project())
    for model, change, constraint in CHANGES:
        named = {one.name for one in model._meta.constraints}
        assert constraint in named, constraint
        refused(model._base_manager.all(), change, constraint)


def test_every_check_has_a_case() -> None:
    from django.apps import apps

    tried = {constraint for _, _, constraint in CHANGES}
    nouns = ("assessment", "exploration", "leak", "run", "reading", "preview", "query", "replay")
    tried |= {f"{noun}_{suffix}" for noun in nouns for _, suffix in JOBS}
    tried |= {"charge_for_a_step_or_a_query", "charge_takes_something", "charge_unit_known"}
    tried |= {
        "audit_anchor_is_sealed",
        "contribution_kind_known",
        "project_has_a_name",
        "population_has_a_name",
        "dataset_has_a_name",
        "resemblance_of_two",
    }
    checks = {
        constraint.name
        for model in apps.get_app_config("stewardapp").get_models()
        for constraint in model._meta.constraints
        if isinstance(constraint, models.CheckConstraint)
    }
    assert checks <= tried, checks - tried


@pytest.mark.parametrize(("change", "suffix"), JOBS)
def test_the_database_refuses_impossible_jobs(change: dict[str, Any], suffix: str) -> None:
    team = factories.make_project()
    version = factories.upload(team)
    release = factories.make_release(team)
    factories.make_run(release)
    factories.make_preview(release, done=False)
    made_query(team)
    factories.make_replay(team, done=False)
    factories.make_assessment(factories.make_succeeded_run(release), done=False)
    factories.make_exploration(factories.make_succeeded_run(release), done=False)
    factories.make_leak(factories.make_held_population(team), team.steward, done=False)
    refused(Reading.objects.filter(version=version), change, f"reading_{suffix}")
    refused(Run.objects.all(), change, f"run_{suffix}")
    refused(Preview.objects.all(), change, f"preview_{suffix}")
    refused(Query.objects.all(), change, f"query_{suffix}")
    refused(Replay.objects.all(), change, f"replay_{suffix}")
    refused(Assessment.objects.all(), change, f"assessment_{suffix}")
    refused(Exploration.objects.all(), change, f"exploration_{suffix}")
    refused(Leak.objects.all(), change, f"leak_{suffix}")


UNIQUE: list[Callable[[factories.Team, Release], models.Model]] = [
    lambda t, r: Membership(project=t.project, user=t.steward, role="steward"),
    lambda t, r: Policy(project=t.project, version=1),
    lambda t, r: Review(
        release=r,
        run=r.candidate,
        submission=1,
        manifest_sha256=r.candidate_sha256,
        reviewer=t.reviewer,
        decision="reject",
        reason="x",
    ),
    lambda t, r: (
        Run(
            release=r,
            reading=r.candidate.reading,
            number=r.candidate.number,
            recipe={},
            recipe_sha256="",
            started_by=t.steward,
            key=DataKey.objects.all()[0],
        )
        if r.candidate
        else r
    ),
    lambda t, r: ProjectKey(
        project=t.project, number=2, key=DataKey.objects.filter(project_key=None)[0], created_by=t.steward
    ),
    lambda t, r: Artifact(
        run=r.candidate, name="release.csv", media_type="", blob=Blob.objects.all()[0], sha256=HASH, size=1
    ),
]


@pytest.mark.parametrize("make", UNIQUE)
def test_the_database_refuses_doubles(make: Callable[[factories.Team, Release], models.Model]) -> None:
    team = factories.make_project()
    row = make(team, published(team))
    with pytest.raises(IntegrityError, match=r"UNIQUE|unique"), transaction.atomic():
        type(row)._base_manager.bulk_create([row])


def test_one_reading_at_a_time() -> None:
    team = factories.make_project()
    version = factories.upload(team)
    with pytest.raises(IntegrityError), transaction.atomic():
        Reading.objects.create(version=version, requested_by=team.steward)


def test_one_replay_at_a_time() -> None:
    team = factories.make_project()
    factories.make_replay(team)
    factories.make_replay(team, done=False)
    with pytest.raises(IntegrityError), transaction.atomic():
        Replay.objects.create(requested_by=team.steward)


@pytest.mark.parametrize(
    ("model", "word"), [("project", "name"), ("population", "name"), ("dataset", "name")]
)
def test_names_are_not_empty(model: str, word: str) -> None:
    from django.apps import apps

    factories.make_dataset(factories.make_project())
    refused(apps.get_model("stewardapp", model).objects.all(), {word: ""}, f"{model}_has_a_name")


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon_micro": 0},
        {"epsilon_micro": -1},
        {"delta_femto": -1},
        {"query": None},
        {"step": 0},
        {"unit": "house"},
    ],
)
def test_a_charge_is_for_one_thing_and_takes_something(change: dict[str, Any]) -> None:
    team = factories.make_project()
    version = factories.make_version(team)
    known = {"population": version.dataset.population, "project": team.project, "version": version}
    sound: dict[str, Any] = {
        "by": team.analyst,
        "query": version.pk,
        "what": "x",
        "epsilon_micro": 1,
        **known,
    }
    with pytest.raises(IntegrityError, match=r"charge_"), transaction.atomic():
        Charge(**sound | change).save()
    Charge(**sound).save()
    with pytest.raises(IntegrityError, match=r"UNIQUE|unique"), transaction.atomic():
        Charge(**sound).save()


def test_contributions_are_of_a_known_kind() -> None:
    from stewardapp.models import Contribution

    factories.make_release(factories.make_project())
    refused(Contribution.objects.filter(kind="created"), {"kind": "guessed"}, "contribution_kind_known")


def test_an_anchored_event_is_sealed() -> None:
    factories.make_project()
    last = AuditEvent.objects.all()[0]
    known = {"at": last.at, "action": "x", "subject_type": "project", "subject_id": last.subject_id}
    event = AuditEvent(id=last.id + 1, previous_hash=last.hash, hash="0" * 64, anchor=last.id, **known)
    with pytest.raises(IntegrityError, match="audit_anchor_is_sealed"), transaction.atomic():
        event.save()


def test_a_population_does_not_resemble_itself() -> None:
    version = factories.make_version(factories.make_project())
    same = {"population": version.dataset.population, "known": version.dataset.population}
    with pytest.raises(IntegrityError, match="resemblance_of_two"), transaction.atomic():
        Resemblance.objects.create(version=version, **same)
