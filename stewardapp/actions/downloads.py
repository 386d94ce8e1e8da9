"""Handing bytes out, and remembering to whom."""

from __future__ import annotations

from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from stewardapp.access.roles import Permission, roles_with
from stewardapp.access.rules import may_download
from stewardapp.access.verdict import Conflict, NotAllowed, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.domain.facts import release_facts
from stewardapp.models import AnyUser, Artifact, Download, Release
from stewardapp.models.membership import person_of
from stewardapp.models.user import User
from stewardapp.notifications import notify

DAMAGED = (
    "A published file of {} is damaged: its bytes are no longer those that were approved. Nobody gets it."
)
WHOLE = "The published file of {} that was damaged is whole again."


@action
def record(*, release: Release, artifact: Artifact, part: str = "", by: AnyUser) -> Download:
    """Write down who is about to get which bytes, all or a `part`; call it before the first byte leaves."""
    release = locked(release, "project", "policy", "version")
    require(may_download(person_of(by, release.project_id), release_facts(release), now=timezone.now()))
    if artifact.run_id != release.candidate_id or not artifact.public:
        raise NotAllowed("not-offered", "This file is not part of what was published.")
    person = by if isinstance(by, User) else None
    download = Download.objects.create(
        release=release, artifact=artifact, user=person, sha256=artifact.sha256, size=artifact.size
    )
    details = {"artifact": artifact.name, "sha256": artifact.sha256} | ({"part": part} if part else {})
    audit.record("release.downloaded", release, by=person, project=release.project, details=details)
    return download


@action
def note_damage(*, artifact: Artifact) -> None:
    """A published file holds other bytes than were approved: said once, to those who answer for it."""
    if not Artifact.objects.filter(pk=artifact.pk, damaged_at__isnull=True).update(damaged_at=Now()):
        raise Conflict("known", "That this file is damaged is known already.")
    _tell(artifact, "release.damaged", DAMAGED)


@action
def note_whole(*, artifact: Artifact) -> None:
    """The approved bytes of a damaged file are there again."""
    if not Artifact.objects.filter(pk=artifact.pk, damaged_at__isnull=False).update(damaged_at=None):
        raise Conflict("known", "This file is not damaged.")
    _tell(artifact, "release.whole-again", WHOLE)


def _tell(artifact: Artifact, event: str, text: str) -> None:
    release = artifact.run.release
    audit.record(event, release, by=None, project=release.project, details={"artifact": artifact.name})
    answering = {*roles_with(Permission.PUBLISH), *roles_with(Permission.REVIEW)}
    members = release.project.memberships.filter(role__in=answering).select_related("user")
    page = reverse("catalogue-detail", args=[release.public_id])
    notify((member.user for member in members), text.format(release.title), page)
