"""Who is what in which project, and with it what they see."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from django.db import models

from stewardapp.access.facts import Person
from stewardapp.access.roles import ROLE_PERMISSIONS, Permission, Role, roles_with
from stewardapp.models.base import Record, one_of
from stewardapp.models.prepared import prepared
from stewardapp.models.user import AnyUser, User

if TYPE_CHECKING:
    from stewardapp.models.release import Release

Rows = TypeVar("Rows", bound="models.QuerySet[models.Model]")


class MembershipQuerySet(models.QuerySet["Membership"]):
    """Questions about memberships."""

    def visible_to(self, user: AnyUser) -> MembershipQuerySet:
        """Memberships of the projects this person sees."""
        return seen_through(self, user, "project", Permission.VIEW_PROJECT, admins=True)

    def reviewers(self) -> MembershipQuerySet:
        """Memberships that allow reviewing."""
        return self.filter(role=Role.REVIEWER)

    def there_at(self, moment: datetime) -> MembershipQuerySet:
        """Memberships that count for what was begun at that moment."""
        return self.filter(models.Q(later_only=False) | models.Q(created_at__lte=moment))

    def entitled(self, release: Release) -> MembershipQuerySet:
        """Memberships whose owners' votes on this release count now."""
        reviewers = self.reviewers().filter(project=release.project_id, user__is_active=True)
        return reviewers.there_at(release.created_at)


class Membership(Record):
    """One role of one person in one project."""

    project = models.ForeignKey("stewardapp.Project", on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey("stewardapp.User", on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=16)
    # Taken or given by somebody who has an interest: nothing begun before is reviewed by it.
    later_only = models.BooleanField(default=False, editable=False)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        ordering = ("user__username", "role")
        constraints = [
            models.UniqueConstraint(fields=("project", "user", "role"), name="membership_once"),
            one_of("membership_role_known", "role", Role),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.role}"

    @property
    def reviews_later(self) -> bool:
        """Whether it lets its owner review, but nothing that was begun before it."""
        return self.later_only and Permission.REVIEW in ROLE_PERMISSIONS[Role(self.role)]


def seen_through(
    rows: Rows, user: AnyUser, path: str, permission: Permission, *, admins: bool, officers: bool = False
) -> Rows:
    """Rows whose project (found along `path`) gives this person the permission; all of them for admins.

    What is about budgets is also seen by whoever protects the data of the site.
    """
    if not user.is_authenticated or not user.is_active:
        return rows.none()
    if (admins and user.is_admin) or (officers and user.protects_data):
        return rows
    mine = Membership.objects.filter(user=user, role__in=roles_with(permission)).values("project_id")
    return rows.filter(**{f"{path}__in": mine})


def person_of(user: AnyUser, project_id: uuid.UUID | None = None) -> Person:
    """A user as the rules see one: id, roles in the project, administration, second factor."""
    if not user.is_authenticated or not user.is_active:
        return Person()
    held: list[Membership] = []
    if project_id is not None:
        held = _held_in(user.pk, project_id)
    return _holding(user, held)


@prepared
def _held_in(user: uuid.UUID, project: uuid.UUID) -> MembershipQuerySet:
    return Membership.objects.filter(user=user, project_id=project).order_by("role")


def person_in_each(user: User, projects: Collection[uuid.UUID]) -> dict[uuid.UUID, Person]:
    """The same seen from each of some projects, asked at once."""
    held = defaultdict(list)
    for one in Membership.objects.filter(user=user, project__in=projects):
        held[one.project_id].append(one)
    return {project: _holding(user, held[project]) for project in projects}


def _holding(user: User, held: list[Membership]) -> Person:
    person = _seen(user, frozenset(Role(one.role) for one in held))
    begun = [*(one.created_at for one in held if one.reviews_later), user.handed_over_at]
    return replace(person, reviews_since=max(filter(None, begun), default=None))


def person_anywhere(user: AnyUser) -> Person:
    """A user with the roles held in any project: for what belongs to the site."""
    if not user.is_authenticated or not user.is_active:
        return Person()
    return _seen(user, roles_of(Membership.objects.filter(user=user)))


def person_on_site(user: User) -> Person:
    """A user apart from any project: for what is nobody's project; asks nothing."""
    return _seen(user, frozenset())


def _seen(user: User, roles: frozenset[Role]) -> Person:
    return Person(
        id=user.id,
        roles=roles,
        is_admin=user.is_admin,
        second_factor=user.has_second_factor,
        is_officer=user.protects_data,
    )


def roles_of(memberships: MembershipQuerySet) -> frozenset[Role]:
    """The roles these memberships give."""
    return frozenset(Role(role) for role in memberships.values_list("role", flat=True))
