"""Bytes on their way in: the page, the resumable protocol (tus 1.0), and one request without JavaScript.

The protocol is: POST announces a length and gets an address; HEAD there tells how much has arrived; PATCH
sends the next piece from exactly there; DELETE gives up. What a broken piece delivered is kept.
"""

import base64
import binascii
import uuid
from typing import Any, cast

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from stewardapp.access import rules
from stewardapp.access.verdict import Invalid, Refused, require
from stewardapp.actions import uploads
from stewardapp.models import Dataset, Upload, UploadState, User, Version
from stewardapp.presenters.limits import limits
from stewardapp.uploadhandler import FOLLOWS, PIECE_TYPE, SealedFile, receiving, takes_files
from stewardapp.views.people import signed_in
from stewardapp.views.posted_files import NO_LENGTH, largest, length_of, unread, whole_number

TUS = {"Tus-Resumable": "1.0.0", "Cache-Control": "no-store"}


# The page, and the whole file in one request


@takes_files(largest)
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """The page of an upload. Its token is checked below, because reading it reads the whole body."""
    user = signed_in(request)
    dataset = get_object_or_404(Dataset.objects.visible_to(user).select_related("project"), pk=id)
    require(rules.may_upload(dataset.project.person(user)))
    if request.method == "POST" and (refusal := unread(request)):
        return _page(request, dataset, *refusal)
    with receiving(request, limits().bytes):
        return _received(request, dataset)


@csrf_protect
def _received(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    if request.method != "POST":
        return _page(request, dataset)
    file = request.FILES.get("file")
    if not isinstance(file, SealedFile) or not file.size:
        return _page(request, dataset, "Choose a file that is not empty.", 422)
    try:
        return redirect("version-detail", _taken_over(dataset, file, signed_in(request)).pk)
    except Invalid as refusal:
        return _page(request, dataset, refusal.reason, 422)


def _taken_over(dataset: Dataset, file: SealedFile, user: User) -> Version:
    upload = uploads.begin(dataset=dataset, filename=file.name or "file", length=file.size or 0, by=user)
    uploads.append(upload=upload, offset=0, stream=cast(Any, file.file), by=user)
    return uploads.complete(upload=upload, by=user)


def _page(request: HttpRequest, dataset: Dataset, error: str = "", status: int = 200) -> HttpResponse:
    shown = {"dataset": dataset, "limits": limits(), "error": error}
    return render(request, "uploads/upload.html", shown, status=status)


# The resumable protocol


def begin(request: HttpRequest) -> HttpResponse:
    """POST: announce a file. A person who opens the address is shown where data come in."""
    if request.method in ("GET", "HEAD"):
        return redirect("dataset-create")
    if request.method != "POST":
        return HttpResponseNotAllowed(["GET", "POST"])
    user, said = signed_in(request), _metadata(request)
    dataset = get_object_or_404(Dataset.objects.visible_to(user), pk=_id(said.get("dataset", "")))
    length = whole_number(request.headers.get("Upload-Length"))
    try:
        upload = uploads.begin(dataset=dataset, filename=said.get("filename", ""), length=length, by=user)
    except Refused as refusal:
        return _refused(refusal)
    return _answer(201, Location=reverse("upload-detail", args=[upload.pk]))


@takes_files(largest)
def detail(request: HttpRequest, id: uuid.UUID) -> HttpResponse:
    """One upload: HEAD, PATCH and DELETE for the protocol, GET and POST for a person."""
    upload = get_object_or_404(Upload.objects.visible_to(signed_in(request)), pk=id)
    answers = {"GET": _opened, "HEAD": _offset, "PATCH": _piece, "DELETE": _given_up, "POST": _finished}
    answer = answers.get(request.method or "")
    if answer is None:
        return HttpResponseNotAllowed(list(answers))
    try:
        return answer(request, upload)
    except Refused as refusal:
        return _refused(refusal)


def _opened(request: HttpRequest, upload: Upload) -> HttpResponse:  # noqa: ARG001
    if upload.version_id is not None:
        return redirect("version-detail", upload.version_id)
    return redirect("dataset-upload", upload.dataset_id)


def _offset(request: HttpRequest, upload: Upload) -> HttpResponse:
    if upload.state == UploadState.ABANDONED:
        return _answer(410)
    offset = upload.offset
    if upload.state == UploadState.OPEN:
        offset = uploads.resync(upload=upload, by=signed_in(request))
    return _answer(200, **{"Upload-Offset": str(offset), "Upload-Length": str(upload.length)})


def _piece(request: HttpRequest, upload: Upload) -> HttpResponse:
    if request.content_type != PIECE_TYPE:
        return _answer(415)
    if "Transfer-Encoding" in request.headers and length_of(request) < 0:  # not a byte of it could be read
        return HttpResponse(NO_LENGTH, status=411, headers=TUS, content_type="text/plain; charset=utf-8")
    user, offset = signed_in(request), whole_number(request.headers.get("Upload-Offset"))
    announced = length_of(request) + request.META.get(FOLLOWS, 0)
    uploads.append(upload=upload, offset=offset, stream=cast(Any, request), announced=announced, by=user)
    if upload.offset == upload.length:
        uploads.complete(upload=upload, by=user)
    return _answer(204, **{"Upload-Offset": str(upload.offset)})


def _finished(request: HttpRequest, upload: Upload) -> HttpResponse:
    version = uploads.complete(upload=upload, by=signed_in(request))
    return redirect("version-detail", version.pk)


def _given_up(request: HttpRequest, upload: Upload) -> HttpResponse:
    uploads.abandon(upload=upload, by=signed_in(request))
    return _answer(204)


# Headers


def _answer(status: int, **headers: str) -> HttpResponse:
    return HttpResponse(status=status, headers=TUS | headers)


def _refused(refusal: Refused) -> HttpResponse:
    return HttpResponse(
        refusal.reason, status=refusal.status, headers=TUS, content_type="text/plain; charset=utf-8"
    )


def _metadata(request: HttpRequest) -> dict[str, str]:
    """`Upload-Metadata: filename <base64>,dataset <base64>`; what cannot be read is left out."""
    found = {}
    for pair in request.headers.get("Upload-Metadata", "").split(","):
        name, _, value = pair.strip().partition(" ")
        try:
            found[name] = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    return found


def _id(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


urlpatterns: list[URLPattern] = [
    path("datasets/<uuid:id>/upload/", page, name="dataset-upload"),
    path("uploads/", begin, name="upload"),
    path("uploads/<uuid:id>/", detail, name="upload-detail"),
]
