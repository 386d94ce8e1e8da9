"""Downloads: re-hashed before the first byte, recorded, streamed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import structlog
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from stewardapp import storage
from stewardapp.access import rules
from stewardapp.access.verdict import require
from stewardapp.actions import downloads
from stewardapp.models import AnyUser, Artifact, Assessment, Blob, Release
from stewardapp.reads.released_table import CHUNK, Damaged, check
from stewardapp.views.catalogue import not_shown
from stewardapp.views.published import NotShown, Publication
from worker.sealed import SealedError

log = structlog.get_logger(__name__)


@login_not_required
@require_GET
def artifact_download(request: HttpRequest, id: uuid.UUID) -> HttpResponseBase:
    """Hand out exactly the bytes the manifest names, or nothing."""
    try:
        artifact, release = offered(request.user, id)
        stream = verified(artifact)
        next(stream)
    except NotShown:
        return not_shown(request)
    except (Damaged, SealedError, OSError, storage.Destroyed) as broken:
        log.error("artifact-refused", artifact=str(id), reason=type(broken).__name__)
        return render(request, "catalogue/damaged.html", status=500)
    downloads.record(release=release, artifact=artifact, by=request.user)
    return attachment(artifact, stream)


@require_GET
def assessment_report(request: HttpRequest, id: uuid.UUID) -> HttpResponseBase:
    """The report of an assessment as it was made, for those who may look into the data; or nothing."""
    found = Assessment.objects.visible_to(request.user).select_related("file__key", "run__release__project")
    assessment = get_object_or_404(found, pk=id)
    require(rules.may_view_version(assessment.project.person(request.user)))
    if assessment.file is None:
        raise Http404
    try:
        stream = hashed(assessment.file, assessment.report_sha256)
        next(stream)
    except (Damaged, SealedError, OSError, storage.Destroyed) as broken:
        log.error("report-refused", assessment=str(id), reason=type(broken).__name__)
        return render(request, "catalogue/damaged.html", status=500)
    answer = StreamingHttpResponse(stream, content_type="application/json")
    name = f"assessment-{assessment.report_sha256[:12]}.json"
    answer["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return answer


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


def verified(artifact: Artifact) -> Iterator[bytes]:
    """First nothing, once the hash is right; then the bytes, from the same open file."""
    listed = {entry["name"]: entry["sha256"] for entry in artifact.run.stated.get("artifacts", ())}
    yield from hashed(artifact.blob, listed.get(artifact.name, ""))


def hashed(blob: Blob, sha256: str) -> Iterator[bytes]:
    """The same of any bytes whose hash is known."""
    with storage.reading(blob) as file:
        check(file, sha256)
        yield b""
        while chunk := file.read(CHUNK):
            yield chunk


def attachment(artifact: Artifact, stream: Iterator[bytes]) -> HttpResponseBase:
    """The answer that saves a file."""
    answer = StreamingHttpResponse(stream, content_type=artifact.media_type)
    answer["Content-Length"] = str(artifact.size)
    answer["Content-Disposition"] = content_disposition_header(True, filename_of(artifact)) or "attachment"
    answer["Digest"] = f"sha-256={artifact.sha256}"
    return answer


def filename_of(artifact: Artifact) -> str:
    """The title of the release with the ending of the file."""
    title = "".join(sign if sign.isalnum() else "-" for sign in artifact.run.release.title.lower())
    return f"{title[:80].strip('-') or 'release'}.{artifact.name.rpartition('.')[2]}"


urlpatterns = [
    path("artifacts/<uuid:id>/download/", artifact_download, name="artifact-download"),
    path("assessments/<uuid:id>/report.json", assessment_report, name="assessment-report"),
]
