"""Bytes on their way in: begun, continued, finished or given up. Memory stays at one frame."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import RawIOBase
from typing import TYPE_CHECKING, Any, BinaryIO

from django.conf import settings

from stewardapp import storage
from stewardapp.access.rules import is_there, may_upload
from stewardapp.access.verdict import Conflict, Invalid, NoRoom, NotAllowed, require
from stewardapp.actions import audit
from stewardapp.actions.action import action, locked
from stewardapp.actions.arrivals import arrive
from stewardapp.domain.text import required
from stewardapp.models import Dataset, Upload, UploadState, User, Version
from stewardapp.models.upload import left_since
from worker.engine.wording import size, thousands
from worker.sealed import FRAME_BYTES, SealedReader, SealedWriter, digest

if TYPE_CHECKING:
    from worker.engine.io.dialect import DialectJson

RAW = "raw"
COPIES = 2
"""The file as it came, and the table that is made of it."""


@action
def begin(*, dataset: Dataset, filename: str, length: int, by: User) -> Upload:
    """Open an upload of a known length; too large or empty is refused before the first byte."""
    require(may_upload(dataset.project.person(by)))
    dataset = locked(dataset)
    require(is_there(dataset.facts()))
    upload = Upload(
        project=dataset.project,
        dataset=dataset,
        user=by,
        filename=required(filename, "filename", 255),
        length=_allowed(length),
        key=storage.create_key(),
    )
    upload.path = f"{storage.UPLOADS}/{upload.pk}"
    upload.save()
    audit.record("upload.begun", upload, by=by, project=dataset.project, details={"length": length})
    return upload


def _allowed(length: int) -> int:
    if length <= 0:
        raise Invalid("empty-file", "The file is empty; choose a file with a header and rows.", "length")
    if length > settings.STEWARD_MAX_UPLOAD:
        limit = size(settings.STEWARD_MAX_UPLOAD)
        raise Invalid("too-large", f"The file is larger than the limit of {limit}.", "length")
    if COPIES * length > (free := storage.free()):
        left = f"{size(free)} are free on the disk, and the file and its table need {size(COPIES * length)}"
        raise NoRoom("no-room", f"There is no room for it: {left}. Tell the operators.")
    return length


def append(
    *, upload: Upload, offset: int, stream: BinaryIO | RawIOBase, announced: int = 0, by: User
) -> Upload:
    """Write the next bytes of an open upload, as they come; audited where it begins and where it ends.

    A stream that breaks off loses nothing that arrived before. More than there is room for is refused before
    its first byte when it was announced.
    """
    _require_own(upload, by)
    with _writing(upload) as writer:
        if offset != writer.size:
            raise Conflict("wrong-offset", f"The upload stands at byte {writer.size}; continue from there.")
        room = upload.length - writer.size
        if announced > room:
            raise _too_long()
        _pour(stream, writer, room)
    return upload


def resync(*, upload: Upload, by: User) -> int:
    """How many bytes have arrived, asked of the file itself: what a client continues from."""
    _require_own(upload, by)
    with _writing(upload) as writer:
        return writer.size


def _too_long() -> Invalid:
    return Invalid("too-long", "More bytes arrived than the upload announced.", "length")


def _pour(stream: BinaryIO | RawIOBase, writer: SealedWriter, room: int) -> None:
    while piece := stream.read(min(FRAME_BYTES, room + 1)):
        if len(piece) > room:
            raise _too_long()
        writer.write(piece)
        room -= len(piece)


@contextmanager
def _writing(upload: Upload) -> Iterator[SealedWriter]:
    """The writer of an upload, under the lock of its file; what arrived is kept, whatever happens."""
    try:
        with storage.upload_file(upload) as raw:
            writer = SealedWriter.resume(raw, storage.key_bytes(upload.key))
            try:
                yield writer
            finally:
                writer.suspend()
                _note(upload, writer.size)
    except storage.Busy:
        raise Conflict("busy", "Another request is sending this file; wait for it to end.") from None


def _note(upload: Upload, offset: int) -> None:
    upload.offset = offset
    Upload.objects.open().filter(pk=upload.pk).update(offset=offset)


def _require_own(upload: Upload, by: User) -> None:
    if upload.user_id != by.pk:
        raise NotAllowed("not-yours", "Only the person who began an upload can continue it.")
    require(may_upload(upload.project.person(by)))
    upload.refresh_from_db()
    if upload.state != UploadState.OPEN:
        raise Conflict("not-open", f"This upload is {upload.state}.")


def complete(*, upload: Upload, dialect: DialectJson | None = None, by: User) -> Version:
    """Close a whole upload: it becomes a version, and a worker is asked to read it.

    The bytes are hashed and sent under the lock of the file but outside the transaction, which stays short.
    """
    _require_own(upload, by)
    try:
        with storage.upload_file(upload) as raw:
            sha256 = _seal(upload, raw)
            sent = storage.send_upload(upload, sha256)
            return _register(upload=upload, sha256=sha256, sent=sent, dialect=dialect or {}, by=by)
    except storage.Busy:
        raise Conflict("busy", "Another request is sending this file; wait for it to end.") from None


def _seal(upload: Upload, raw: BinaryIO) -> str:
    key = storage.key_bytes(upload.key)
    writer = SealedWriter.resume(raw, key)
    if writer.size != upload.length:
        writer.suspend()
        reason = (
            f"{thousands(writer.size)} of {thousands(upload.length)} bytes have arrived; send the rest first."
        )
        raise Conflict("unfinished", reason)
    writer.close()
    return digest(SealedReader(raw, key))


@action
def _register(*, upload: Upload, sha256: str, sent: str, dialect: DialectJson, by: User) -> Version:
    project = upload.project
    raw = storage.keep_upload(upload, sent, sha256=sha256, purpose=RAW)
    version = arrive(dataset=upload.dataset, filename=upload.filename, raw=raw, dialect=dialect, by=by)
    _end(upload, state=UploadState.COMPLETE, version=version, offset=upload.length)
    details = {"sha256": sha256, "size": upload.length, "number": version.number}
    audit.record("version.uploaded", version, by=by, project=project, details=details)
    return version


@action
def abandon(*, upload: Upload, by: User) -> None:
    """Give an upload up: its key and its bytes are destroyed."""
    if upload.user_id != by.pk:
        raise NotAllowed("not-yours", "Only the person who began an upload can give it up.")
    _give_up(upload)
    audit.record("upload.abandoned", upload, by=by, project=upload.project)


@action
def expire(*, upload: Upload) -> None:
    """Give up what nobody sent a byte of for days; done by the machinery."""
    came = storage.last_byte(upload) or upload.created_at
    if came > left_since():
        raise Conflict("not-due", "This upload may still go on.")
    _give_up(upload)
    audit.record("upload.expired", upload, by=None, project=upload.project)


def _give_up(upload: Upload) -> None:
    _end(upload, state=UploadState.ABANDONED)
    storage.destroy_key(upload.key)
    storage.destroy_upload(upload)


def _end(upload: Upload, **values: Any) -> None:
    if Upload.objects.open().filter(pk=upload.pk).update(**values) != 1:
        raise Conflict("not-open", "This upload has already ended.")
    upload.refresh_from_db()
