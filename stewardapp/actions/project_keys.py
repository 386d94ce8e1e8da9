"""The key of a project's pseudonyms: made when a run first needs it, replaced when somebody asks."""

from __future__ import annotations

from django.db.models import Max

from stewardapp import storage
from stewardapp.access.rules import may_create_project_key, may_replace_project_key
from stewardapp.access.verdict import require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.models import Project, ProjectKey, User
from stewardapp.models.project_key import key_facts


@action
def create(*, project: Project, by: User) -> ProjectKey:
    """Make the first key of a project."""
    project = locked(project)
    require(may_create_project_key(project.person(by), key_facts(project.pk)))
    key = _fresh(project, by)
    audit.record("project-key.created", key, by=by, project=project, details={"number": key.number})
    return key


@action
def replace(*, project: Project, by: User) -> ProjectKey:
    """Destroy the key and make another one; nothing links the pseudonyms before and after any more."""
    project = locked(project)
    require(may_replace_project_key(project.person(by), key_facts(project.pk)))
    former = ProjectKey.objects.of(project.pk)
    assert former is not None  # the rule has looked
    ProjectKey.objects.retire(former, by)
    storage.destroy_key(former.key)
    key = _fresh(project, by)
    details = {"number": key.number, "replaces": former.number}
    audit.record("project-key.replaced", key, by=by, project=project, details=details)
    return key


def _fresh(project: Project, by: User) -> ProjectKey:
    last = project.keys.aggregate(last=Max("number"))["last"] or 0
    return ProjectKey.objects.create(
        project=project, number=last + 1, key=storage.create_key(), created_by=by
    )
