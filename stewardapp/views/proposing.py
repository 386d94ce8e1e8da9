"""Propose hierarchies: build what the values suggest, try it on them, attach it."""

from typing import Any

from django.utils import timezone

from stewardapp.actions import hierarchies
from stewardapp.domain.value_lists import WITH_VALUES, previewable, values_of
from stewardapp.models import Column, Hierarchy, User, Version
from stewardapp.presenters.hierarchies import built_over
from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import checked
from worker.engine.hierarchies.proposals import proposal
from worker.engine.tables.kinds import Role

ALL = "all"


def propose(version: Version, wanted: str, by: User) -> int:
    """Attach a proposal to one column (by id) or to every quasi-identifier without one; how many were."""
    columns = version.columns.select_related(WITH_VALUES, "version__dataset__project")
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
    made: dict[str, Any] = {"name": version.project.hierarchies.free_name(name), "levels": levels, **said}
    return hierarchies.create(project=version.project, version=version, by=by, **made)
