"""What is measured of a run afterwards: who may have it, what waits for it, what votes are bound to."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from stewardapp.access import rules
from stewardapp.access.thresholds import meets_policy
from stewardapp.access.verdict import Conflict, Invalid, NotAllowed, Verdict
from stewardapp.actions import assessments, memberships, readings, releases, reviews, versions
from stewardapp.domain.assessed import candidate_sha256, is_counted
from stewardapp.domain.demands import Demand, looking_beside
from stewardapp.domain.facts import contributors_of, release_facts, run_facts
from stewardapp.models import Assessment, AuditEvent, Notification, Release, Run, User
from tests import factories
from tests.factories import ASKED, Team

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return factories.make_project(reviewers=2)


@pytest.fixture
def release(team: Team) -> Release:
    return factories.make_release(team, state="in-review")


def candidate_of(release: Release) -> Run:
    run = Release.objects.get(pk=release.pk).candidate
    assert run is not None
    return run


def fresh(release: Release) -> Release:
    return Release.objects.get(pk=release.pk)


def vote(release: Release, by: User, decision: str = "approve") -> Any:
    release = fresh(release)
    seen = release.candidate_sha256
    return reviews.decide(release=release, manifest_sha256=seen, decision=decision, reason="Read.", by=by)


def failed(assessment: Assessment) -> Assessment:
    fence = Assessment.objects.claim(assessment.pk, "w", 60)
    assert fence is not None
    assert Assessment.objects.fail(assessment.pk, fence, code="memory", message="Too much.")
    return Assessment.objects.get(pk=assessment.pk)


# Asked to know it


def test_what_somebody_wants_to_know_changes_no_candidate_and_blocks_nobody(
    team: Team, release: Release
) -> None:
    before = release.candidate_sha256
    vote(release, team.reviewer)
    made = factories.make_assessment(candidate_of(release), by=team.steward, done=False)
    vote(release, team.second_reviewer)
    made = factories.measured(made)
    run = candidate_of(release)
    assert (fresh(release).state, fresh(release).candidate_sha256) == ("approved", before)
    assert (run.assessed, is_counted(made)) == ({}, False)
    assert candidate_sha256(run) == run.manifest_sha256


def test_a_reviewer_who_asks_is_no_contributor(team: Team, release: Release) -> None:
    factories.make_assessment(candidate_of(release), by=team.reviewer)
    factories.make_demand(candidate_of(release), by=team.second_reviewer)
    assert not {team.reviewer.pk, team.second_reviewer.pk} & contributors_of(fresh(release))
    vote(release, team.reviewer)
    vote(release, team.second_reviewer)
    assert fresh(release).state == "approved"


def test_nothing_and_what_is_no_measure_is_refused(team: Team, release: Release) -> None:
    run = candidate_of(release)
    with pytest.raises(Invalid) as nothing:
        assessments.ask(run=run, measures=[], by=team.steward)
    assert nothing.value.code == "nothing-asked"
    for measures in (["no-such"], [{"measure": "marginals", "params": {"column": "age"}}]):
        with pytest.raises(Invalid) as wrong:
            assessments.ask(run=run, measures=measures, by=team.steward)
        assert wrong.value.param.startswith("measures[0]")


def test_the_same_is_not_measured_twice_at_once(team: Team, release: Release) -> None:
    run = candidate_of(release)
    first = factories.make_assessment(run, by=team.steward, done=False)
    with pytest.raises(Conflict, match="already"):
        factories.make_assessment(run, by=team.co_steward, done=False)
    factories.make_demand(run, by=team.reviewer, done=False)
    factories.measured(first)
    factories.make_assessment(run, by=team.co_steward, done=False)


def test_only_what_is_there_can_be_measured(team: Team) -> None:
    release = factories.make_release(team)
    waiting = factories.make_run(release)
    with pytest.raises(NotAllowed, match="succeeded"):
        assessments.ask(run=waiting, measures=[ASKED], by=team.steward)
    run = factories.make_succeeded_run(factories.make_release(team))
    factories.read_again(run.release.version, team.steward)
    with pytest.raises(NotAllowed, match="read otherwise"):
        assessments.ask(run=run, measures=[ASKED], by=team.steward)


def test_a_table_that_waits_to_be_measured_outlives_another_reading(team: Team) -> None:
    run = factories.make_succeeded_run(factories.make_release(team))
    readings.start(version=run.release.version, dialect={"missing": ["", "9"]}, by=team.steward)
    made = factories.make_assessment(run, done=False)
    factories.read(run.release.version, profile=factories.OTHER_PROFILE, content=b"another table")
    table = Assessment.objects.get(pk=made.pk).run.reading.table
    assert table is not None
    assert table.destroyed_at is None


def test_data_are_not_destroyed_while_they_are_measured(team: Team) -> None:
    run = factories.make_succeeded_run(factories.make_release(team))
    made = factories.make_assessment(run, done=False)
    version = run.release.version
    with pytest.raises(NotAllowed, match="using this version"):
        versions.destroy(version=version, reason="Asked for.", by=team.steward)
    assessments.cancel(assessment=made, by=team.steward)
    versions.destroy(version=version, reason="Asked for.", by=team.steward)
    with pytest.raises(NotAllowed, match="destroyed"):
        assessments.ask(run=run, measures=[ASKED], by=team.steward)


def test_an_auxiliary_file_is_in_use_too(team: Team) -> None:
    run = factories.make_succeeded_run(factories.make_release(team))
    people = factories.make_version(team)
    made = factories.make_assessment(run, done=False)
    made.compared.set([people.read_now()])
    assert people.facts().busy
    factories.measured(made)
    assert not people.facts().busy


# Demanded


def test_nobody_approves_before_what_was_demanded_has_ended(team: Team, release: Release) -> None:
    made = factories.make_demand(candidate_of(release), by=team.reviewer, done=False)
    with pytest.raises(NotAllowed, match="has not ended"):
        vote(release, team.second_reviewer)
    failed(made)
    with pytest.raises(NotAllowed, match="failed"):
        vote(release, team.second_reviewer)
    vote(release, team.second_reviewer, "reject")
    assert fresh(release).state == "in-review"


def test_a_demanded_report_is_part_of_what_is_voted_on_and_drops_the_votes_before(
    team: Team, release: Release, django_capture_on_commit_callbacks: Any
) -> None:
    before = release.candidate_sha256
    vote(release, team.second_reviewer)
    with django_capture_on_commit_callbacks(execute=True):
        made = factories.make_demand(candidate_of(release), by=team.reviewer)
    after = fresh(release)
    run = candidate_of(release)
    assert after.candidate_sha256 == candidate_sha256(run) != before
    assert is_counted(made)
    assert release_facts(after).votes == ()
    told = Notification.objects.filter(user=team.second_reviewer).latest("created_at").text
    assert "vote again" in told
    with pytest.raises(Conflict, match="candidate changed"):
        reviews.decide(
            release=after, manifest_sha256=before, decision="approve", reason="R.", by=team.second_reviewer
        )
    vote(release, team.second_reviewer)
    vote(release, team.reviewer)
    approved = fresh(release)
    assert approved.state == "approved"
    releases.publish(release=approved, manifest_sha256=approved.candidate_sha256, by=team.steward)


def test_another_report_is_another_candidate(team: Team, release: Release) -> None:
    run = candidate_of(release)
    factories.make_demand(run, by=team.reviewer)
    one = fresh(release).candidate_sha256
    factories.make_demand(run, by=team.reviewer, mean_total_variation=0.5)
    assert fresh(release).candidate_sha256 != one
    assert len(candidate_of(release).assessed["reports"]) == 2


def test_a_run_that_is_submitted_again_keeps_what_was_demanded_of_it(team: Team, release: Release) -> None:
    run = candidate_of(release)
    factories.make_demand(run, by=team.reviewer)
    bound = fresh(release).candidate_sha256
    for person in (team.reviewer, team.second_reviewer):
        vote(release, person, "request-changes")
    again = releases.submit(release=fresh(release), run=run, by=team.steward)
    assert again.candidate_sha256 == bound != run.manifest_sha256


def test_what_ends_after_the_decision_is_shown_and_counts_no_more(team: Team, release: Release) -> None:
    made = factories.make_demand(candidate_of(release), by=team.reviewer, done=False)
    before = fresh(release).candidate_sha256
    for person in (team.reviewer, team.second_reviewer):
        vote(release, person, "reject")
    made = factories.measured(made)
    assert (made.state, is_counted(made)) == ("succeeded", False)
    assert (fresh(release).state, fresh(release).candidate_sha256) == ("rejected", before)


@pytest.mark.parametrize("state", ["draft", "changes-requested", "approved", "published", "withdrawn"])
def test_only_of_a_candidate_in_review_something_is_demanded(state: str) -> None:
    team = factories.make_project()
    release = factories.make_release(team, state=state)
    run = release.candidate or factories.make_succeeded_run(factories.make_release(team))
    with pytest.raises(NotAllowed, match="in review can be demanded"):
        assessments.demand(run=run, measures=[ASKED], by=team.reviewer)


def test_of_another_run_and_by_whoever_had_a_hand_in_it_nothing_is_demanded(
    team: Team, release: Release
) -> None:
    run = candidate_of(release)
    other = factories.make_succeeded_run(factories.make_release(team))
    Run.objects.filter(pk=other.pk).update(release=release, number=7)
    with pytest.raises(NotAllowed, match="candidate"):
        assessments.demand(run=Run.objects.get(pk=other.pk), measures=[ASKED], by=team.reviewer)
    memberships.add(project=team.project, user=team.steward, role="reviewer", by=team.admin)
    with pytest.raises(NotAllowed, match="author"):
        assessments.demand(run=run, measures=[ASKED], by=team.steward)


# Stopped and given up


def test_what_a_reviewer_demanded_is_no_stewards_to_stop(team: Team, release: Release) -> None:
    made = factories.make_demand(candidate_of(release), by=team.reviewer, done=False)
    with pytest.raises(NotAllowed, match="reviewer"):
        assessments.cancel(assessment=made, by=team.steward)
    assessments.cancel(assessment=made, by=team.second_reviewer)
    assert Assessment.objects.get(pk=made.pk).state == "cancelled"
    vote(release, team.second_reviewer)


def test_one_that_failed_is_given_up_by_a_reviewer(team: Team, release: Release) -> None:
    made = failed(factories.make_demand(candidate_of(release), by=team.reviewer, done=False))
    with pytest.raises(NotAllowed):
        assessments.cancel(assessment=made, by=team.steward)
    assessments.cancel(assessment=made, by=team.reviewer)
    vote(release, team.reviewer)
    vote(release, team.second_reviewer)
    assert fresh(release).state == "approved"


def test_what_ended_cannot_be_stopped(team: Team, release: Release) -> None:
    made = factories.make_assessment(candidate_of(release), by=team.steward)
    with pytest.raises(NotAllowed, match="already ended"):
        assessments.cancel(assessment=made, by=team.steward)
    other = factories.make_demand(candidate_of(release), by=team.reviewer, done=False)
    fence = Assessment.objects.claim(other.pk, "w", 60)
    assert fence is not None
    stopping = assessments.cancel(assessment=other, by=team.reviewer)
    assert (stopping.state, stopping.cancel_requested_at is not None) == ("running", True)
    with pytest.raises(NotAllowed, match="being cancelled"):
        assessments.cancel(assessment=other, by=team.reviewer)


def test_a_cancel_in_the_last_moment(team: Team, release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended after the rule was asked."""
    made = factories.make_assessment(candidate_of(release), by=team.steward, done=False)
    monkeypatch.setattr(type(Assessment.objects.all()), "request_cancel", lambda *_: False)
    with pytest.raises(Conflict, match="has ended"):
        assessments.cancel(assessment=made, by=team.steward)


