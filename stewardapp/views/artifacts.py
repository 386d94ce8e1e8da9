"""Downloads: re-hashed before the first byte, recorded, streamed; what is damaged is told, not handed out."""

from __future__ import annotations

import uuid
from collections.abc import Generator
from contextlib import suppress

import structlog
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import require_safe

from stewardapp import storage
from stewardapp.access import rules
from stewardapp.access.verdict import Conflict, require
from stewardapp.actions import downloads
from stewardapp.forms.byte_range import Part, Unsatisfiable
from stewardapp.models import AnyUser, Artifact, Assessment, Blob, Release
from stewardapp.reads.released_table import Damaged, check
from stewardapp.store_away import StoreAway
from stewardapp.views.catalogue import not_shown
from stewardapp.views.handing_out import Offer, answer, no_such_part, pieces
from stewardapp.views.published import NotShown, Publication
from worker.sealed import SealedError

BROKEN = (Damaged, SealedError, OSError, storage.Destroyed)

log = structlog.get_logger(__name__)


@login_not_required
@require_safe
def artifact_download(request: HttpRequest, id: uuid.UUID) -> HttpResponseBase:
    """Hand out exactly the bytes the manifest names, or nothing."""
    try:
        artifact, release = offered(request.user, id)
    except NotShown:
        return not_shown(request)
    offer = Offer(filename_of(artifact), artifact.media_type, artifact.size, artifact.sha256)
    try:
        part = offer.part(request)
        stream = hashed(artifact.blob, listed_hash(artifact), part)
    except Unsatisfiable:
        return no_such_part(offer)
    except StoreAway:
        raise
    except BROKEN as broken:
        log.error("artifact-refused", artifact=str(id), reason=type(broken).__name__)
        with suppress(Conflict):  # it is known
            downloads.note_damage(artifact=artifact)
        return damaged(request)
    if request.method == "GET":
        note(release, artifact, part and part.of(artifact.size), request.user)
    return answer(request, offer, part, stream)


def note(release: Release, artifact: Artifact, part: str | None, by: AnyUser) -> None:
    """Who gets what; and that a file is whole that once was not."""
    if artifact.damaged_at is not None:
        with suppress(Conflict):
            downloads.note_whole(artifact=artifact)
    downloads.record(release=release, artifact=artifact, part=part or "", by=by)


def damaged(request: HttpRequest) -> HttpResponseBase:
    """Nothing is sent, and the page says why."""
    return render(request, "catalogue/damaged.html", status=500)


@require_safe
def assessment_report(request: HttpRequest, id: uuid.UUID) -> HttpResponseBase:
    """The report of an assessment as it was made, for those who may look into the data; or nothing."""
    found = Assessment.objects.visible_to(request.user).select_related("file__key", "run__release__project")
    assessment = get_object_or_404(found, pk=id)
    require(rules.may_view_version(assessment.project.person(request.user)))
    if assessment.file is None:
        raise Http404
    name = f"assessment-{assessment.report_sha256[:12]}.json"
    offer = Offer(name, "application/json", assessment.file.size, assessment.report_sha256)
    try:
        part = offer.part(request)
        stream = hashed(assessment.file, assessment.report_sha256, part)
    except Unsatisfiable:
        return no_such_part(offer)
    except StoreAway:
        raise
    except BROKEN as broken:
        log.error("report-refused", assessment=str(id), reason=type(broken).__name__)
        return damaged(request)
    return answer(request, offer, part, stream)


def offered(user: AnyUser, id: uuid.UUID) -> tuple[Artifact, Release]:
    """A published file this person is in the audience of; before publication nobody has it."""
    around = ("project", "policy", "version")
    known = Artifact.objects.select_related("blob__key", *(f"run__release__{one}" for one in around))
    artifact = known.filter(pk=id).first()
    if artifact is None:
        raise NotShown
    release = artifact.run.release
    seen = Publication(release, user)
    if not (seen.in_team or seen.is_shown):
        raise NotShown
    require(seen.may_download)
    if not artifact.public or release.candidate_id != artifact.run_id:
        raise NotShown
    return artifact, release


def listed_hash(artifact: Artifact) -> str:
    """The hash the manifest gives a file."""
    listed = {entry["name"]: entry["sha256"] for entry in artifact.run.stated.get("artifacts", ())}
    return str(listed.get(artifact.name, ""))


def hashed(blob: Blob, sha256: str, part: Part | None) -> Generator[bytes]:
    """The bytes, from the open file whose hash was found right; other bytes are `Damaged`."""
    stream = _checked(blob, sha256, part)
    next(stream)
    return stream


def _checked(blob: Blob, sha256: str, part: Part | None) -> Generator[bytes]:
    with storage.reading(blob) as file:
        check(file, sha256)
        yield b""
        yield from pieces(file, part)


def filename_of(artifact: Artifact) -> str:
    """The title of the release with the ending of the file."""
    title = "".join(sign if sign.isalnum() else "-" for sign in artifact.run.release.title.lower())
    return f"{title[:80].strip('-') or 'release'}.{artifact.name.rpartition('.')[2]}"


urlpatterns = [
    path("artifacts/<uuid:id>/download/", artifact_download, name="artifact-download"),
    path("assessments/<uuid:id>/report.json", assessment_report, name="assessment-report"),
]
