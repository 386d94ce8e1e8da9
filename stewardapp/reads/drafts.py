"""What the page of a recipe asks of the database."""

from __future__ import annotations

import uuid
from functools import cached_property

from django.db.models import QuerySet

from stewardapp.domain.recipe import recipe_of
from stewardapp.models import Column, Preview, Release, Run, Version
from stewardapp.models.prepared import prepared
from stewardapp.models.user import AnyUser
from worker.engine.recipes.document import RecipeJson


class Draft:
    """A release whose recipe is put together: its columns are asked for once, whatever is told of them."""

    def __init__(self, release: Release) -> None:
        self.release = release

    @property
    def version(self) -> Version:
        """What it is made from."""
        return self.release.version

    @cached_property
    def columns(self) -> list[Column]:
        """All columns in their order."""
        return _columns(self.version.pk)

    @property
    def tagged(self) -> list[Column]:
        """The columns somebody gave a role."""
        return [one for one in self.columns if one.role]

    @property
    def untagged(self) -> int:
        """How many columns are dropped because nobody gave them a role."""
        return len(self.columns) - len(self.tagged)

    def column(self, name: str | None) -> Column | None:
        """The column of this name."""
        return next((one for one in self.columns if one.name == name), None)

    @cached_property
    def recipe(self) -> RecipeJson:
        """The whole recipe as it is saved."""
        return recipe_of(self.release, self.tagged)

    @cached_property
    def files(self) -> list[Version]:
        """Other versions that goals and measures may compare this one with."""
        return comparable_files(self.version)

    def run(self, id: str | None) -> Run | None:
        """The run of this release with that id, if there is one."""
        try:
            return self.release.runs.filter(pk=uuid.UUID(id or "")).first()
        except ValueError:
            return None

    def last_success(self) -> Run | None:
        """The last run that had a result."""
        found = _last_success(self.release.pk)
        return found[0] if found else None

    def previews(self, user: AnyUser) -> dict[str, Preview]:
        """What this person tried of it, by id."""
        return {str(one.pk): one for one in Preview.objects.visible_to(user).filter(release=self.release)}


@prepared
def _columns(version: uuid.UUID) -> QuerySet[Column]:
    return Column.objects.filter(version=version).select_related("hierarchy")


@prepared
def _last_success(release: uuid.UUID) -> QuerySet[Run]:
    return Run.objects.filter(release=release).succeeded().order_by("-finished_at")[:1]


def comparable_files(version: Version) -> list[Version]:
    """The other versions of the project that this one may be compared with."""
    return list(version.usable_as_population().select_related("dataset"))