def test_whoever_lost_the_claim_records_nothing(team: Team, release: Release) -> None:
    made = factories.make_demand(candidate_of(release), by=team.reviewer, done=False)
    file = factories.store(b"{}", made.run.key, "report.json")
    with pytest.raises(Conflict, match="Another worker"):
        assessments.record(assessment=made, fence=7, report={}, file=file, engine_version="1")
    assert candidate_of(release).assessed == {}


# What the policy asks


def policy_of_more(team: Team) -> None:
    """A row about something that no run of before measured."""
    more = Demand("marginals", "mean_total_variation", Decimal("0.3"))
    factories.revise_policy(team.project, team.admin, rows=[*factories.demands(), more])


def met(run: Run) -> Verdict:
    return meets_policy(run_facts(run), run.release.judged_by.facts())


def test_a_row_is_judged_by_what_was_measured_for_the_policy() -> None:
    team = factories.make_project()
    run = factories.make_succeeded_run(factories.make_release(team))
    with pytest.raises(NotAllowed, match="everything that the policy asks"):
        assessments.measure_policy(run=run, by=team.steward)
    policy_of_more(team)
    run = Run.objects.get(pk=run.pk)
    assert met(run).code == "row-unknown"
    made = assessments.measure_policy(run=run, by=team.steward)
    assert (made.why, made.measures) == ("policy", [ASKED])
    factories.measured(made, mean_total_variation=0.2)
    run = Run.objects.get(pk=run.pk)
    assert met(run)
    release = releases.submit(release=run.release, run=run, by=team.steward)
    assert release.candidate_sha256 == candidate_sha256(run) != run.manifest_sha256


