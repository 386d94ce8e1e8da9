"""Having the solutions of a run listed, and keeping the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import IntegrityError, transaction

from stewardapp.access.rules import may_explore
from stewardapp.access.verdict import Conflict, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.contributions import hold_inputs
from stewardapp.domain.facts import assessable_facts, release_facts
from stewardapp.domain.pricing import costs_of
from stewardapp.models import Exploration, Run, User

StepFacts = Mapping[str, object]
"""What is said of one step."""


@action
def start(*, run: Run, by: User) -> Exploration:
    """Have every combination listed that the searches of a run look at; once for a run."""
    release = locked(run.release)
    hold_inputs(release, {})
    run = Run.objects.select_related("release", "reading__table").get(pk=run.pk)
    person, costs = run.project.person(by), bool(costs_of(run.recipe))
    require(may_explore(person, release_facts(release), assessable_facts(run), charged=costs))
    exploration = Exploration(run=run, asked_by=by)
    try:
        with transaction.atomic():
            exploration.save(force_insert=True)
    except IntegrityError:
        raise Conflict("busy", "These solutions are listed already, or a worker is about it.") from None
    audit.record("exploration.started", exploration, by=by, project=run.project, details={"run": str(run.pk)})
    return exploration


@action
def record(
    *, exploration: Exploration, fence: int, steps: Sequence[StepFacts], by: User | None = None
) -> None:
    """Store what a worker found, and end its job; refused when the claim was lost."""
    if not Exploration.objects.succeed(exploration.pk, fence, **exploration.sealed(steps=list(steps))):
        raise Conflict("claim-lost", "Another worker has this job now, or it was cancelled.")
    audit.record("exploration.succeeded", exploration, by=by, project=exploration.project)
