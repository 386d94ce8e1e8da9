"""Handing bytes out, and remembering to whom."""

from __future__ import annotations

from django.utils import timezone

from stewardapp.access.rules import may_download
from stewardapp.access.verdict import NotAllowed, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.domain.facts import release_facts
from stewardapp.models import AnyUser, Artifact, Download, Release
from stewardapp.models.membership import person_of
from stewardapp.models.user import User


@action
def record(*, release: Release, artifact: Artifact, by: AnyUser) -> Download:
    """Write down who is about to get which bytes; call it before the first byte leaves."""
    release = locked(release, "project", "policy", "version")
    require(may_download(person_of(by, release.project_id), release_facts(release), now=timezone.now()))
    if artifact.run_id != release.candidate_id or not artifact.public:
        raise NotAllowed("not-offered", "This file is not part of what was published.")
    person = by if isinstance(by, User) else None
    download = Download.objects.create(
        release=release, artifact=artifact, user=person, sha256=artifact.sha256, size=artifact.size
    )
    details = {"artifact": artifact.name, "sha256": artifact.sha256}
    audit.record("release.downloaded", release, by=person, project=release.project, details=details)
    return download