def test_a_row_that_it_misses_is_missed() -> None:
    team = factories.make_project()
    run = factories.make_succeeded_run(factories.make_release(team))
    policy_of_more(team)
    made = assessments.measure_policy(run=Run.objects.get(pk=run.pk), by=team.steward)
    factories.measured(made, mean_total_variation=0.4)
    assert met(Run.objects.get(pk=run.pk)).code == "row-missed"


def test_what_was_only_asked_for_judges_nothing() -> None:
    """A verdict hangs on nothing that votes are not bound to."""
    team = factories.make_project()
    run = factories.make_succeeded_run(factories.make_release(team))
    policy_of_more(team)
    factories.make_assessment(run, mean_total_variation=0.2)
    assert met(Run.objects.get(pk=run.pk)).code == "row-unknown"


def test_the_runs_own_figure_stands_and_one_that_failed_is_measured_again() -> None:
    team = factories.make_project()
    run = factories.make_succeeded_run(factories.make_release(team), smallest_class=6)
    instance = next(iter(run.figures["results"]))
    found = {"measure": "reidentification", "state": "failed", "reason": "None.", "figures": {}, "idle": []}
    better = {**found, "state": "measured", "figures": {"smallest_class": 50}}
    Run.objects.filter(pk=run.pk).update(assessed={"reports": [], "results": {instance: better}})
    assert run_facts(Run.objects.get(pk=run.pk)).measured[instance].figures["smallest_class"] == 6
    figures = {**run.figures, "results": {**run.figures["results"], instance: found}}
    Run.objects.filter(pk=run.pk).update(figures=figures)
    assert run_facts(Run.objects.get(pk=run.pk)).measured[instance].figures["smallest_class"] == 50
    Run.objects.filter(pk=run.pk).update(assessed={})
    made = assessments.measure_policy(run=Run.objects.get(pk=run.pk), by=team.steward)
    assert [one["measure"] for one in made.measures] == ["reidentification"]


