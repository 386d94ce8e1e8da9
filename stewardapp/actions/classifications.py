"""Hierarchies that a project keeps for later versions; written inside other actions."""

from __future__ import annotations

from stewardapp import storage
from stewardapp.access.verdict import Conflict
from stewardapp.actions.action import locked
from stewardapp.models import DataKey, Hierarchy, Project, User


def kept(hierarchy: Hierarchy, by: User) -> Hierarchy:
    """The hierarchy as the project's classification, whether or not it was one."""
    hierarchy = locked(hierarchy)
    if not hierarchy.is_kept:
        seal_for_project(hierarchy, by)
    return hierarchy


def seal_for_project(hierarchy: Hierarchy, by: User) -> None:
    """Seal it under the project's key, which no destruction of a version destroys."""
    if hierarchy.key.destroyed_at is not None:
        raise Conflict("destroyed", "This hierarchy was destroyed with the version it was made for.")
    said = {"spec": hierarchy.spec, "lines": hierarchy.lines}
    hierarchy.key, hierarchy.kept_by = classification_key(hierarchy.project), by
    hierarchy.spec, hierarchy.lines = said["spec"], said["lines"]
    hierarchy.save()


def classification_key(project: Project) -> DataKey:
    """The key of what the project keeps; made when it is first needed."""
    project = locked(project)
    if project.classification_key is None:
        project.classification_key = storage.create_key()
        project.save(update_fields=["classification_key"])
    return project.classification_key
