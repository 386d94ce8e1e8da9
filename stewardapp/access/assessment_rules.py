"""Rules about what is measured of a run after it ended."""

from __future__ import annotations

from stewardapp.access.facts import AssessmentFacts, Person, ReleaseFacts, RunFacts
from stewardapp.access.permitted import permitted, stoppable
from stewardapp.access.release_rules import independent
from stewardapp.access.roles import Permission
from stewardapp.access.verdict import Verdict, first_no, no, yes
from stewardapp.access.workflow import EDITABLE, State


def may_assess(person: Person, release: ReleaseFacts, run: RunFacts) -> Verdict:
    """Have more measured of a run, to know it: a steward at any time, a reviewer while there is a review."""
    allowed = permitted(person, Permission.ASSESS, "have a run assessed")
    if allowed and not person.has(Permission.RUN) and release.state is not State.IN_REVIEW:
        reason = f"This release is {release.state.label.lower()}; reviewers assess what is in review."
        return no("wrong-state", reason)
    return first_no(allowed, _measurable(release, run))


def may_explore(person: Person, release: ReleaseFacts, run: RunFacts, *, charged: bool) -> Verdict:
    """Have the solutions of a run listed, as long as its data are there and no noise was paid for."""
    allowed = permitted(person, Permission.ASSESS, "have solutions listed")
    if allowed and charged:
        reason = "This run drew noise for a budget; nothing of it is worked out a second time."
        return no("charged", reason)
    return first_no(allowed, _measurable(release, run))


def may_bookmark(person: Person) -> Verdict:
    """Keep a solution for the team to come back to, or forget it: it changes nothing."""
    return permitted(person, Permission.ASSESS, "bookmark solutions")


def may_demand(person: Person, release: ReleaseFacts, run: RunFacts, *, is_candidate: bool) -> Verdict:
    """Have something measured before anybody approves, as an independent reviewer of the candidate."""
    allowed = permitted(person, Permission.REVIEW, "demand an assessment")
    if allowed and release.state is not State.IN_REVIEW:
        reason = f"This release is {release.state.label.lower()}; what is in review can be demanded of."
        return no("wrong-state", reason)
    if allowed and not is_candidate:
        return no("not-the-candidate", "Only of the candidate something can be demanded.")
    return first_no(allowed, independent(person, release), _measurable(release, run))


def may_measure_policy(
    person: Person, release: ReleaseFacts, run: RunFacts, *, is_candidate: bool, lacking: bool
) -> Verdict:
    """Have measured what the policy asks and the run does not answer: as a steward before the review, as a
    reviewer in it."""
    if not lacking:
        return no("nothing-lacking", "This run answers everything that the policy asks of it.")
    if release.state in EDITABLE:
        allowed = permitted(person, Permission.RUN, "have measured what the policy asks")
        return first_no(allowed, _measurable(release, run))
    return may_demand(person, release, run, is_candidate=is_candidate)


def may_stop_assessment(person: Person, release: ReleaseFacts, assessment: AssessmentFacts) -> Verdict:
    """Stop an assessment, or give up one that was demanded and failed. What a reviewer demanded is theirs."""
    if assessment.by_reviewer:
        allowed = first_no(
            permitted(person, Permission.REVIEW, "take back what a reviewer demanded"),
            independent(person, release),
        )
    elif assessment.asked_by == person.id:
        allowed = permitted(person, Permission.ASSESS, "cancel an assessment")
    else:
        allowed = permitted(person, Permission.RUN, "cancel an assessment")
    if not assessment.by_hand and assessment.state == "failed":
        return allowed
    return first_no(allowed, stoppable("assessment", assessment))


def _measurable(release: ReleaseFacts, run: RunFacts) -> Verdict:
    if run.state != "succeeded":
        return no("run-not-succeeded", f"Only a run that succeeded can be assessed; this one is {run.state}.")
    if release.version_destroyed:
        return no("destroyed", "The data of this version were destroyed.")
    if not run.table_there:
        return no("read-again", "The file was read otherwise since this run; the table it read is gone.")
    return yes()
