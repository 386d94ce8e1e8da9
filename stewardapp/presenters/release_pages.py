"""What the pages of a release show: the verdicts behind the buttons, the runs, what waits for whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from stewardapp.access import rules
from stewardapp.access.thresholds import EXCUSABLE, checklist, meets_policy
from stewardapp.access.verdict import Verdict
from stewardapp.access.workflow import Audience, State
from stewardapp.domain.pricing import costs_of
from stewardapp.domain.recipe import recipe_of
from stewardapp.presenters.budgets import mixed_warning
from stewardapp.presenters.demands import demand_lines, in_words, value_of
from stewardapp.presenters.numbers import thousands
from stewardapp.presenters.recipes import sentences, short
from stewardapp.presenters.results import suppressed_rows
from stewardapp.presenters.status import Status
from stewardapp.presenters.steps import ALL_DONE
from stewardapp.reads.changes import Topic
from stewardapp.reads.releases import Seen, comments_seen, named_people, runs_of, votes_seen
from stewardapp.reads.runs import SeenRun
from stewardapp.reads.sweeps import sweeps_of

if TYPE_CHECKING:
    from stewardapp.models import Release, Run


@dataclass(frozen=True)
class Verdicts:
    """One answer per button of a release."""

    edit: Verdict
    run: Verdict
    sweep: Verdict
    try_step: Verdict
    withdraw: Verdict
    reopen: Verdict
    continue_: Verdict
    review: Verdict
    approve: Verdict
    publish: Verdict
    revoke: Verdict
    comment: Verdict
    comment_private: Verdict
    look: Verdict


def verdicts(seen: Seen) -> Verdicts:
    """Ask every rule about this release once."""
    person, facts = seen.person, seen.facts
    return Verdicts(
        edit=rules.may_edit_release(person, facts),
        run=rules.may_start_run(person, facts),
        sweep=rules.may_sweep(person, facts, charged=bool(costs_of(seen.release.recipe))),
        try_step=rules.may_try_step(person, facts),
        withdraw=rules.may_withdraw(person, facts),
        reopen=rules.may_reopen(person, facts),
        continue_=rules.may_continue(person, facts),
        review=rules.may_review(person, facts),
        approve=rules.may_approve(person, facts),
        publish=rules.may_publish(person, facts),
        revoke=rules.may_revoke(person, facts),
        comment=rules.may_comment(person, facts),
        comment_private=rules.may_comment(person, facts, private=True),
        look=rules.may_view_version(person),
    )


def submit_verdict(run: SeenRun) -> Verdict:
    """May this run go to review, once the form that asks for purpose and reasons is filled in?"""
    seen = run.seen
    facts = replace(seen.facts, has_purpose=True, has_reason_for_unique=True)
    return rules.may_submit(seen.person, facts, run.facts, seen.policy.facts())


def badge_of(verdict: Verdict) -> Status:
    """The answer of a check as colour, word and icon."""
    if not verdict.applies:
        return Status("", "Does not apply", "minus")
    if verdict:
        return Status("ok", "Passed", "check")
    if verdict.code in EXCUSABLE:
        return Status("warn", "Needs a reason", "alert")
    return Status("danger", "Failed", "cross")


@dataclass(frozen=True)
class CheckLine:
    """One automatic check with its answer, as a badge shows it."""

    words: str
    verdict: Verdict

    @property
    def passed(self) -> bool:
        """Whether there was something to check, and it held."""
        return bool(self.verdict) and self.verdict.applies

    @property
    def badge(self) -> Status:
        """What had nothing to check is neither passed nor failed."""
        return badge_of(self.verdict)


def policy_checks(run: SeenRun) -> tuple[CheckLine, ...]:
    """Every automatic check of a run with its answer."""
    return tuple(CheckLine(*one) for one in checklist(run.facts, run.policy.facts()))


def policy_met(run: SeenRun) -> Verdict:
    """Whether a run meets the policy of its release, and if not, why."""
    return meets_policy(run.facts, run.policy.facts())


@dataclass(frozen=True)
class RunLine:
    """One run in the table of a release."""

    run: Run
    url: str
    title: str
    figures: tuple[str, ...]
    suppressed: str
    met: Verdict | None
    compare_url: str = ""

    @property
    def excusable(self) -> bool:
        """Whether all that it misses can be excused with a reason."""
        return self.met is not None and self.met.code in EXCUSABLE


def run_lines(runs: Iterable[Run], seen: Seen) -> list[RunLine]:
    """The runs of a release with the figures that tell them apart, each beside the result before it."""
    lines: list[RunLine] = []
    before: Run | None = None
    for run in sorted(runs, key=lambda one: one.number):
        line = run_line(SeenRun(run, seen))
        compared = reverse("run-compare", args=[before.pk, run.pk]) if before else ""
        lines.append(replace(line, compare_url=compared))
        before = run if run.state == "succeeded" else before
    return lines[::-1]


def run_line(seen: SeenRun) -> RunLine:
    """One run with its figures, once it has some."""
    run, facts, policy = seen.run, seen.facts, seen.policy
    done = run.state == "succeeded"
    return RunLine(
        run=run,
        url=reverse("run-detail", args=[run.pk]),
        title=short(run.recipe),
        figures=tuple(in_words(value_of(facts, row), row.unit) for row in policy.demanded),
        suppressed=thousands(suppressed_rows(run)) if done else "–",
        met=meets_policy(facts, policy.facts()) if done else None,
    )


AUDIENCES = {
    Audience.PROJECT: "members of this project",
    Audience.SIGNED_IN: "everyone who can sign in",
    Audience.NAMED: "named people",
    Audience.PUBLIC_LINK: "anyone with the link",
}


def audience_words(release: Release) -> str:
    """Who the release is for; named people by name."""
    words = AUDIENCES[Audience(release.audience)]
    if release.audience != Audience.NAMED:
        return words
    return f"{words}: " + ", ".join(person.display_name for person in named_people(release))


def detail(seen: Seen) -> dict[str, Any]:
    """Everything the page of a release prints, apart from its charts."""
    release, policy = seen.release, seen.policy
    runs = runs_of(release)
    return {
        "release": release,
        "policy": policy,
        "demands": demand_lines(policy),
        "runs": runs,
        "may": verdicts(seen),
        "lines": run_lines(shown_alone(runs, release), seen),
        "sweeps": list(sweeps_of(release)),
        "watched": " ".join(dict.fromkeys(str(watched(run)) for run in runs if run.is_alive)),
        "audience": audience_words(release),
        "step": current_step(release, ran=bool(runs)),
        "sentences": sentences(recipe_of(release)),
        "mixed": mixed_warning(release),
        **talk(seen),
    }


def watched(run: Run) -> Topic:
    """What a page watches to hear of a run: the runs of a sweep are heard of together."""
    return Topic("run", run.pk) if run.sweep_id is None else Topic("sweep", run.sweep_id)


def shown_alone(runs: Iterable[Run], release: Release) -> list[Run]:
    """The runs of the table: those of a sweep stand on its page, except the candidate."""
    return [run for run in runs if run.sweep_id is None or run.pk == release.candidate_id]


STEP_OF_STATE = {
    State.IN_REVIEW: "review",
    State.REJECTED: "review",
    State.APPROVED: "publish",
    State.PUBLISHED: ALL_DONE,
    State.REVOKED: ALL_DONE,
}


def current_step(release: Release, *, ran: bool) -> str:
    """Where the release stands in the seven steps; once published, all are done."""
    state = State(release.state)
    if state in STEP_OF_STATE:
        return STEP_OF_STATE[state]
    return "run" if ran else "configure"


def talk(seen: Seen) -> dict[str, Any]:
    """Votes and comments this person may read."""
    release, user, person, facts = seen.release, seen.user, seen.person, seen.facts
    return {
        "votes": votes_seen(release, user),
        "voters": facts.voter_ids,
        "votes_in": len(facts.votes),
        "votes_needed": facts.reviewers,
        "comments": [
            (one, rules.may_resolve_comment(person, facts, one.facts()))
            for one in comments_seen(release, user)
            if rules.may_see_comment(person, facts, one.facts())
        ],
    }
