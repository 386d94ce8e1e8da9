"""The report for those who may look into the data: everything that is known of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from stewardapp.presenters import assessments, measures, recipes, tables
from stewardapp.presenters.catalogue_pages import codebook, reading_notes
from stewardapp.presenters.judgement import Line, judgement
from stewardapp.presenters.measures import SECTIONS, Reading
from stewardapp.presenters.numbers import duration, thousands
from stewardapp.presenters.release_pages import policy_met
from stewardapp.presenters.reports import measured, sections
from stewardapp.presenters.reports.parts import (
    Audience,
    Facts,
    Paper,
    Part,
    Section,
    Table,
    Text,
    filled,
    table,
)
from stewardapp.presenters.reports.replay import Replay
from stewardapp.presenters.run_pages import TABS, StepFacts, step_facts, unproven
from stewardapp.presenters.status import status
from stewardapp.presenters.times import absolute
from stewardapp.presenters.verdict_line import verdict_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stewardapp.models import Review
    from stewardapp.reads.runs import SeenRun


def internal_paper(seen: SeenRun, votes: Sequence[Review], replay: Replay) -> Paper:
    """Everything about a run that succeeded; `votes` are those that the reader may know."""
    run, release = seen.run, seen.run.release
    return Paper(
        audience=Audience.INTERNAL,
        title=f"{release.title}, run {run.number}",
        lead=f"Internal report of {release.project.name}. It holds figures of the data and must not leave.",
        sections=(
            in_short(seen),
            *filled("Goals and policy", judged(seen)),
            *recipe(seen),
            *results(seen),
            *noisy_table(seen),
            *sections.codebook(codebook(run, lists=False)),
            *sections.usage(run, reading_notes(run), steps=not tables.is_table(run)),
            *review(seen, votes),
            *sections.files((one.name, one.rows, one.size, one.sha256) for one in seen.files()),
            *replayed(replay),
        ),
        source=run.report,
    )


def in_short(seen: SeenRun) -> Section:
    """The verdict, the figures that decide, and what exactly it is about."""
    line = verdict_line(seen, policy_met(seen))
    met = "Meets the policy." if line.met else f"Does not meet the policy. {line.reason}"
    said = [line.family, *line.idle, unproven(seen.run), line.stated and f"Reason stated: {line.stated}"]
    rows = ((part.title, pair.value, pair.label) for part in line.parts for pair in part.pairs)
    heads = ("Part", "Value", "Figure")
    parts: list[Part] = [Text(met, line.tone), *(Text(one) for one in said if one)]
    return Section("In short", (*parts, *table(heads, rows, numbers=(1,)), Facts(tuple(identity(seen)))))


def identity(seen: SeenRun) -> Iterator[tuple[str, str]]:
    """Which run of which recipe on which data it was."""
    run, release = seen.run, seen.run.release
    report, manifest = run.report, run.manifest
    yield "Release", str(release.public_id)
    yield "State", status(release.state).word
    yield "Data", str(release.version)
    yield "Rows read", thousands(report.get("input", {}).get("rows"))
    yield "Rows without consent, never read", thousands(report.get("input", {}).get("rows_without_consent"))
    yield "Rows written", thousands(report.get("output", {}).get("rows"))
    yield "Input sha256", manifest.get("input_sha256", "–")
    yield "Recipe sha256", run.recipe_sha256
    yield "Manifest sha256", run.manifest_sha256
    yield "Policy", f"version {thousands(seen.policy.version)}"
    yield "Engine", run.engine_version
    yield "Started by", run.started_by.display_name
    yield "Finished", absolute(run.finished_at)
    yield "Took", duration(run.seconds)
    yield from ((f"Took: {stage}", duration(lap)) for stage, lap in run.stages)


def judged(seen: SeenRun) -> tuple[Table, ...]:
    """Everything it was to meet, with what was found."""
    found = judgement(seen)
    heads = ("Asked for", "Bound", "Found", "Answer", "Remark")
    return (
        *table(heads, map(judged_row, found.goals), "Goals, recomputed from the released bytes", (1, 2)),
        *table(heads, map(judged_row, found.policy), f"Policy, version {seen.policy.version}", (1, 2)),
    )


def judged_row(line: Line) -> tuple[str, ...]:
    """One thing that was asked."""
    return line.title, line.demand, line.found, line.badge.word, line.remark


def recipe(seen: SeenRun) -> tuple[Section, ...]:
    """What was configured, and what each step decided."""
    said = recipes.sentences(seen.run.recipe, seen.names_of_files)
    listed = (("Goal", said.goals), ("Step", said.steps), ("Measure", said.measures))
    lines = [(f"{name} {number}", one) for name, all_ in listed for number, one in enumerate(all_, start=1)]
    steps = enumerate(map(step_facts, seen.run.report.get("steps", ())), start=1)
    decided = tuple(decisions(number, step) for number, step in steps if step.facts)
    facts = (*lines, *said.columns, ("Files", said.files))
    return filled("Recipe", (Facts(facts),), decided)


def decisions(number: int, step: StepFacts) -> Section:
    """What one step decided, as far as there is anything to say."""
    told = tuple((name, text) for name, text in step.facts if text)
    return Section(f"Step {number}: {step.title}, what it decided", (Facts(told),))


def results(seen: SeenRun) -> Iterator[Section]:
    """What was measured in the run and afterwards, by section."""
    for section in SECTIONS:
        found = (*in_run(seen, section), *afterwards(seen, section))
        yield from filled(TABS[section], (), tuple(found))


def in_run(seen: SeenRun, section: str) -> Iterator[Section]:
    """What the run measured."""
    for one in measures.readings(seen.run.report, section, seen.names_of_files):
        yield measured.section(one, one.charts, sided=True)


def afterwards(seen: SeenRun, section: str) -> Iterator[Section]:
    """What was measured of it later, and why."""
    for asked in seen.measured_afterwards:
        for one in measures.readings(asked.report, section, assessments.files_named(asked)):
            yield measured.section(later(one), one.charts, sided=True)


def later(reading: Reading) -> Reading:
    """A reading that says that the run itself did not find it."""
    return replace(reading, title=f"{reading.title}, measured afterwards")


def noisy_table(seen: SeenRun) -> tuple[Section, ...]:
    """The charts of a table with noise, with the true figures beside it."""
    found = tables.intact_charts(seen.run) if tables.is_table(seen.run) else {}
    return filled("The table", tuple(measured.picture(one) for one in found.values()))


def review(seen: SeenRun, votes: Sequence[Review]) -> tuple[Section, ...]:
    """What it is for, and who decided what, as far as the reader may know."""
    release = seen.run.release
    said = (("Purpose", release.purpose), ("Context", release.context))
    facts = tuple((name, text) for name, text in said if text)
    rows = (
        (one.reviewer.display_name, status(one.decision).word, one.reason, absolute(one.created_at))
        for one in votes
        if one.run_id == seen.run.pk
    )
    found = table(("Reviewer", "Decision", "Reason", "When"), rows)
    return filled("Review", (*((Facts(facts),) if facts else ()), *found))


def replayed(replay: Replay) -> tuple[Section, ...]:
    """How to make it again on the command line, or why not."""
    return filled("Replay", tuple(Text(line) for line in replay.words))
