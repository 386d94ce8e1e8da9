"""Every rule, every way it says no."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from stewardapp.access import rules
from stewardapp.access.facts import (
    CommentFacts,
    JobFacts,
    MeasuredFacts,
    Person,
    PolicyFacts,
    ProjectKeyFacts,
    ReleaseFacts,
    RowFacts,
    RunFacts,
    VersionFacts,
)
from stewardapp.access.roles import Role
from stewardapp.access.verdict import Verdict
from stewardapp.access.workflow import Audience, Decision, State

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def person(*roles: Role, is_admin: bool = False) -> Person:
    return Person(id=uuid.uuid4(), roles=frozenset(roles), is_admin=is_admin)


STEWARD, REVIEWER, ANALYST = person(Role.STEWARD), person(Role.REVIEWER), person(Role.ANALYST)
SECOND, BOTH = person(Role.REVIEWER), person(Role.STEWARD, Role.REVIEWER)
ADMIN, OUTSIDER, ANONYMOUS = person(is_admin=True), person(), Person()
VERSION = VersionFacts()
DRAFT = ReleaseFacts(state=State.DRAFT, author_id=STEWARD.id, contributor_ids=frozenset({STEWARD.id}))
IN_REVIEW = replace(DRAFT, state=State.IN_REVIEW)
PUBLISHED = replace(DRAFT, state=State.PUBLISHED)
RUN = RunFacts(
    state="succeeded",
    goals_hold=True,
    measured={"sizes": MeasuredFacts(figures={"smallest_class": Decimal(9)})},
)
POLICY = PolicyFacts((RowFacts("sizes", "smallest_class", "Smallest class", Decimal(5), at_least=True),))


def refused(verdict: Verdict, code: str) -> str:
    assert not verdict
    assert verdict.code == code
    assert verdict.reason.endswith(".")
    return verdict.reason


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        (rules.may_view_project, {STEWARD, REVIEWER, ANALYST, ADMIN}),
        (rules.may_create_project, {ADMIN}),
        (rules.may_manage_members, {ADMIN}),
        (rules.may_revise_policy, {ADMIN}),
        (rules.may_manage_people, {ADMIN}),
        (rules.may_manage_populations, {STEWARD, ADMIN}),
        (rules.may_allow, {STEWARD, ADMIN}),
        (rules.may_propose_move, {STEWARD}),
        (rules.may_view_audit, {STEWARD, REVIEWER, ADMIN}),
        (rules.may_create_dataset, {STEWARD}),
        (rules.may_upload, {STEWARD}),
        (rules.may_view_version, {STEWARD, REVIEWER}),
        (rules.may_edit_hierarchies, {STEWARD}),
        (rules.may_view_release, {STEWARD, REVIEWER, ADMIN}),
    ],
)
def test_rules_about_the_person_alone(rule: object, allowed: set[Person]) -> None:
    assert callable(rule)
    everybody = {STEWARD, REVIEWER, ANALYST, ADMIN, OUTSIDER, ANONYMOUS}
    assert {someone for someone in everybody if rule(someone)} == allowed
    assert all(rule(someone).reason for someone in everybody - allowed)


def test_admins_are_told_why_they_do_not_read() -> None:
    refused(rules.may_view_version(ADMIN), "admins-do-not-read")
    assert "steward or a reviewer" in refused(rules.may_view_version(ANALYST), "no-permission")
    assert "administrator" in refused(rules.may_view_audit(ANALYST), "no-permission")


def test_the_key_of_a_project_is_made_once_and_replaced_when_nothing_uses_it() -> None:
    none, there, busy = ProjectKeyFacts(), ProjectKeyFacts(exists=True), ProjectKeyFacts(True, True)
    assert rules.may_create_project_key(STEWARD, none)
    refused(rules.may_create_project_key(STEWARD, there), "key-exists")
    refused(rules.may_create_project_key(ADMIN, none), "no-permission")
    assert rules.may_replace_project_key(STEWARD, there)
    assert rules.may_replace_project_key(ADMIN, there)
    refused(rules.may_replace_project_key(REVIEWER, there), "no-permission")
    refused(rules.may_replace_project_key(STEWARD, none), "no-key")
    refused(rules.may_replace_project_key(STEWARD, busy), "busy")


def test_data_that_is_gone_busy_or_unread() -> None:
    gone, busy = VersionFacts(destroyed=True), VersionFacts(busy=True)
    unread = VersionFacts(has_table=False)
    for rule in (rules.may_read_again, rules.may_tag, rules.may_destroy, rules.may_create_release):
        assert rule(STEWARD, VERSION)
        refused(rule(STEWARD, gone), "destroyed")
        refused(rule(ANALYST, VERSION), "no-permission")
    refused(rules.may_read_again(STEWARD, busy), "busy")
    refused(rules.may_destroy(ADMIN, busy), "busy")
    assert rules.may_destroy(ADMIN, VERSION)
    refused(rules.may_tag(STEWARD, unread), "not-read")
    refused(rules.may_create_release(STEWARD, unread), "not-read")


MOVES = {
    rules.may_edit_release: {State.DRAFT, State.CHANGES_REQUESTED},
    rules.may_withdraw: {State.DRAFT, State.CHANGES_REQUESTED, State.APPROVED},
    rules.may_publish: {State.APPROVED},
    rules.may_revoke: {State.PUBLISHED},
}


def test_an_approval_lasts_as_long_as_its_votes() -> None:
    votes = tuple(
        (uuid.uuid4(), decision) for decision in (Decision.APPROVE, Decision.APPROVE, Decision.REJECT)
    )
    approved = replace(DRAFT, state=State.APPROVED, reviewers=2, votes=votes[:2])
    assert rules.may_publish(STEWARD, approved)
    refused(rules.may_reopen(STEWARD, approved), "approved")
    for left in ((), votes[:1], votes[1:]):
        lapsed = replace(approved, votes=left)
        assert f"{min(len(left), 1)} of the 2" in refused(rules.may_publish(STEWARD, lapsed), "votes-lapsed")
        assert rules.may_reopen(STEWARD, lapsed)
        refused(rules.may_reopen(REVIEWER, lapsed), "no-permission")
        refused(rules.may_reopen(STEWARD, replace(lapsed, state=State.IN_REVIEW)), "wrong-state")


def test_what_went_out_since_is_compared_before_anything_leaves() -> None:
    beside = replace(IN_REVIEW, uncompared=True)
    assert rules.may_review(REVIEWER, beside), "whoever asks for changes need not wait"
    assert "compared first" in refused(rules.may_approve(REVIEWER, beside), "not-compared")
    refused(rules.may_approve(REVIEWER, replace(beside, demands=("queued",))), "not-looked-at")
    votes = ((uuid.uuid4(), Decision.APPROVE),)
    approved = replace(DRAFT, state=State.APPROVED, votes=votes, uncompared=True)
    refused(rules.may_publish(STEWARD, approved), "not-compared")
    assert rules.may_reopen(STEWARD, approved)
    assert rules.may_publish(STEWARD, replace(approved, uncompared=False))


def test_a_role_taken_later_reviews_what_begins_later() -> None:
    late = replace(REVIEWER, reviews_since=NOW)
    before, after = (replace(IN_REVIEW, begun_at=NOW + timedelta(seconds=s)) for s in (-1, 1))
    assert "begun before" in refused(rules.may_review(late, before), "came-later")
    refused(rules.may_comment(late, before, private=True), "came-later")
    assert rules.may_comment(late, before)
    assert rules.may_review(late, after)
    assert rules.may_review(REVIEWER, before)
    assert rules.may_review(late, IN_REVIEW)


@pytest.mark.parametrize("rule", MOVES)
@pytest.mark.parametrize("state", State)
def test_moves_follow_the_table(rule: object, state: State) -> None:
    assert callable(rule)
    release = replace(DRAFT, state=state, votes=((REVIEWER.id or uuid.uuid4(), Decision.APPROVE),))
    verdict = rule(STEWARD, release)
    if state in MOVES[rule]:
        assert verdict
    else:
        assert state.label.lower() in refused(verdict, "wrong-state")
    refused(rule(REVIEWER, release), "no-permission")
    refused(rule(ADMIN, release), "no-permission")


def test_starting_a_run() -> None:
    assert rules.may_start_run(STEWARD, DRAFT)
    refused(rules.may_start_run(REVIEWER, DRAFT), "no-permission")
    refused(rules.may_start_run(STEWARD, IN_REVIEW), "wrong-state")
    refused(rules.may_start_run(STEWARD, replace(DRAFT, version_destroyed=True)), "destroyed")
    refused(rules.may_start_run(STEWARD, replace(DRAFT, columns_tagged=False)), "nothing-tagged")
    refused(rules.may_start_run(STEWARD, replace(DRAFT, guessed_kinds=("age",))), "kind-guessed")


def test_cancelling_a_run() -> None:
    running = RunFacts(state="running")
    assert rules.may_cancel(STEWARD, running)
    assert rules.may_cancel(STEWARD, RunFacts(state="queued"))
    refused(rules.may_cancel(REVIEWER, running), "no-permission")
    refused(rules.may_cancel(STEWARD, RUN), "ended")
    refused(rules.may_cancel(STEWARD, replace(running, stop_requested=True)), "stopping")


def test_readings_are_cancelled_by_stewards_while_they_last() -> None:
    running = JobFacts(state="running")
    assert rules.may_cancel_reading(STEWARD, running)
    assert rules.may_cancel_reading(STEWARD, JobFacts(state="queued"))
    refused(rules.may_cancel_reading(REVIEWER, running), "no-permission")
    refused(rules.may_cancel_reading(ADMIN, running), "admins-do-not-read")
    refused(rules.may_cancel_reading(STEWARD, JobFacts(state="succeeded")), "ended")
    refused(rules.may_cancel_reading(STEWARD, replace(running, stop_requested=True)), "stopping")


def test_submitting() -> None:
    assert rules.may_submit(STEWARD, DRAFT, RUN, POLICY)
    refused(rules.may_submit(REVIEWER, DRAFT, RUN, POLICY), "no-permission")
    refused(rules.may_submit(STEWARD, IN_REVIEW, RUN, POLICY), "wrong-state")
    refused(rules.may_submit(STEWARD, replace(DRAFT, has_purpose=False), RUN, POLICY), "no-purpose")
    refused(rules.may_submit(STEWARD, DRAFT, replace(RUN, goals_hold=False), POLICY), "goals-fail")


def test_four_eyes() -> None:
    assert rules.may_review(REVIEWER, IN_REVIEW)
    own = replace(IN_REVIEW, author_id=BOTH.id)
    refused(rules.may_review(BOTH, own), "four-eyes")
    helped = replace(IN_REVIEW, contributor_ids=frozenset({BOTH.id}))
    refused(rules.may_review(BOTH, helped), "four-eyes")
    assert rules.may_review(BOTH, IN_REVIEW)
    refused(rules.may_review(STEWARD, IN_REVIEW), "no-permission")
    refused(rules.may_review(ADMIN, IN_REVIEW), "no-permission")
    refused(rules.may_review(REVIEWER, DRAFT), "wrong-state")


def test_one_vote_each_and_a_second_factor_when_asked() -> None:
    voted = replace(IN_REVIEW, votes=((REVIEWER.id, Decision.APPROVE),), reviewers=2)
    refused(rules.may_review(REVIEWER, voted), "voted")
    assert rules.may_review(SECOND, voted)
    strict = replace(IN_REVIEW, require_second_factor=True)
    refused(rules.may_review(REVIEWER, strict), "second-factor")
    assert rules.may_review(replace(REVIEWER, second_factor=True), strict)


def test_deciding_on_the_bytes_that_were_seen() -> None:
    assert rules.may_decide(REVIEWER, IN_REVIEW, seen="a", candidate="a")
    refused(rules.may_decide(REVIEWER, IN_REVIEW, seen="a", candidate="b"), "other-candidate")
    refused(rules.may_decide(STEWARD, IN_REVIEW, seen="a", candidate="b"), "no-permission")


def test_votes_are_blind_until_all_are_in() -> None:
    assert REVIEWER.id is not None
    half = replace(IN_REVIEW, votes=((REVIEWER.id, Decision.APPROVE),), reviewers=2)
    assert rules.may_see_vote(REVIEWER, half, REVIEWER.id)
    refused(rules.may_see_vote(SECOND, half, REVIEWER.id), "blind")
    refused(rules.may_see_vote(ADMIN, half, REVIEWER.id), "blind")
    refused(rules.may_see_vote(ANALYST, half, REVIEWER.id), "no-permission")
    assert rules.may_see_vote(SECOND, replace(half, reviewers=1), REVIEWER.id)
    assert rules.may_see_vote(STEWARD, replace(half, state=State.APPROVED), REVIEWER.id)


def test_comments() -> None:
    assert SECOND.id is not None
    public, private = CommentFacts(author_id=SECOND.id), CommentFacts(author_id=SECOND.id, private=True)
    assert rules.may_comment(STEWARD, DRAFT)
    refused(rules.may_comment(ANALYST, DRAFT), "no-permission")
    assert rules.may_comment(REVIEWER, DRAFT, private=True)
    refused(rules.may_comment(STEWARD, DRAFT, private=True), "no-permission")
    contributed = replace(DRAFT, contributor_ids=frozenset({BOTH.id}))
    refused(rules.may_comment(BOTH, contributed, private=True), "four-eyes")
    assert rules.may_see_comment(STEWARD, DRAFT, public)
    refused(rules.may_see_comment(STEWARD, DRAFT, private), "no-permission")
    assert rules.may_see_comment(REVIEWER, DRAFT, private)
    assert rules.may_see_comment(SECOND, DRAFT, private)
    assert rules.may_resolve_comment(STEWARD, DRAFT, public)
    refused(rules.may_resolve_comment(STEWARD, DRAFT, private), "no-permission")
    refused(rules.may_resolve_comment(STEWARD, DRAFT, replace(public, resolved=True)), "resolved")


AUDIENCES = {
    Audience.PROJECT: {STEWARD, REVIEWER, ANALYST},
    Audience.SIGNED_IN: {STEWARD, REVIEWER, ANALYST, ADMIN, OUTSIDER},
    Audience.NAMED: {OUTSIDER},
    Audience.PUBLIC_LINK: {STEWARD, REVIEWER, ANALYST, ADMIN, OUTSIDER, ANONYMOUS},
}


@pytest.mark.parametrize("audience", Audience)
def test_downloads_are_for_the_audience(audience: Audience) -> None:
    release = replace(PUBLISHED, audience=audience, named_ids=frozenset({OUTSIDER.id}))
    everybody = {STEWARD, REVIEWER, ANALYST, ADMIN, OUTSIDER, ANONYMOUS}
    allowed = {someone for someone in everybody if rules.may_download(someone, release, now=NOW)}
    assert allowed == AUDIENCES[audience]
    for someone in everybody - allowed:
        code = "audience" if someone.signed_in else "sign-in"
        refused(rules.may_download(someone, release, now=NOW), code)


def test_downloads_wait_for_the_embargo() -> None:
    release = replace(PUBLISHED, embargo_until=NOW)
    assert rules.may_download(ANALYST, release, now=NOW)
    assert "01 January 2030" in refused(
        rules.may_download(ANALYST, release, now=NOW - timedelta(seconds=1)), "embargo"
    )


def test_downloads_end_with_a_revocation() -> None:
    refused(rules.may_download(ANALYST, replace(PUBLISHED, state=State.REVOKED), now=NOW), "revoked")
    refused(rules.may_download(ANALYST, DRAFT, now=NOW), "not-published")
