"""Propose hierarchies: build what the values suggest, try it on them, attach it."""

from typing import Any

from django.utils import timezone

from stewardapp.actions import hierarchies
from stewardapp.models import Column, Hierarchy, User, Version
from stewardapp.presenters.hierarchies import rows_over
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
    """The project's hierarchy of these settings; a new one when there is none under this name."""
    project = column.version.project
    if "rows" in spec:
        laid = checked(spec["rows"], column.name)
        given: dict[str, Any] = {"lines": "\n".join(laid.lines()), "levels": laid.height + 1}
        name = f"{column.name[:80]}: {spec['classification']}"
    else:
        given = {"spec": spec, "levels": rows_over(Hierarchy(spec=spec), values, column.name).height + 1}
        name = f"{column.name[:80]}: {spec['builder']}"
    same = project.hierarchies.filter(**given, name__startswith=name).first()
    if same is not None:
        return same
    return hierarchies.create(project=project, name=free_name(column, name), by=by, **given)


def free_name(column: Column, name: str) -> str:
    """This name, or the first numbered one that the project does not use."""
    taken = set(column.version.project.hierarchies.values_list("name", flat=True))
    name = name[: LONGEST_NAME - 8]
    return next(
        candidate
        for candidate in (name, *(f"{name} ({number})" for number in range(2, len(taken) + 3)))
        if candidate not in taken
    )
