"""Rules about releases, runs, reviews and downloads."""

from __future__ import annotations

import uuid
from datetime import datetime

from stewardapp.access.budget_rules import may_spend
from stewardapp.access.data_rules import exists, was_read
from stewardapp.access.facts import CommentFacts, Person, PolicyFacts, ReleaseFacts, RunFacts, VersionFacts
from stewardapp.access.permitted import permitted, stoppable
from stewardapp.access.roles import Permission
from stewardapp.access.thresholds import meets_policy
from stewardapp.access.verdict import Verdict, first_no, no, yes
from stewardapp.access.workflow import EDITABLE, Audience, State, transition


def _movable(person: Person, release: ReleaseFacts, name: str, what: str) -> Verdict:
    """Whether the table of transitions lets this person make this move from this state."""
    row = transition(name)
    allowed = permitted(person, row.permission, what)
    if not allowed or release.state in row.sources:
        return allowed
    needed = " or ".join(state.label.lower() for state in State if state in row.sources)
    reason = f"This release is {release.state.label.lower()}; to {what} it has to be {needed}."
    return no("wrong-state", reason)


# Releases and runs


def may_view_release(person: Person) -> Verdict:
    """See the working pages of a release."""
    return permitted(person, Permission.VIEW_RELEASE, "see releases in preparation")


def may_create_release(person: Person, version: VersionFacts) -> Verdict:
    """Begin a release from a version."""
    return first_no(
        permitted(person, Permission.EDIT_RELEASE, "create a release"), exists(version), was_read(version)
    )


def may_begin_edition(person: Person, release: ReleaseFacts, version: VersionFacts) -> Verdict:
    """Begin the next edition of a release that was published."""
    return first_no(may_create_release(person, version), may_continue(person, release))


def may_continue(person: Person, release: ReleaseFacts) -> Verdict:
    """Whether a release can have a next edition, whatever version that would be made from."""
    allowed = permitted(person, Permission.EDIT_RELEASE, "begin a new edition")
    if allowed and release.state not in (State.PUBLISHED, State.REVOKED):
        return no("not-published", "Only a release that was published has a next edition.")
    return allowed


def may_edit_release(person: Person, release: ReleaseFacts) -> Verdict:
    """Change recipe, purpose, context, audience of a release that nobody is reviewing."""
    return _movable(person, release, "edit", "edit")


def may_start_run(person: Person, release: ReleaseFacts) -> Verdict:
    """Queue a run of the recipe as it stands."""
    return first_no(
        may_try_step(person, release), _kinds_confirmed(release), may_spend(release.price, release.policy)
    )


def _kinds_confirmed(release: ReleaseFacts) -> Verdict:
    if not release.guessed_kinds:
        return yes()
    names = ", ".join(release.guessed_kinds)
    return no(
        "kind-guessed",
        f"The kind of {names} is a guess from the data, on which no step with differential privacy may rely. "
        "Confirm it first.",
    )


def may_try_step(person: Person, release: ReleaseFacts) -> Verdict:
    """Have a worker try one step, whatever the others cost: a step that costs something is never tried."""
    allowed = permitted(person, Permission.RUN, "start a run")
    if not allowed:
        return allowed
    if release.state not in EDITABLE:
        return no("wrong-state", f"This release is {release.state.label.lower()}; runs need a draft.")
    if release.version_destroyed:
        return no("destroyed", "The data of this version were destroyed.")
    if not release.columns_tagged:
        return no("nothing-tagged", "No column is tagged: everything would be dropped. Tag columns first.")
    return yes()


def may_cancel(person: Person, run: RunFacts) -> Verdict:
    """Stop a run that is queued or running."""
    return first_no(permitted(person, Permission.RUN, "cancel a run"), stoppable("run", run))


def may_submit(person: Person, release: ReleaseFacts, run: RunFacts, policy: PolicyFacts) -> Verdict:
    """Put a run forward as the candidate."""
    return first_no(
        _movable(person, release, "submit", "submit"),
        _described(release),
        meets_policy(run, policy, reason_stated=release.has_reason_for_unique),
    )


def _described(release: ReleaseFacts) -> Verdict:
    if release.has_purpose:
        return yes()
    return no("no-purpose", "Say what the release is for before you submit it: reviewers need the purpose.")


def may_withdraw(person: Person, release: ReleaseFacts) -> Verdict:
    """Give a release up."""
    return _movable(person, release, "withdraw", "withdraw")


# Review


def may_review(person: Person, release: ReleaseFacts) -> Verdict:
    """Vote on the candidate: four eyes, once, with a second factor when the policy asks for it."""
    return first_no(
        _movable(person, release, "approve", "review"),
        independent(person, release),
        _not_voted(person, release),
        _second_factor(person, release),
    )


def may_decide(
    person: Person, release: ReleaseFacts, *, seen: str, candidate: str, approving: bool = True
) -> Verdict:
    """Vote on these bytes: what the reviewer saw is what the candidate is."""
    verdict = may_review(person, release)
    if verdict and seen != candidate:
        return no("other-candidate", "The candidate changed since you opened it; look at the new one first.")
    return first_no(verdict, looked_at(release)) if approving else verdict


def may_approve(person: Person, release: ReleaseFacts) -> Verdict:
    """Vote for the candidate: what was demanded to be looked at before has a result."""
    return first_no(may_review(person, release), looked_at(release))


