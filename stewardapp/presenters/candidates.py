"""What a reviewer sees: the queue, and everything about one candidate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stewardapp.access import rules
from stewardapp.access.thresholds import EXCUSABLE
from stewardapp.access.verdict import Verdict
from stewardapp.access.workflow import transition
from stewardapp.models import AuditEvent
from stewardapp.presenters import recipes, release_pages, results, run_pages, step_notes, tables
from stewardapp.presenters.budgets import mixed_warning
from stewardapp.presenters.numbers import percent, thousands
from stewardapp.presenters.recipes import Change
from stewardapp.presenters.released_table import Damaged, ReleasedPage, released_page, shown_artifact

if TYPE_CHECKING:
    from stewardapp.models import Release, Run
    from stewardapp.models.user import AnyUser


@dataclass(frozen=True)
class QueueLine:
    """One candidate that waits."""

    release: Release
    passed: int
    failed: int
    excused: int
    votes_in: int
    votes_needed: int
    may: Verdict

    @property
    def passed_words(self) -> str:
        """How many checks passed, when all did that apply."""
        return f"All {self.passed} passed"

    @property
    def excused_words(self) -> str:
        """How many checks the steward gave a reason for."""
        return f"{self.excused} of {self.passed + self.excused} with a reason"

    @property
    def failed_words(self) -> str:
        """How many checks failed."""
        return f"{self.failed} of {self.passed + self.failed + self.excused} failed"


def queue(releases: Iterable[Release], user: AnyUser) -> list[QueueLine]:
    """What waits for review, with the machine's answer and whether this person may vote."""
    return [queue_line(release, user) for release in releases]


def queue_line(release: Release, user: AnyUser) -> QueueLine:
    """One candidate that waits."""
    checks = release_pages.policy_checks(candidate_of(release))
    excused = sum(check.verdict.code in EXCUSABLE for check in checks)
    facts = release.facts()
    return QueueLine(
        release=release,
        passed=sum(check.passed for check in checks),
        failed=sum(not check.verdict for check in checks) - excused,
        excused=excused,
        votes_in=len(facts.votes),
        votes_needed=facts.reviewers,
        may=rules.may_review(release.person(user), facts),
    )


def candidate_of(release: Release) -> Run:
    """The run under review, knowing its release already."""
    run = release.candidate
    if run is None:
        raise ValueError("this release has no candidate")
    run.release = release
    return run


def context(release: Release, user: AnyUser, asked: Mapping[str, str]) -> dict[str, Any]:
    """Everything the candidate page prints."""
    run = candidate_of(release)
    previous = previous_candidate(release)
    shown = {
        "release": release,
        "run": run,
        "policy": release_pages.policy_of(release),
        "step": release_pages.current_step(release),
        "may": release_pages.verdicts(release, user),
        "checks": release_pages.policy_checks(run),
        "goals": results.goal_lines(run),
        "line": results.verdict_line(run, release_pages.policy_of(release), release_pages.policy_met(run)),
        "sentences": recipes.sentences(run.recipe),
        "step_notes": step_notes.of_run(run, drawn=True),
        "compared": run.compared.select_related("version__dataset"),
        "audience": release_pages.audience_words(release),
        "previous": previous,
        "changes": differences(previous, run) if previous else [],
        "independence": independence(release, user),
        "relatives": relatives(release, user),
        "population": release.version.dataset.population,
        "mixed": mixed_warning(release),
    }
    return shown | file_context(release, user, asked) | release_pages.talk(release, user)


def file_context(release: Release, user: AnyUser, asked: Mapping[str, str]) -> dict[str, Any]:
    """The page of the file that was asked for; those who may not look into data do not see it."""
    verdict = rules.may_view_version(release.person(user))
    if not verdict:
        return {"may_see_file": verdict}
    files = list(candidate_of(release).artifacts.public().stored().select_related("blob__key"))
    chosen = shown_artifact(files, asked.get("file", ""))
    shown: dict[str, Any] = {"may_see_file": verdict, "files": files}
    return shown | table_of(chosen, asked.get("page", "1")) | histogram_of(candidate_of(release))


def histogram_of(run: Run) -> dict[str, Any]:
    """The chart of a table with noise, and what is published with it."""
    try:
        chart = tables.published_chart(run)
    except Damaged:
        return {"damaged": True}
    if chart is None:
        return {}
    return {"histogram": run_pages.picture(run, chart), "codebook_lines": tables.codebook_lines(run)}


def table_of(artifact: Any, wanted: str) -> dict[str, ReleasedPage | bool | None]:
    """The rows, or the sorry news that the bytes are not those of the manifest."""
    try:
        return {"table": released_page(artifact, wanted) if artifact else None}
    except Damaged:
        return {"damaged": True}


@dataclass(frozen=True)
class Independence:
    """Whether this person's eyes are a second pair, in the words of the checklist."""

    tone: str
    word: str
    icon: str
    reason: str = ""


def independence(release: Release, user: AnyUser) -> Independence:
    """What the rule about voting says of this person; a vote already given was an independent one."""
    verdict = rules.may_review(release.person(user), release.facts())
    if verdict:
        return Independence("ok", "You may vote", "check")
    if verdict.code in DONE:
        return Independence("", DONE[verdict.code], "check", verdict.reason)
    return Independence("warn", "You may not vote", "alert", verdict.reason)


DONE = {"voted": "You have voted", "wrong-state": "Not in review"}


MOST_RELATIVES = 20


def relatives(release: Release, user: AnyUser) -> list[Release]:
    """What else was made from data about the same or overlapping people: copies add up."""
    population = release.version.dataset.population
    people = [population.pk, *population.overlaps.values_list("pk", flat=True)]
    others = type(release).objects.visible_to(user).filter(version__dataset__population__in=people)
    seen = others.exclude(pk=release.pk).filter(submitted_at__isnull=False).order_by("-submitted_at")
    return list(seen.select_related("version__dataset__population", "project")[:MOST_RELATIVES])


def previous_candidate(release: Release) -> Run | None:
    """The run that was submitted before this one, voted on or not; the log knows every submission."""
    submitted = AuditEvent.objects.about(release).filter(action=transition("submit").event)
    earlier = [event for event in submitted if event.details["submission"] < release.submission]
    if not earlier or earlier[0].details["run"] == str(release.candidate_id):
        return None
    return release.runs.filter(pk=earlier[0].details["run"]).first()


def differences(before: Run, after: Run) -> list[Change]:
    """What changed between two candidates: recipe and figures."""
    old, new = figures(before), figures(after)
    changed = [Change(name, old[name], new[name]) for name in new if old[name] != new[name]]
    return recipes.changes(before.recipe, after.recipe) + changed


def figures(run: Run) -> dict[str, str]:
    """The figures two candidates are compared by."""
    facts = run.facts()
    return {
        "Smallest class": thousands(facts.smallest_class),
        "Highest risk": percent(facts.highest_risk),
        "Rows suppressed": thousands(results.suppressed_rows(run)),
        "Rows in the file": thousands(run.report.get("output", {}).get("rows")),
    }
