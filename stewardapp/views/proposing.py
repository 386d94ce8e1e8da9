"""Propose hierarchies: build what the values suggest, try it on them, attach it."""

from typing import Any

from stewardapp.actions import hierarchies
from stewardapp.models import Column, Hierarchy, User, Version
from stewardapp.presenters.hierarchies import rows_over
from stewardapp.presenters.hierarchy_proposals import proposal
from stewardapp.presenters.small_readings import previewable, values_of
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
        values = sorted(values_of(column))
        spec = proposal(column.kind, values)
        if spec is None:
            return False
        laid = rows_over(Hierarchy(spec=spec), values, column.name)
    except EngineError:
        return False
    hierarchies.attach(column=column, hierarchy=_made(column, spec, laid.height + 1, by), by=by)
    return True


def _made(column: Column, spec: dict[str, Any], levels: int, by: User) -> Hierarchy:
    """The project's hierarchy of these settings; a new one when there is none under this name."""
    project = column.version.project
    name = f"{column.name[:80]}: {spec['builder']}"
    same = project.hierarchies.filter(spec=spec, levels=levels, name__startswith=name).first()
    if same is not None:
        return same
    return hierarchies.create(project=project, name=free_name(column, name), spec=spec, levels=levels, by=by)


def free_name(column: Column, name: str) -> str:
    """This name, or the first numbered one that the project does not use."""
    taken = set(column.version.project.hierarchies.values_list("name", flat=True))
    name = name[: LONGEST_NAME - 8]
    return next(
        candidate
        for candidate in (name, *(f"{name} ({number})" for number in range(2, len(taken) + 3)))
        if candidate not in taken
    )
