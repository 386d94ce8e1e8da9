"""A team and what it may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models

from stewardapp.access.facts import Person
from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.membership import person_of, seen_through
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.policy import Policy


class ProjectQuerySet(models.QuerySet["Project"]):
    """Questions about projects."""

    def visible_to(self, user: AnyUser) -> ProjectQuerySet:
        """Projects this person is a member of; an admin sees every project."""
        return seen_through(self, user, "id", Permission.VIEW_PROJECT, admins=True)

    def permitting(self, user: AnyUser, permission: Permission) -> ProjectQuerySet:
        """Projects in which a role of this person carries the permission."""
        return seen_through(self, user, "id", permission, admins=False)


class Project(Record):
    """A team with members and a policy."""

    name = models.CharField(max_length=120, unique=True)
    description = models.TextField(blank=True, default="")
    # What seals the hierarchies that outlive the versions they were made for; made for the first of them.
    classification_key = models.ForeignKey(
        "stewardapp.DataKey", on_delete=models.PROTECT, related_name="+", null=True, editable=False
    )

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = [models.CheckConstraint(condition=~models.Q(name=""), name="project_has_a_name")]

    def __str__(self) -> str:
        return self.name

    @property
    def policy(self) -> Policy:
        """The rules in force: the latest version of the policy."""
        known = getattr(self, "_prefetched_objects_cache", {}).get("policies")
        return max(known, key=lambda one: one.version) if known else self.policies.latest()

    def person(self, user: AnyUser) -> Person:
        """This user seen from this project, for the rules of access."""
        return person_of(user, self.pk)
