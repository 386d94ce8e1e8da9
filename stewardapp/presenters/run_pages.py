"""What the page of one run shows, tab by tab."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from django.urls import reverse

from stewardapp.access import rules
from stewardapp.forms.recipe_form import LISTS, contract_of, slug_of
from stewardapp.presenters import (
    assessments,
    averaging,
    charts,
    measures,
    recipes,
    release_pages,
    step_notes,
    tables,
)
from stewardapp.presenters.column_table import column_table
from stewardapp.presenters.facts import fact_words
from stewardapp.presenters.judgement import judgement
from stewardapp.presenters.measures import SECTIONS
from stewardapp.presenters.numbers import duration, thousands
from stewardapp.presenters.reports.replay import is_offered
from stewardapp.presenters.verdict_line import verdict_line
from stewardapp.reads.released_table import Damaged
from stewardapp.reads.runs import PLACES, SeenRun
from worker.engine.contracts.facts import Facts
from worker.engine.recipes.stored import results_of

if TYPE_CHECKING:
    from stewardapp.models import Blob, Run
    from worker.engine.contracts.chart import Chart
    from worker.engine.contracts.facts import StepJson
    from worker.engine.contracts.result import Result
    from worker.engine.recipes.document import Entry

TABS = {
    "overview": "Overview",
    "columns": "Columns",
    "risk": "Risk",
    "utility": "Utility",
    "attack": "Attacks",
    "recipe": "Recipe and files",
}
MOVED = {"files": "recipe"}
"""Tabs that stand under another one now; old addresses still lead there."""
OF_ROWS = ("columns", *SECTIONS)
"""What there is to say of a release that has rows."""
MOST_CHARTS = 2
Measured = tuple[measures.Reading, list[charts.Picture]]


def context(seen_run: SeenRun, tab: str, column: str = "") -> dict[str, object]:
    """Everything the page prints; `column` is the one to look at closely."""
    run, seen = seen_run.run, seen_run.seen
    release = run.release
    shown: dict[str, object] = {
        "run": run,
        "may_cancel": rules.may_cancel(seen.person, seen_run.facts),
        "release": release,
        "run_name": f"Run {run.number}",
        "column": column,
        "title": recipes.short(run.recipe),
        "change_url": f"{reverse('release-configure', args=[release.pk])}?run={run.pk}",
        "seconds": run.seconds,
        "may": release_pages.verdicts(seen),
        "may_submit": release_pages.submit_verdict(seen_run),
        "sentences": recipes.sentences(run.recipe, seen_run.names_of_files),
        "compared": seen_run.compared,
        "tab": tab,
    }
    shown["explorable"] = explorable(run)
    shown["may_see_data"] = rules.may_view_version(seen.person)
    if run.state != "succeeded":
        return shown | ended(run)
    shown["averaging"] = averaging.lines_of(seen_run)
    shown["measure_policy"] = assessments.policy_verdict(seen_run)
    return shown | finished(seen_run, tab, column, internal=bool(shown["may_see_data"]))


def explorable(run: Run) -> bool:
    """Whether a step searched a lattice that can be looked at."""
    found = (Facts.of(step).levels for step in run.report.get("steps", ()))
    return any(one is not None and one.heights for one in found)


ADVICE = {
    "time-limit": "Take fewer quasi-identifiers, shorter hierarchies, or a higher suppression limit.",
    "memory": "Drop columns that are not needed, or take fewer quasi-identifiers.",
    "rows": "The file has more rows than this installation accepts; split it or ask the operators.",
    "worker-lost": "Run it again. When it happens again, tell the operators.",
    "internal": "Tell the operators the reference; they find the rest in the log.",
}


def ended(run: Run) -> dict[str, object]:
    """A run that failed or was cancelled: at which step, and what to do."""
    who = run.cancelled_by.display_name if run.cancelled_by else "nobody"
    return {
        "failed_step": failed_step(run),
        "obstacle": obstacle(run),
        "mends": mends(run),
        "no_solution": run.error_code == "no-solution",
        "our_fault": run.error_code in ("internal", "worker-lost"),
        "advice": ADVICE.get(run.error_code, ""),
        "cancelled_words": f"{who} asked for it. Nothing was released.",
    }


class Mended(NamedTuple):
    """A change of the recipe that would have had a solution: what it is, its value now and then."""

    number: int
    title: str
    before: object
    after: object


def mends(run: Run) -> list[Mended]:
    """The changes that would have had a solution, in words."""
    found = []
    for number, mend in enumerate(run.error_mends):
        entry, contract = mended_part(run, mend)
        if contract is None or mend["param"] not in contract.model_fields:
            continue
        info = contract.model_fields[mend["param"]]
        before = entry.get("params", {}).get(mend["param"], info.default)
        title = f"{contract.title}: {info.title or mend['param']}"
        found.append(Mended(number, title, before, mend["value"]))
    return found


def mended_part(run: Run, mend: StepJson) -> tuple[Entry, Any]:
    """The goal or step of the recipe that a change is about, and its class."""
    part = "goal" if mend["part"] == "goal" else "step"
    at = mend["at"] if part == "goal" else run.error_step
    entries: list[Entry] = run.recipe.get(LISTS[part], [])
    if at is None or at >= len(entries):
        return {}, None
    return entries[at], contract_of(part, slug_of(part, entries[at]))


class Place(NamedTuple):
    """A goal or a step by its number, in words."""

    number: int
    words: str


def obstacle(run: Run) -> Place | None:
    """The goal that stood in the way of a search without a solution, when the engine named one."""
    named = re.fullmatch(r"goals\[(\d{1,3})\]", run.error_param)
    goals = run.recipe.get("goals", ())
    if run.error_code != "no-solution" or named is None or int(named[1]) >= len(goals):
        return None
    place = int(named[1])
    return Place(place + 1, recipes.sentence("goal", goals[place]))


def failed_step(run: Run) -> Place | None:
    """The number and the title of the step that failed."""
    steps = run.recipe.get("steps", ())
    if run.error_step is None or run.error_step >= len(steps):
        return None
    contract: Any = contract_of("step", str(steps[run.error_step].get("method", "")))
    return Place(run.error_step + 1, contract.title if contract else "unknown")


def finished(seen: SeenRun, tab: str, column: str, *, internal: bool) -> dict[str, object]:
    """The results of a run that succeeded; `internal` charts are for those who may look into the data."""
    run = seen.run
    shown: dict[str, object] = {
        "policy": seen.policy,
        "line": verdict_line(seen, release_pages.policy_met(seen)),
        "unproven": unproven(run),
        "tabs": [(name, label) for name, label in TABS.items() if has_content(seen, name)],
    }
    if tab == "overview":
        return shown | {"judgement": judgement(seen)} | overview(seen, internal)
    if tab == "columns":
        return shown | {"columns": column_table(seen, column, internal=internal)}
    return shown | tab_context(seen, tab, internal)


def table_overview(run: Run, internal: bool) -> dict[str, object]:
    """A table of noisy figures: the histogram, and for those who may see them the true counts."""
    try:
        drawn = tables.charts(run).items() if internal else ()
        pictures = [picture(run, chart, address) for address, chart in drawn]
    except Damaged:
        return {"is_table": True, "damaged": True}
    return {"is_table": True, "pictures": pictures, "codebook_lines": tables.codebook_lines(run)}


def unproven(run: Run) -> str:
    """A sentence when a search ended by its time limit, before it could prove its answer the best."""
    looked = [
        f"{thousands(found.checked)} of {thousands(found.nodes)}"
        for step in run.report.get("steps", ())
        if (found := Facts.of(step).explored) and not found.optimal
    ]
    if not looked:
        return ""
    return (
        f"The time limit ended the search after looking at {' and '.join(looked)} combinations of levels. "
        "The goals hold, but another combination may lose less. Allow more time to be sure."
    )


def has_content(seen: SeenRun, tab: str) -> bool:
    """Whether there is anything to show under a tab, or anything that could be."""
    return tab not in OF_ROWS or not tables.is_table(seen.run)


def tab_context(seen: SeenRun, tab: str, internal: bool) -> dict[str, object]:
    """What one tab shows: what the run measured, and what was looked at afterwards."""
    if tab in SECTIONS:
        afterwards = assessments.readings(seen.measured_afterwards, tab, internal=internal)
        found = [*measured(seen, tab, internal), *afterwards]
        return {"readings": found, "attacks": assessments.attacks()}
    return recipe_and_files(seen)


def measured(seen: SeenRun, section: str, internal: bool) -> list[Measured]:
    """The results of a section, each with the charts that this person may see."""
    found = measures.readings(seen.run.report, section, seen.names_of_files)
    return [(one, pictures(seen.run, one, internal=internal)) for one in found]


def sections_measured(run: Run) -> list[tuple[str, str]]:
    """The sections that have results: the tab they stand under, and its name."""
    there = {one.section for one in results_of(run.report)}
    return [(section, TABS[section]) for section in SECTIONS if section in there]


def overview(seen: SeenRun, internal: bool) -> dict[str, object]:
    """The first chart of risk and the first of utility; a table of noisy figures shows itself."""
    if tables.is_table(seen.run):
        return table_overview(seen.run, internal)
    return {"pictures": [*first_charts(seen)][:MOST_CHARTS]}


def first_charts(seen: SeenRun) -> Iterator[charts.Picture]:
    """The first chart of each section that everybody here may see: what the policy judges comes first."""
    judged = [row.instance for row in seen.policy.demanded]
    for section in SECTIONS:
        there = (one for one in results_of(seen.run.report) if one.section == section)
        found = sorted(there, key=lambda one: judged.index(one.id) if one.id in judged else len(judged))
        yield from [drawn for one in found for drawn in pictures(seen.run, one, internal=False)][:1]


class Kept(NamedTuple):
    """A file that a run keeps for itself, and what it is for."""

    blob: Blob
    words: str


WHAT_FOR = {
    PLACES: "Where each row stood in the data, and the keys and weights that do not leave.",
    "held-out.bits": "Which rows no step has learnt from.",
}


def recipe_and_files(seen: SeenRun) -> dict[str, object]:
    """The recipe, what each step decided, the files and the manifest."""
    run, manifest = seen.run, seen.run.manifest
    return {
        "step_facts": [step_facts(step) for step in run.report.get("steps", ())],
        "step_notes": step_notes.of_run(run, drawn=True),
        "stages": [(name, duration(lap)) for name, lap in run.stages],
        "recipe_json": json.dumps(run.recipe, indent=2, ensure_ascii=False),
        "artifacts": seen.files(),
        "kept": [Kept(blob, WHAT_FOR.get(blob.purpose, "")) for blob in seen.kept_beside()],
        "manifest": manifest,
        "manifest_json": json.dumps(manifest, indent=2, ensure_ascii=False),
        "replay_offered": is_offered(run),
    }


class StepFacts(NamedTuple):
    """What one step decided."""

    title: str
    facts: list[tuple[str, str]]


NEVER_SHOWN = {"method", "describe", "explored", "not_listed", "codebook"}
LEFT_OPEN = {"minimal_nodes", "minimal_complete"}
"""What a search that was not asked for lists leaves open."""


def step_facts(step: StepJson) -> StepFacts:
    """What one step decided, in words; long lists are counted."""
    contract: Any = contract_of("step", str(step.get("method", "")))
    hidden = NEVER_SHOWN | (LEFT_OPEN if step.get("not_listed") else set())
    facts = [
        (measures.words(name), fact_words(name, value)) for name, value in step.items() if name not in hidden
    ]
    return StepFacts(contract.title if contract else step.get("method", ""), facts)


def pictures(run: Run, reading: measures.Reading | Result, *, internal: bool) -> list[charts.Picture]:
    """The charts of a measure that this person may see; those of single columns stand with the columns."""
    shown = (chart for chart in reading.charts if (internal or not chart.internal) and not chart.column)
    return [picture(run, chart, measures.address(reading.id, chart)) for chart in shown]


def picture(run: Run, chart: Chart, address: str) -> charts.Picture:
    """A chart, its address and its table."""
    return charts.pictured(chart, reverse("run-chart", args=[run.pk, address]))
