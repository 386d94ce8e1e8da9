"""Propose hierarchies: build what the values suggest, try it on them, attach it."""

from typing import Any

from django.utils import timezone

from stewardapp.actions import hierarchies
from stewardapp.models import Column, Hierarchy, User, Version
from stewardapp.presenters.hierarchies import built_over
from stewardapp.presenters.small_readings import previewable, values_of
from worker.engine.algorithms.hierarchies import checked
from worker.engine.algorithms.hierarchy_proposals import proposal
from worker.engine.errors import EngineError
from worker.engine.fields import Role

ALL = "all"
LONGEST_NAME = 120


def propose(version: Version, wanted: str, by: User) -> int:
    """Attach a proposal to one column (by id) or to every quasi-identifier without one; how many were."""
    columns = version.columns.select_related("version__current__table__key", "version__dataset__project")
    if wanted == ALL:
        chosen = columns.filter(role=Role.QUASI_IDENTIFIER, hierarchy=None)
        return sum(propose_for(column, by) for column in chosen)
    return sum(propose_for(column, by) for column in columns if str(column.pk) == wanted)


def propose_for(column: Column, by: User) -> bool:
    """Attach the proposal for one column; False when its values suggest none."""
    if not previewable(column):
        return False
    try:
        counts = values_of(column)
        spec = proposal(column.kind, column.name, counts, timezone.now().year)
        if spec is None:
            return False
        hierarchies.attach(column=column, hierarchy=_made(column, spec, sorted(counts), by), by=by)
    except EngineError:
        return False
    return True


def _made(column: Column, spec: dict[str, Any], values: list[str], by: User) -> Hierarchy:
    """A hierarchy of these settings that the column may use; a new one when there is none by this name."""
    version, said = column.version, {"spec": {}, "lines": ""}
    if "rows" in spec:
        laid = checked(spec["rows"], column.name)
        said["lines"], name = "\n".join(laid.lines()), f"{column.name[:80]}: {spec['classification']}"
    else:
        laid = built_over(spec, values, column.name)
        said["spec"], name = spec, f"{column.name[:80]}: {spec['builder']}"
    levels = laid.height + 1
    usable = Hierarchy.objects.usable_for(version).filter(levels=levels, name__startswith=name)
    same = next((one for one in usable if (one.spec, one.lines) == (said["spec"], said["lines"])), None)
    if same is not None:
        return same
    made: dict[str, Any] = {"name": free_name(column, name), "levels": levels, **said}
    return hierarchies.create(project=version.project, version=version, by=by, **made)


def free_name(column: Column, name: str) -> str:
    """This name, or the first numbered one that the project does not use."""
    taken = set(column.version.project.hierarchies.values_list("name", flat=True))
    name = name[: LONGEST_NAME - 8]
    return next(
        candidate
        for candidate in (name, *(f"{name} ({number})" for number in range(2, len(taken) + 3)))
        if candidate not in taken
    )
