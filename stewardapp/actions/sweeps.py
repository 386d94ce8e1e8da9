"""Trying a grid of values: its runs are queued and cancelled as one."""

from __future__ import annotations

from collections.abc import Sequence

from stewardapp.access.rules import may_cancel_sweep, may_sweep
from stewardapp.access.verdict import Invalid, require
from stewardapp.actions import audit, runs
from stewardapp.actions.action import action, locked
from stewardapp.domain.facts import release_facts
from stewardapp.domain.pricing import costs_of
from stewardapp.domain.sweeping import Varied, grid, key_at, spelled
from stewardapp.models import Release, Run, Sweep, User
from worker.engine.recipes.document import RecipeJson


@action
def begin(*, release: Release, entries: Sequence[Varied], by: User) -> Sweep:
    """Queue a run for every combination of values, or, when one of them cannot be, none."""
    release = locked(release)
    varied = spelled(release.recipe, entries)
    drafts = list(grid(release.recipe, varied))
    charged = any(costs_of(draft) for draft in drafts)
    require(may_sweep(release.person(by), release_facts(release), charged=charged))
    sweep = Sweep(release=release, begun_by=by).saying(varied=[one.as_json() for one in varied])
    sweep.save()
    for draft in drafts:
        _start(release, draft, sweep, by)
    details = {"release": str(release.pk), "runs": len(drafts)}
    audit.record("sweep.begun", sweep, by=by, project=release.project, details=details)
    return sweep


def _start(release: Release, draft: RecipeJson, sweep: Sweep, by: User) -> None:
    """One run of the grid; a refusal stands at the parameter that it is about."""
    try:
        runs.start(release=release, by=by, draft=draft, sweep=sweep)
    except Invalid as refused:
        raise Invalid(refused.code, refused.reason, key_at(refused.param)) from None


@action
def cancel(*, sweep: Sweep, by: User) -> Sweep:
    """Stop every run of a sweep: at once what waits, at its next checkpoint what works."""
    sweep = locked(sweep)
    alive = list(sweep.runs.alive().filter(cancel_requested_at__isnull=True).values_list("pk", "number"))
    require(may_cancel_sweep(sweep.project.person(by), under_way=bool(alive)))
    stopped = sorted(number for id, number in alive if Run.objects.request_cancel(id, by))
    audit.record("sweep.cancel-requested", sweep, by=by, project=sweep.project, details={"runs": stopped})
    return sweep