def looked_at(release: ReleaseFacts) -> Verdict:
    """Whether everything that was demanded to be measured of the candidate was measured, and nothing that
    is out since asks for more."""
    if not release.demands:
        return _compared(release, "Have them compared first: until then nobody can approve.")
    if "failed" in release.demands:
        reason = "An assessment of this candidate that was demanded failed: ask it again, or give it up."
    else:
        reason = "An assessment of this candidate that was demanded has not ended yet."
    return no("not-looked-at", f"{reason} Until then nobody can approve.")


def _compared(release: ReleaseFacts, remedy: str) -> Verdict:
    if not release.uncompared:
        return yes()
    reason = (
        "Since this candidate was measured, another release about the same people was published, or a file "
        "about them that leaked was registered."
    )
    return no("not-compared", f"{reason} {remedy}")


def independent(person: Person, release: ReleaseFacts) -> Verdict:
    """Whether nobody can say that this person judges the own work."""
    if person.id == release.author_id:
        return no("four-eyes", "You are the author of this release; somebody else has to review it.")
    if person.id in release.contributor_ids:
        reason = "You contributed to this release (data, reading, columns, hierarchies, recipe or run)"
        return no("four-eyes", f"{reason}; somebody else has to review it.")
    return _there_before(person, release)


def _there_before(person: Person, release: ReleaseFacts) -> Verdict:
    """Nobody becomes the reviewer of a release because it waits for one."""
    since, begun = person.reviews_since, release.begun_at
    if since is None or begun is None or since <= begun:
        return yes()
    reason = (
        f"This release was begun before {since:%d %B %Y %H:%M %Z}. Then you became a reviewer as an "
        "administrator or through a member of the project, or an administrator set your password or removed "
        "your second factor; somebody else has to review it."
    )
    return no("came-later", reason)


def _not_voted(person: Person, release: ReleaseFacts) -> Verdict:
    voted = person.id in release.voter_ids
    return no("voted", "You have already voted on this candidate.") if voted else yes()


def _second_factor(person: Person, release: ReleaseFacts) -> Verdict:
    if person.second_factor or not release.require_second_factor:
        return yes()
    return no("second-factor", "The policy asks reviewers for a second factor; set one up in your account.")


def may_see_vote(person: Person, release: ReleaseFacts, voter_id: uuid.UUID) -> Verdict:
    """Read a vote: one's own always, those of others when the review has ended."""
    if person.id == voter_id:
        return yes()
    allowed = may_view_release(person)
    if not allowed:
        return allowed
    if release.state is State.IN_REVIEW and not release.votes_complete:
        return no("blind", "Votes are hidden until all of them are in.")
    return yes()


def may_comment(person: Person, release: ReleaseFacts, *, private: bool = False) -> Verdict:
    """Add a remark; a private one is for independent reviewers among themselves."""
    allowed = permitted(person, Permission.COMMENT, "comment")
    if not allowed or not private:
        return allowed
    return first_no(permitted(person, Permission.REVIEW, "comment privately"), independent(person, release))


def may_see_comment(person: Person, release: ReleaseFacts, comment: CommentFacts) -> Verdict:
    """Read a comment; private ones are for independent reviewers."""
    if person.id == comment.author_id:
        return yes()
    return may_comment(person, release, private=comment.private)


def may_resolve_comment(person: Person, release: ReleaseFacts, comment: CommentFacts) -> Verdict:
    """Mark a comment as dealt with."""
    if comment.resolved:
        return no("resolved", "This comment is already resolved.")
    return may_see_comment(person, release, comment)


# After approval


def may_publish(person: Person, release: ReleaseFacts) -> Verdict:
    """Hand the approved bytes to their audience."""
    return first_no(
        _movable(person, release, "publish", "publish"),
        _still_approved(release),
        _compared(release, "Return this one to review: they are compared then, and it is voted on again."),
    )


def _still_approved(release: ReleaseFacts) -> Verdict:
    if not release.lapsed:
        return yes()
    reason = (
        f"{release.approvals} of the {release.reviewers} approvals it needs still count: a vote counts only "
        "while its owner is active and a reviewer of the project. Return it to review, for another vote."
    )
    return no("votes-lapsed", reason)


def may_reopen(person: Person, release: ReleaseFacts) -> Verdict:
    """Return an approved release to its reviewers, because too few of its votes still count, or because they
    did not know what is out beside it now."""
    movable = _movable(person, release, "reopen", "return a release to review")
    if movable and not (release.lapsed or release.uncompared):
        return no("approved", "All the approvals this release needs still count; publish or withdraw it.")
    return movable


def may_revoke(person: Person, release: ReleaseFacts) -> Verdict:
    """Stop a publication and tell those who downloaded it."""
    return _movable(person, release, "revoke", "revoke")


def may_download(person: Person, release: ReleaseFacts, *, now: datetime) -> Verdict:
    """Have the published bytes: published, in the audience, after the embargo."""
    if release.state is State.REVOKED:
        return no("revoked", "This release was revoked and is no longer offered.")
    if release.state is not State.PUBLISHED:
        return no("not-published", "This release is not published.")
    audience = _in_audience(person, release)
    if audience and release.embargo_until is not None and now < release.embargo_until:
        return no(
            "embargo", f"This release is under embargo until {release.embargo_until:%d %B %Y %H:%M %Z}."
        )
    return audience


def _in_audience(person: Person, release: ReleaseFacts) -> Verdict:
    if release.audience is Audience.PUBLIC_LINK:
        return yes()
    if not person.signed_in:
        return no("sign-in", "Sign in to download this release.")
    if release.audience is Audience.PROJECT and not person.is_member:
        return no("audience", "This release is for members of its project.")
    if release.audience is Audience.NAMED and person.id not in release.named_ids:
        return no("audience", "This release is for people its publisher named.")
    return yes()
