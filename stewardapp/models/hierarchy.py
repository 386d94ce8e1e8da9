"""How the values of a column generalize, level by level."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from django.db import models

from stewardapp.access.roles import Permission
from stewardapp.models.base import Record
from stewardapp.models.membership import seen_through
from stewardapp.models.sealed import SealedField, SealedRow, opened
from stewardapp.models.user import AnyUser

if TYPE_CHECKING:
    from stewardapp.models.version import Version


LONGEST_NAME = 120


class HierarchyQuerySet(models.QuerySet["Hierarchy"]):
    """Questions about hierarchies."""

    def visible_to(self, user: AnyUser) -> HierarchyQuerySet:
        """Hierarchies of projects where this person may see data: they hold values."""
        return seen_through(self, user, "project", Permission.VIEW_DATA, admins=False)

    def there(self) -> HierarchyQuerySet:
        """Hierarchies whose values were not destroyed with a version."""
        return self.filter(key__destroyed_at__isnull=True)

    def usable_for(self, version: Version) -> HierarchyQuerySet:
        """Those made for this version, and the project's classifications."""
        return (self.filter(key=version.key_id) | self.kept()).filter(project=version.project)

    def kept(self) -> HierarchyQuerySet:
        """The classifications of projects."""
        return self.filter(key=models.F("project__classification_key"))

    def free_name(self, name: str) -> str:
        """This name, or the first numbered one that none of these has."""
        taken = set(self.values_list("name", flat=True))
        name = name[: LONGEST_NAME - 8]
        numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
        return next(candidate for candidate in (name, *numbered) if candidate not in taken)


class Hierarchy(SealedRow, Record):
    """A builder and its settings, or the lines of a table somebody brought.

    It is sealed under the key of the version it was made for and goes with it, unless somebody keeps it as
    the project's classification, for the next edition.
    """

    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="hierarchies")
    name = models.CharField(max_length=LONGEST_NAME)
    key = models.ForeignKey("stewardapp.DataKey", on_delete=models.PROTECT, related_name="hierarchies")
    sealed_spec = SealedField()
    spec = opened("sealed_spec")
    sealed_lines = SealedField()
    lines = opened("sealed_lines", str)
    levels = models.PositiveSmallIntegerField(default=0)
    # Unknown of those that were made before this was kept, and nobody wrote down who.
    made_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="hierarchies"
    )

    # Who let it outlive its version, so that later ones can use it.
    kept_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = HierarchyQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        constraints = [
            models.UniqueConstraint(fields=("project", "name"), name="hierarchy_name_once_in_project"),
            models.CheckConstraint(
                condition=models.Q(sealed_lines__isnull=True) | models.Q(sealed_spec__isnull=True),
                name="hierarchy_is_built_or_written",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def sealing_key(self) -> uuid.UUID:
        """A version's key, or the project's."""
        return self.key_id

    @property
    def is_kept(self) -> bool:
        """Whether it is the project's classification, which outlives the versions."""
        return Hierarchy.objects.kept().filter(pk=self.pk, key=self.key_id).exists()

    def as_recipe(self) -> dict[str, Any] | list[str]:
        """The hierarchy as a recipe holds it: a builder, or inline lines."""
        return self.lines.splitlines() if self.lines else dict(self.spec)
