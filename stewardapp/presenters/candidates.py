"""What a reviewer sees: the queue, and everything about one candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stewardapp.access import rules
from stewardapp.access.thresholds import EXCUSABLE
from stewardapp.access.verdict import Verdict
from stewardapp.presenters import (
    assessments,
    averaging,
    recipes,
    release_pages,
    results,
    run_pages,
    step_notes,
    tables,
)
from stewardapp.presenters.budgets import mixed_warning
from stewardapp.presenters.column_table import column_table
from stewardapp.presenters.demands import headlines
from stewardapp.presenters.how_to_read import printed
from stewardapp.presenters.judgement import judgement
from stewardapp.presenters.numbers import thousands
from stewardapp.presenters.recipes import Change
from stewardapp.presenters.unknown import unknown_lines
from stewardapp.presenters.verdict_line import verdict_line
from stewardapp.reads.arranged_table import Wanted
from stewardapp.reads.candidates import leaked, previous_candidate, relatives
from stewardapp.reads.released_table import Damaged, ReleasedPage, released_page, shown_artifact
from stewardapp.reads.releases import Seen, seen_at_once
from stewardapp.reads.runs import SeenRun
from worker.engine.contracts.traces import ReleaseFamily
from worker.engine.tables.kinds import Role

if TYPE_CHECKING:
    from stewardapp.models import Release, Run, User


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


def queue(releases: Sequence[Release], user: User) -> list[QueueLine]:
    """What waits for review, with the machine's answer and whether this person may vote."""
    return [queue_line(seen) for seen in seen_at_once(releases, user)]


def queue_line(seen: Seen) -> QueueLine:
    """One candidate that waits."""
    release, facts = seen.release, seen.facts
    checks = release_pages.policy_checks(candidate_of(seen))
    excused = sum(check.verdict.code in EXCUSABLE for check in checks)
    return QueueLine(
        release=release,
        passed=sum(check.passed for check in checks),
        failed=sum(not check.verdict for check in checks) - excused,
        excused=excused,
        votes_in=len(facts.votes),
        votes_needed=facts.reviewers,
        may=rules.may_review(seen.person, facts),
    )


def candidate_of(seen: Seen) -> SeenRun:
    """The run under review, knowing its release already."""
    run = seen.release.candidate
    if run is None:
        raise ValueError("this release has no candidate")
    run.release = seen.release
    return SeenRun(run, seen)


def context(seen: Seen, asked: Mapping[str, str]) -> dict[str, object]:
    """Everything the candidate page prints."""
    release, user = seen.release, seen.user
    candidate = candidate_of(seen)
    run, previous = candidate.run, previous_candidate(release)
    may_look = rules.may_view_version(seen.person)
    internal = bool(may_look)
    shown = {
        "release": release,
        "run": run,
        "policy": seen.policy,
        "step": release_pages.current_step(release, ran=True),
        "may": release_pages.verdicts(seen),
        "judgement": judgement(candidate),
        "line": verdict_line(candidate, release_pages.policy_met(candidate)),
        "sentences": recipes.sentences(run.recipe, candidate.names_of_files),
        "step_notes": step_notes.of_run(run, drawn=True),
        "compared": candidate.compared,
        "audience": release_pages.audience_words(release),
        "previous": previous,
        "changes": differences(previous, run) if previous else [],
        "independence": independence(seen),
        "relatives": relatives(release, user),
        "leaked": leaked(release, user),
        "population": release.version.dataset.population,
        "mixed": mixed_warning(release),
        "unknown": unknown_lines(run),
        "averaging": averaging.lines_of(candidate),
        "measured": run_pages.sections_measured(run),
        "may_see_data": may_look,
    }
    if not tables.is_table(run):
        shown["columns"] = column_table(candidate, asked.get("column", ""), internal=internal)
        shown["attacks"] = assessments.attacks()
    shown["assessments"] = assessments.lines(seen, candidate.assessments)
    return shown | file_context(candidate, asked) | release_pages.talk(seen)


def file_context(candidate: SeenRun, asked: Mapping[str, str]) -> dict[str, object]:
    """The page of the file that was asked for; those who may not look into data do not see it."""
    verdict = rules.may_view_version(candidate.seen.person)
    if not verdict:
        return {"may_see_file": verdict}
    files = candidate.files_to_leave()
    chosen = shown_artifact(files, asked.get("file", ""))
    shown: dict[str, object] = {"may_see_file": verdict, "files": files}
    wanted = Wanted.of(asked)
    return shown | table_of(chosen, wanted, found_by(candidate)) | histogram_of(candidate.run)


def found_by(candidate: SeenRun) -> tuple[str, ...]:
    """The columns by which rows that are true could be found; of no other rows do classes say anything."""
    if candidate.facts.family not in ("", ReleaseFamily.TRUTHFUL):
        return ()
    schema = candidate.run.report.get("output", {}).get("schema", ())
    return tuple(one["name"] for one in schema if one["role"] == Role.QUASI_IDENTIFIER)


def histogram_of(run: Run) -> dict[str, object]:
    """The chart of a table with noise, and what is published with it."""
    try:
        chart = tables.published_chart(run)
    except Damaged:
        return {"damaged": True}
    if chart is None:
        return {}
    return {
        "histogram": run_pages.picture(run, chart, tables.RELEASED),
        "codebook_lines": tables.codebook_lines(run),
    }


def table_of(artifact: Any, wanted: Wanted, keys: Sequence[str]) -> dict[str, ReleasedPage | bool | None]:
    """The rows, or the sorry news that the bytes are not those of the manifest."""
    try:
        return {"table": released_page(artifact, wanted, keys) if artifact else None}
    except Damaged:
        return {"damaged": True}


@dataclass(frozen=True)
class Independence:
    """Whether this person's eyes are a second pair, in the words of the checklist."""

    tone: str
    word: str
    icon: str
    reason: str = ""


def independence(seen: Seen) -> Independence:
    """What the rule about voting says of this person; a vote already given was an independent one."""
    verdict = rules.may_review(seen.person, seen.facts)
    if verdict:
        return Independence("ok", "You may vote", "check")
    if verdict.code in DONE:
        return Independence("", DONE[verdict.code], "check", verdict.reason)
    return Independence("warn", "You may not vote", "alert", verdict.reason)


DONE = {"voted": "You have voted", "wrong-state": "Not in review"}


def differences(before: Run, after: Run) -> list[Change]:
    """What changed between two candidates: recipe and figures."""
    old, new = figures(before), figures(after)
    both = dict.fromkeys((*new, *old))
    pairs = ((name, old.get(name, "–"), new.get(name, "–")) for name in both)
    changed = [Change(*pair) for pair in pairs if pair[1] != pair[2]]
    return recipes.changes(before.recipe, after.recipe) + changed


def figures(run: Run) -> dict[str, str]:
    """The figures two candidates are compared by."""
    found = ((figure, value) for _, _, figure, value in headlines(run.figures))
    return {
        **{figure.title: printed(figure, value) for figure, value in found},
        "Rows suppressed": thousands(results.suppressed_rows(run)),
        "Rows in the file": thousands(run.report.get("output", {}).get("rows")),
    }
