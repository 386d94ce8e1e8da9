"""Downloads: re-hashed before the first byte, recorded, streamed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import structlog
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from stewardapp import storage
from stewardapp.access.verdict import require
from stewardapp.actions import downloads
from stewardapp.models import AnyUser, Artifact, Release
from stewardapp.presenters.released_table import CHUNK, Damaged, check
from stewardapp.views.catalogue import not_shown
from stewardapp.views.published import NotShown, in_team, may_download, published
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


def offered(user: AnyUser, id: uuid.UUID) -> tuple[Artifact, Release]:
    """A published file this person is in the audience of; before publication nobody has it."""
    known = Artifact.objects.select_related("blob__key", "run__release__project", "run__release__candidate")
    artifact = known.filter(pk=id).first()
    if artifact is None:
        raise NotShown
    release = artifact.run.release
    if not in_team(release, user):
        published(user, release.public_id)
    require(may_download(release, user))
    if not artifact.public or release.candidate_id != artifact.run_id:
        raise NotShown
    return artifact, release


def verified(artifact: Artifact) -> Iterator[bytes]:
    """First nothing, once the hash is right; then the bytes, from the same open file."""
    listed = {entry["name"]: entry["sha256"] for entry in artifact.run.stated.get("artifacts", ())}
    with storage.reading(artifact.blob) as file:
        check(file, listed.get(artifact.name, ""))
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


urlpatterns = [path("artifacts/<uuid:id>/download/", artifact_download, name="artifact-download")]
