"""Trying one step on one column before a run, and forgetting what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stewardapp.access.rules import may_try_step
from stewardapp.access.verdict import Conflict, Invalid, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.contributions import hold_inputs
from stewardapp.domain.facts import release_facts
from stewardapp.domain.recipe import recipe_of
from stewardapp.domain.runnable import checked, populations_of
from stewardapp.models import Preview, Release, User
from worker.engine.errors import EngineError
from worker.engine.recipes.document import Entry, RecipeJson

KEPT = 6
"""So many previews of one person stay on a release; each new one pushes the oldest out."""


@action
def start(
    *,
    release: Release,
    step: Entry,
    goals: Sequence[Entry] = (),
    column: str = "",
    by: User,
) -> Preview:
    """Queue one step, saved or not, to be tried by itself; a step that costs budget is refused."""
    release = locked(release)
    require(may_try_step(release.person(by), release_facts(release)))
    hold_inputs(release, {"goals": list(goals)})
    recipe, _ = checked({**recipe_of(release), "goals": list(goals), "steps": [step], "measures": []})
    _require_previewable(recipe)
    compared = populations_of(release, recipe)
    _make_room(release, by)
    reading = release.version.read_now()
    preview = Preview(release=release, reading=reading, column=column, requested_by=by)
    preview.saying(recipe=recipe).save()
    preview.compared.set(compared)
    details = {"release": str(release.pk), "method": step["method"]}
    audit.record("preview.started", preview, by=by, project=release.project, details=details)
    return preview


def _require_previewable(recipe: RecipeJson) -> None:
    from worker.engine.execution.previewing import require_previewable
    from worker.engine.recipes.recipe import Recipe

    try:
        require_previewable(Recipe.parse(recipe).steps[0])
    except EngineError as refused:
        raise Invalid(refused.code, refused.sentence, "steps[0]") from None


def _make_room(release: Release, by: User) -> None:
    own = release.previews.filter(requested_by=by).order_by("-queued_at")
    newest = list(own.values_list("pk", flat=True)[: KEPT - 1])
    own.exclude(pk__in=newest).delete()


@action
def record(*, preview: Preview, fence: int, result: Mapping[str, object], by: User | None = None) -> None:
    """Store what a worker found, and end its job; refused when the claim was lost or the draft is none."""
    if not Preview.objects.succeed(preview.pk, fence, **preview.sealed(result=dict(result))):
        raise Conflict("claim-lost", "Another worker has this job now, or nobody waits for it any more.")
    audit.record("preview.succeeded", preview, by=by, project=preview.project)
