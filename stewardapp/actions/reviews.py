"""Votes on a candidate, and what they decide."""

from __future__ import annotations

from django.utils import timezone

from stewardapp.access.rules import may_decide
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.access.workflow import Decision
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.moves import change, move
from stewardapp.domain.facts import release_facts
from stewardapp.domain.text import required
from stewardapp.models import Release, Review, User
from stewardapp.notifications import notify

OUTCOMES = {
    Decision.APPROVE: "approved",
    Decision.REQUEST_CHANGES: "sent back for changes",
    Decision.REJECT: "rejected",
}


@action
def decide(*, release: Release, manifest_sha256: str, decision: str, reason: str, by: User) -> Review:
    """Vote on exactly the bytes that were looked at; the last vote the policy asks for settles it."""
    release = locked(release)
    facts, candidate = release_facts(release), release.candidate_sha256
    verdict = may_decide(
        release.person(by),
        facts,
        seen=manifest_sha256,
        candidate=candidate,
        approving=decision == Decision.APPROVE,
    )
    if verdict.code == "other-candidate":
        raise Conflict(verdict.code, verdict.reason)
    require(verdict)
    vote = _vote(release, _decision(decision), reason, by)
    outcome = _outcome([*(cast for _, cast in facts.votes), Decision(vote.decision)], facts.reviewers)
    _settle(release, outcome)
    details = {
        "decision": vote.decision,
        "manifest_sha256": manifest_sha256,
        "submission": vote.submission,
        "state": release.state,
    }
    audit.record("review.recorded", release, by=by, project=release.project, details=details)
    if outcome is not None:
        _tell(release, outcome)
    return vote


def _vote(release: Release, decision: Decision, reason: str, by: User) -> Review:
    assert release.candidate is not None  # a constraint: in review there is a candidate
    return Review.objects.create(
        release=release,
        run=release.candidate,
        submission=release.submission,
        manifest_sha256=release.candidate_sha256,
        reviewer=by,
        decision=decision,
        reason=required(reason, "reason"),
    )


def _decision(decision: str) -> Decision:
    if decision not in list(Decision):
        raise Invalid("unknown-decision", "Approve, request changes, or reject.", "decision")
    return Decision(decision)


def _outcome(votes: list[Decision], needed: int) -> Decision | None:
    """Nothing before all votes are in; then one rejection rejects, one wish for changes sends back."""
    if len(votes) < needed:
        return None
    strictest = (Decision.REJECT, Decision.REQUEST_CHANGES, Decision.APPROVE)
    return next(decision for decision in strictest if decision in votes)


def _settle(release: Release, outcome: Decision | None) -> None:
    if outcome is None:
        change(release)
    else:
        move(release, outcome.value, decided_at=timezone.now())


def _tell(release: Release, outcome: Decision) -> None:
    people = {person.pk: person for person in (release.author, release.submitted_by) if person is not None}
    text = f"{release.title} was {OUTCOMES[outcome]}."
    notify(people.values(), text, f"/releases/{release.pk}/")
