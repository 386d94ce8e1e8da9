"""What the page of one run shows, tab by tab."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from stewardapp.access import rules
from stewardapp.forms.recipe_form import LISTS, NAMES, contract_of
from stewardapp.presenters import charts, measures, recipes, release_pages, results, step_notes, tables
from stewardapp.presenters.numbers import duration, thousands
from stewardapp.presenters.released_table import Damaged

if TYPE_CHECKING:
    from stewardapp.models import Run
    from stewardapp.models.user import AnyUser
    from worker.engine.chart import Chart

TABS = {
    "overview": "Overview",
    "risk": "Risk",
    "utility": "Utility",
    "attack": "Attacks",
    "recipe": "Recipe",
    "files": "Files and hashes",
}
SECTIONS = ("risk", "utility", "attack")


def alive_context(run: Run, user: AnyUser) -> dict[str, Any]:
    """A run that is queued or running."""
    verdict = rules.may_cancel(run.release.person(user), run.facts())
    return {"run": run, "may_cancel": verdict}


def context(run: Run, user: AnyUser, tab: str) -> dict[str, Any]:
    """Everything the page prints."""
    release = run.release
    shown: dict[str, Any] = {
        **alive_context(run, user),
        "release": release,
        "run_name": f"Run {run.number}",
        "title": recipes.short(run.recipe),
        "change_url": f"{reverse('release-configure', args=[release.pk])}?run={run.pk}",
        "seconds": seconds(run),
        "may": release_pages.verdicts(release, user),
        "may_submit": release_pages.submit_verdict(run, user),
        "sentences": recipes.sentences(run.recipe),
        "compared": run.compared.select_related("version__dataset"),
        "tab": tab,
    }
    shown["explorable"] = explorable(run)
    shown["may_see_data"] = rules.may_view_version(release.person(user))
    if run.state != "succeeded":
        return shown | ended(run)
    return shown | finished(run, tab, internal=bool(shown["may_see_data"]))


def explorable(run: Run) -> bool:
    """Whether a step searched a lattice that can be looked at."""
    return any(step.get("heights") and step.get("levels") for step in run.report.get("steps", ()))


def seconds(run: Run) -> float | None:
    """How long it took."""
    if run.started_at is None or run.finished_at is None:
        return None
    return float((run.finished_at - run.started_at).total_seconds())


ADVICE = {
    "time-limit": "Take fewer quasi-identifiers, shorter hierarchies, or a higher suppression limit.",
    "memory": "Drop columns that are not needed, or take fewer quasi-identifiers.",
    "rows": "The file has more rows than this installation accepts; split it or ask the operators.",
    "worker-lost": "Run it again. When it happens again, tell the operators.",
    "internal": "Tell the operators the reference; they find the rest in the log.",
}


def ended(run: Run) -> dict[str, Any]:
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


def mends(run: Run) -> list[dict[str, Any]]:
    """The changes that would have had a solution, in words: what it is, its value now and then."""
    found = []
    for number, mend in enumerate(run.error_mends):
        entry, contract = mended_part(run, mend)
        if contract is None or mend["param"] not in contract.model_fields:
            continue
        info = contract.model_fields[mend["param"]]
        before = entry.get("params", {}).get(mend["param"], info.default)
        title = f"{contract.title}: {info.title or mend['param']}"
        found.append({"number": number, "title": title, "before": before, "after": mend["value"]})
    return found


def mended_part(run: Run, mend: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """The goal or step of the recipe that a change is about, and its class."""
    part = "goal" if mend["part"] == "goal" else "step"
    at = mend["at"] if part == "goal" else run.error_step
    entries = run.recipe.get(LISTS[part], [])
    if at is None or at >= len(entries):
        return {}, None
    return entries[at], contract_of(part, str(entries[at].get(NAMES[part], "")))


def obstacle(run: Run) -> dict[str, Any] | None:
    """The goal that stood in the way of a search without a solution, when the engine named one."""
    named = re.fullmatch(r"goals\[(\d{1,3})\]", run.error_param)
    goals = run.recipe.get("goals", ())
    if run.error_code != "no-solution" or named is None or int(named[1]) >= len(goals):
        return None
    place = int(named[1])
    return {"number": place + 1, "sentence": recipes.sentence("goal", goals[place])}


def failed_step(run: Run) -> dict[str, Any] | None:
    """The number and the title of the step that failed."""
    steps = run.recipe.get("steps", ())
    if run.error_step is None or run.error_step >= len(steps):
        return None
    contract: Any = contract_of("step", str(steps[run.error_step].get("method", "")))
    return {"number": run.error_step + 1, "title": contract.title if contract else "unknown"}


def finished(run: Run, tab: str, *, internal: bool) -> dict[str, Any]:
    """The results of a run that succeeded; `internal` charts are for those who may look into the data."""
    policy = release_pages.policy_of(run.release)
    shown: dict[str, Any] = {
        "policy": policy,
        "checks": release_pages.policy_checks(run),
        "line": results.verdict_line(run, policy, release_pages.policy_met(run)),
        "goals": results.goal_lines(run),
        "unproven": unproven(run),
        "tabs": [(name, label) for name, label in TABS.items() if has_content(run, name)],
    }
    if tables.is_table(run) and tab == "overview":
        return shown | table_overview(run, internal)
    return shown | tab_context(run, tab, internal)


def table_overview(run: Run, internal: bool) -> dict[str, Any]:
    """A table of noisy figures: the histogram, and for those who may see them the true counts."""
    try:
        pictures = [picture(run, chart) for chart in tables.charts(run).values()] if internal else []
    except Damaged:
        return {"is_table": True, "damaged": True}
    return {"is_table": True, "pictures": pictures, "codebook_lines": tables.codebook_lines(run)}


def unproven(run: Run) -> str:
    """A sentence when a search ended by its time limit, before it could prove its answer the best."""
    looked = [
        f"{thousands(step['nodes_checked'])} of {thousands(step['nodes'])}"
        for step in run.report.get("steps", ())
        if step.get("optimal") is False
    ]
    if not looked:
        return ""
    return (
        f"The time limit ended the search after looking at {' and '.join(looked)} combinations of levels. "
        "The goals hold, but another combination may lose less. Allow more time to be sure."
    )


def has_content(run: Run, tab: str) -> bool:
    """Whether there is anything to show under a tab."""
    return tab not in SECTIONS or bool(measures.readings(run.report, tab))


def tab_context(run: Run, tab: str, internal: bool) -> dict[str, Any]:
    """What one tab shows."""
    if tab in SECTIONS:
        found = measures.readings(run.report, tab)
        return {"readings": [(one, pictures(run, one, internal)) for one in found]}
    return OTHER_TABS[tab](run)


def overview(run: Run) -> dict[str, Any]:
    """The first chart of every measure."""
    readings = [one for section in SECTIONS for one in measures.readings(run.report, section)]
    first = [next((chart for chart in one.charts if not chart.internal), None) for one in readings]
    return {"pictures": [picture(run, chart) for chart in first if chart is not None]}


def recipe_tab(run: Run) -> dict[str, Any]:
    """The recipe and what each step decided."""
    return {
        "step_facts": [step_facts(step) for step in run.report.get("steps", ())],
        "step_notes": step_notes.of_run(run, drawn=True),
        "stages": [(name, duration(lap)) for name, lap in run.stages],
        "recipe_json": json.dumps(run.recipe, indent=2, ensure_ascii=False),
    }


def files_tab(run: Run) -> dict[str, Any]:
    """The files and the manifest."""
    written = json.dumps(run.manifest, indent=2, ensure_ascii=False)
    return {"artifacts": run.artifacts.all(), "manifest": run.manifest, "manifest_json": written}


OTHER_TABS: dict[str, Callable[[Run], dict[str, Any]]] = {
    "overview": overview,
    "recipe": recipe_tab,
    "files": files_tab,
}


def step_facts(step: Mapping[str, Any]) -> dict[str, Any]:
    """What one step decided, in words; long lists are counted."""
    contract: Any = contract_of("step", str(step.get("method", "")))
    facts = [
        (measures.words(name), fact_words(name, value))
        for name, value in step.items()
        if name not in ("method", "describe", "explored", "codebook")
    ]
    return {"title": contract.title if contract else step.get("method", ""), "facts": facts}


def fact_words(name: str, value: Any) -> str:
    """One decision in words."""
    if isinstance(value, Mapping):
        parts = (
            f"({fact_words(name, part)})" if isinstance(part, Mapping) else part for part in value.values()
        )
        return ", ".join(f"{key}: {part}" for key, part in zip(value, parts, strict=True)) or "–"
    if isinstance(value, list):
        return "; ".join(fact_words(name, part) for part in value[:5]) + (" …" if len(value) > 5 else "")
    return measures.printed(name, value)


def pictures(run: Run, reading: measures.Reading, internal: bool) -> list[dict[str, Any]]:
    """The charts of a measure that this person may see."""
    return [picture(run, chart) for chart in reading.charts if internal or not chart.internal]


def picture(run: Run, chart: Chart) -> dict[str, Any]:
    """A chart, its address and its table."""
    return {**charts.pictured(chart), "url": reverse("run-chart", args=[run.pk, chart.slug])}