def test_in_a_review_the_policy_is_asked_for_by_reviewers_alone() -> None:
    team = factories.make_project()
    policy_of_more(team)
    release = factories.make_release(team)
    run = factories.make_succeeded_run(release)
    figures = run.figures["results"]
    marginals = {"marginals#44136fa3": factories_result()}
    Run.objects.filter(pk=run.pk).update(figures={**run.figures, "results": {**figures, **marginals}})
    release = releases.submit(release=release, run=run, by=team.steward)
    Run.objects.filter(pk=run.pk).update(figures=run.figures)
    with pytest.raises(NotAllowed, match="Only a reviewer"):
        assessments.measure_policy(run=run, by=team.steward)
    made = assessments.measure_policy(run=run, by=team.reviewer)
    assert not rules.may_approve(release.person(team.reviewer), release_facts(fresh(release)))
    assert rules.may_stop_assessment(release.person(team.steward), release_facts(release), made.facts())


def factories_result() -> dict[str, Any]:
    found = {"measure": "marginals", "state": "measured", "reason": "", "idle": []}
    return {**found, "figures": {"mean_total_variation": 0.1}}


def test_the_log_tells_what_was_asked_and_whether_it_counts(team: Team, release: Release) -> None:
    made = factories.make_demand(candidate_of(release), by=team.reviewer)
    events = {event.action: event.details for event in AuditEvent.objects.about(made)}
    assert events["assessment.succeeded"]["counts"] is True
    assert events["assessment.succeeded"]["report_sha256"] == made.report_sha256
    assert events["assessment.demanded"]["why"] == "reviewer"


# Demanded of what is put forward


def published(team: Team) -> Release:
    """One that everybody may have: whoever is put forward next is compared with it."""
    return factories.make_release(team, state="published")


def put_forward(team: Team, beside: Release) -> tuple[Release, Assessment | None]:
    """A run that ended before the other release was out."""
    release = factories.make_release(team, version=beside.version)
    run = factories.make_succeeded_run(release)
    run.others.clear()
    release = releases.submit(release=release, run=run, by=team.steward)
    return release, Assessment.objects.filter(run=release.candidate_id).first()


def test_alone_nothing_is_demanded_of_what_is_put_forward(team: Team, release: Release) -> None:
    assert not Assessment.objects.exists()


