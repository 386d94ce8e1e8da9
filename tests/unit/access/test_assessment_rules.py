"""Who has what measured of a run afterwards, every way it says no."""

from __future__ import annotations

from dataclasses import replace

import pytest

from stewardapp.access import rules
from stewardapp.access.facts import AssessmentFacts, Person
from stewardapp.access.workflow import EDITABLE, State
from tests.unit.access.test_rules import (
    ADMIN,
    ANALYST,
    ANONYMOUS,
    BOTH,
    DRAFT,
    IN_REVIEW,
    OUTSIDER,
    REVIEWER,
    RUN,
    SECOND,
    STEWARD,
    refused,
)

EVERYBODY = {STEWARD, REVIEWER, SECOND, BOTH, ANALYST, ADMIN, OUTSIDER, ANONYMOUS}
CANDIDATE = {"is_candidate": True}


@pytest.mark.parametrize("state", State)
def test_solutions_are_listed_for_the_team_while_the_data_are_there(state: State) -> None:
    release = replace(DRAFT, state=state)
    may = {one for one in EVERYBODY if rules.may_explore(one, release, RUN, charged=False)}
    assert may == {STEWARD, BOTH, REVIEWER, SECOND}
    refused(rules.may_explore(STEWARD, release, RUN, charged=True), "charged")
    refused(rules.may_explore(ADMIN, release, RUN, charged=True), "no-permission")
    refused(rules.may_explore(STEWARD, release, replace(RUN, table_there=False), charged=False), "read-again")
    gone = replace(release, version_destroyed=True)
    refused(rules.may_explore(STEWARD, gone, RUN, charged=False), "destroyed")


@pytest.mark.parametrize("state", State)
def test_stewards_ask_at_any_time_and_reviewers_in_a_review(state: State) -> None:
    release = replace(DRAFT, state=state)
    may = {one for one in EVERYBODY if rules.may_assess(one, release, RUN)}
    assert may == {STEWARD, BOTH} | ({REVIEWER, SECOND} if state is State.IN_REVIEW else set())
    assert may <= EVERYBODY
    refused(rules.may_assess(ANALYST, release, RUN), "no-permission")
    if state is not State.IN_REVIEW:
        refused(rules.may_assess(REVIEWER, release, RUN), "wrong-state")


@pytest.mark.parametrize("state", State)
def test_independent_reviewers_demand_of_the_candidate_in_review(state: State) -> None:
    release = replace(DRAFT, state=state, author_id=BOTH.id)
    may = {one for one in EVERYBODY if rules.may_demand(one, release, RUN, **CANDIDATE)}
    assert may == ({REVIEWER, SECOND} if state is State.IN_REVIEW else set())
    refused(rules.may_demand(STEWARD, release, RUN, **CANDIDATE), "no-permission")


def test_why_nothing_is_demanded() -> None:
    refused(rules.may_demand(REVIEWER, DRAFT, RUN, is_candidate=True), "wrong-state")
    refused(rules.may_demand(REVIEWER, IN_REVIEW, RUN, is_candidate=False), "not-the-candidate")
    shaped = replace(IN_REVIEW, contributor_ids=frozenset({REVIEWER.id}))
    refused(rules.may_demand(REVIEWER, shaped, RUN, is_candidate=True), "four-eyes")


def test_what_is_not_there_is_not_measured() -> None:
    for rule in (rules.may_assess, lambda *facts: rules.may_demand(*facts, **CANDIDATE)):
        refused(rule(REVIEWER, IN_REVIEW, replace(RUN, state="failed")), "run-not-succeeded")
        refused(rule(REVIEWER, replace(IN_REVIEW, version_destroyed=True), RUN), "destroyed")
        refused(rule(REVIEWER, IN_REVIEW, replace(RUN, table_there=False)), "read-again")


@pytest.mark.parametrize("state", State)
def test_what_the_policy_asks_is_measured_by_stewards_before_and_by_reviewers_in_a_review(
    state: State,
) -> None:
    release, lacking = replace(DRAFT, state=state), {"is_candidate": True, "lacking": True}
    may = {one for one in EVERYBODY if rules.may_measure_policy(one, release, RUN, **lacking)}
    before = {STEWARD, BOTH} if state in EDITABLE else set()
    assert may == before | ({REVIEWER, SECOND, BOTH} if state is State.IN_REVIEW else set())


def test_a_policy_that_is_answered_asks_for_nothing() -> None:
    answered = rules.may_measure_policy(STEWARD, DRAFT, RUN, is_candidate=False, lacking=False)
    refused(answered, "nothing-lacking")
    gone = replace(DRAFT, version_destroyed=True)
    refused(rules.may_measure_policy(STEWARD, gone, RUN, is_candidate=False, lacking=True), "destroyed")


WAITING = AssessmentFacts(state="queued", asked_by=REVIEWER.id)


def who_stops(assessment: AssessmentFacts) -> set[Person]:
    return {one for one in EVERYBODY if rules.may_stop_assessment(one, IN_REVIEW, assessment)}


def test_whoever_asked_and_stewards_stop_it() -> None:
    assert who_stops(WAITING) == {REVIEWER, STEWARD, BOTH}
    refused(rules.may_stop_assessment(SECOND, IN_REVIEW, WAITING), "no-permission")
    refused(rules.may_stop_assessment(STEWARD, IN_REVIEW, replace(WAITING, state="failed")), "ended")
    stopping = replace(WAITING, state="running", stop_requested=True)
    refused(rules.may_stop_assessment(STEWARD, IN_REVIEW, stopping), "stopping")


def test_what_a_reviewer_demanded_is_stopped_by_independent_reviewers() -> None:
    demanded = replace(WAITING, by_hand=False, by_reviewer=True)
    assert who_stops(demanded) == {REVIEWER, SECOND, BOTH}
    refused(rules.may_stop_assessment(STEWARD, IN_REVIEW, demanded), "no-permission")
    shaped = replace(IN_REVIEW, contributor_ids=frozenset({SECOND.id}))
    refused(rules.may_stop_assessment(SECOND, shaped, demanded), "four-eyes")


def test_what_was_demanded_and_failed_is_given_up() -> None:
    demanded = replace(WAITING, by_hand=False, state="failed")
    assert who_stops(demanded) == {REVIEWER, STEWARD, BOTH}
    refused(rules.may_stop_assessment(STEWARD, IN_REVIEW, replace(demanded, state="succeeded")), "ended")


def test_nobody_approves_before_what_was_demanded_has_a_result() -> None:
    waiting, broken = (replace(IN_REVIEW, demands=one) for one in (("running",), ("failed", "running")))
    assert "has not ended" in refused(rules.may_approve(REVIEWER, waiting), "not-looked-at")
    assert "failed" in refused(rules.may_approve(REVIEWER, broken), "not-looked-at")
    assert rules.may_approve(REVIEWER, IN_REVIEW)
    refused(rules.may_approve(STEWARD, waiting), "no-permission")
    seen = {"seen": "a", "candidate": "a"}
    refused(rules.may_decide(REVIEWER, waiting, **seen), "not-looked-at")
    assert rules.may_decide(REVIEWER, waiting, **seen, approving=False)
    assert rules.may_decide(REVIEWER, IN_REVIEW, **seen)
    refused(rules.may_decide(REVIEWER, waiting, seen="a", candidate="b"), "other-candidate")