def test_beside_another_release_nobody_approves_before_both_were_compared(team: Team) -> None:
    out = published(team)
    release, made = put_forward(team, out)
    assert made is not None
    assert made.why == "policy"
    assert made.asked_by == release.submitted_by
    assert {one["measure"] for one in made.measures} == {"intersection", "differencing"}
    assert list(made.others.all()) == [out.candidate]
    with pytest.raises(NotAllowed, match="has not ended yet"):
        vote(release, team.reviewer)
    before = fresh(release).candidate_sha256
    factories.measured(made, "intersection")
    assert fresh(release).candidate_sha256 != before
    vote(release, team.reviewer)
    submitted = AuditEvent.objects.filter(action="release.submitted").latest("pk")
    assert submitted.details["assessment"] == str(made.pk)


def looked(team: Team, run: Run) -> dict[str, object]:
    fresh_run = Run.objects.get(pk=run.pk)
    return assessments.look_beside(run=fresh_run, policy=team.project.policy, by=team.steward)


def test_what_the_run_was_compared_with_already_is_not_demanded_again(team: Team) -> None:
    out = published(team)
    run = factories.make_succeeded_run(factories.make_release(team, version=out.version))
    run.others.set([candidate_of(out)])
    found = {
        one.id: {"state": "measured", "reason": "", "figures": {}, "idle": []}
        for one in looking_beside(team.project.policy)
    }
    Run.objects.filter(pk=run.pk).update(figures={**run.figures, "results": found})
    assert looked(team, run) == {}
    run.others.clear()
    assert looked(team, run)


# More went out since


def approved_by_both(team: Team, release: Release) -> Release:
    vote(release, team.reviewer)
    vote(release, team.second_reviewer)
    return fresh(release)


def publish(team: Team, release: Release) -> Release:
    release = fresh(release)
    seen = release.candidate_sha256
    return releases.publish(release=release, manifest_sha256=seen, by=team.steward)


def two_at_once(team: Team) -> tuple[Release, Release]:
    """About the same people, both put forward while neither was out."""
    one = factories.make_release(team, state="in-review")
    other = factories.make_release(team, state="in-review", version=one.version)
    assert not Assessment.objects.exists()
    return one, other


def test_of_two_that_were_approved_side_by_side_the_second_is_not_published_unseen(team: Team) -> None:
    one, other = (approved_by_both(team, release) for release in two_at_once(team))
    with pytest.raises(NotAllowed, match="still count"):
        releases.reopen(release=other, by=team.steward)
    publish(team, one)
    with pytest.raises(NotAllowed, match="Return this one to review"):
        publish(team, other)
    again = releases.reopen(release=fresh(other), by=team.steward)
    made = Assessment.objects.get(run=again.candidate_id)
    assert (made.why, list(made.others.all())) == ("policy", [candidate_of(one)])
    told = AuditEvent.objects.filter(action="release.reopened").latest("pk")
    assert told.details["assessment"] == str(made.pk)
    assert release_facts(again).demands == ("queued",)
    factories.measured(made, "intersection")
    assert publish(team, approved_by_both(team, other)).state == "published"


def test_nobody_approves_beside_a_release_that_was_published_during_the_review(team: Team) -> None:
    one, other = two_at_once(team)
    publish(team, approved_by_both(team, one))
    assert release_facts(fresh(other)).uncompared
    with pytest.raises(NotAllowed, match="Have them compared first"):
        vote(other, team.reviewer)
    vote(other, team.second_reviewer, "request-changes")
    made = assessments.measure_policy(run=candidate_of(other), by=team.reviewer)
    assert {one["measure"] for one in made.measures} == {"intersection", "differencing"}
    factories.measured(made, "intersection")
    assert not release_facts(fresh(other)).uncompared
    assert publish(team, approved_by_both(team, other)).state == "published"


def test_what_was_only_asked_for_compares_nothing(team: Team) -> None:
    one, other = two_at_once(team)
    publish(team, approved_by_both(team, one))
    both = [{"measure": name, "params": {}} for name in ("intersection", "differencing")]
    factories.measured(assessments.ask(run=candidate_of(other), measures=both, by=team.steward))
    assert release_facts(fresh(other)).uncompared
    factories.make_demand(candidate_of(other), by=team.reviewer)
    assert release_facts(fresh(other)).uncompared, "something else was demanded, with the same releases out"


def test_what_can_be_measured_no_more_holds_up_nobody(team: Team) -> None:
    one, other = (approved_by_both(team, release) for release in two_at_once(team))
    publish(team, one)
    versions.destroy(version=other.version, reason="Asked for.", by=team.steward)
    assert publish(team, other).state == "published"


def test_people_of_another_population_are_no_reason_to_wait(team: Team) -> None:
    one, other = (approved_by_both(team, factories.make_release(team, state="in-review")) for _ in "ab")
    publish(team, one)
    assert publish(team, other).state == "published"
