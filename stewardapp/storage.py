"""The only door to stored bytes. Everything behind it is sealed; nothing outside knows where it lies.

<data>/temporary/   being written; the writer holds a lock, so what is not locked is stale
<data>/uploads/     unfinished uploads, resumable
<data>/blobs/       finished: <key id>/<sha256 of the content>; or all of this lies in a bucket of a store
<data>/copies/      of what lies in such a store, the latest ones
<data>/answers/     paid for and not yet stored: <run or query id>/<name>
<data>/known/       read of raw data and wanted again: <key id of a version>/<reading id>
<data>/keys/        what unseals them, see keyring
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import shutil
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.db import transaction

from stewardapp import keyring
from stewardapp.models import Blob, DataKey, Query, Reading, Run, Upload
from stewardapp.models.job import kinds_of_jobs
from stewardapp.store_away import StoreAway
from stewardapp.stores.bucket import Account, Bucket
from stewardapp.stores.contract import Store
from stewardapp.stores.copies import Copies
from stewardapp.stores.folder import Folder
from worker.sealed import FRAME_BYTES, SealedError, SealedReader, SealedWriter

TEMPORARY, UPLOADS, BLOBS, ANSWERS, KNOWN = "temporary", "uploads", "blobs", "answers", "known"
COPIES = "copies"
LAST_COPY = "last-backup"  # when the last whole copy was made
GRACE_SECONDS = 3600
AT_ONCE = 500
"""Names that the database is asked about in one question."""
PATIENCE_SECONDS = 2.0  # somebody who only asks how far an upload is holds its file for a moment
Destroyed = keyring.Destroyed


class Busy(Exception):
    """Another process is writing the same file."""


def root() -> Path:
    """Where the files of this installation lie."""
    return Path(settings.STEWARD_DATA)


def store() -> Store:
    """Where finished sealed files lie."""
    if settings.STEWARD_STORE is None:
        return Folder(root(), BLOBS)
    account = Account(
        settings.STEWARD_STORE_ENDPOINT,
        settings.STEWARD_STORE_REGION,
        settings.STEWARD_STORE_KEY,
        settings.STEWARD_STORE_SECRET,
        settings.STEWARD_STORE_PATIENCE,
    )
    copies = Copies(root() / COPIES, settings.STEWARD_STORE_COPIES)
    return Bucket(account, *settings.STEWARD_STORE, BLOBS, copies)


# Keys


def create_key() -> DataKey:
    """A fresh key; of what it is the row tells nothing."""
    return DataKey.objects.add(keyring.create())


def key_bytes(key: DataKey) -> bytes:
    """The key itself."""
    if key.destroyed_at is not None:
        raise Destroyed
    return keyring.key_of(key.pk)


def destroy_key(key: DataKey) -> None:
    """Make everything under this key unreadable for ever: it is removed after commit, as its files are."""
    DataKey.objects.forget(key)
    blobs = list(Blob.objects.stored().filter(key=key))
    for blob in blobs:
        Blob.objects.forget(blob)
    transaction.on_commit(partial(keyring.destroy, key.pk))
    transaction.on_commit(partial(_remove_folder, root() / KNOWN / str(key.pk)))
    transaction.on_commit(partial(_remove, *(blob.path for blob in blobs)))


# Temporary files


@dataclass(slots=True)
class Temporary:
    """A file being written: an open, locked, inheritable-on-request descriptor and its path.

    `sent` is the name it is going to have, once it was sent ahead.
    """

    path: Path
    file: BinaryIO
    sent: str = ""


@contextlib.contextmanager
def temporary() -> Iterator[Temporary]:
    """A private empty file in our own directory; gone at the end of the block unless it was kept."""
    path = _folder(TEMPORARY) / uuid.uuid4().hex
    with _opened(path, os.O_RDWR | os.O_CREAT | os.O_EXCL) as file:
        try:
            yield Temporary(path, file)
        finally:
            path.unlink(missing_ok=True)


def send(temporary: Temporary, *, key: uuid.UUID, sha256: str) -> None:
    """Bring a finished sealed file to the store, before the transaction that refers to it: it may be far."""
    os.fsync(temporary.file.fileno())
    temporary.sent = store().send(temporary.path, _place(key, sha256))


def keep(temporary: Temporary, *, key: DataKey, sha256: str, size: int, purpose: str) -> Blob:
    """Give a finished sealed file its final name; call it inside the transaction that refers to it."""
    if not temporary.sent:
        send(temporary, key=key.pk, sha256=sha256)
    return _settle(temporary.path, temporary.sent, key=key, sha256=sha256, size=size, purpose=purpose)


def _place(key: uuid.UUID, sha256: str) -> str:
    return f"{BLOBS}/{key}/{sha256}"


def _settle(path: Path, name: str, **facts: Any) -> Blob:
    """Of two files with the same content under one key the first one's row stays, and its file."""
    store().keep(path, name)
    blob = Blob.objects.settle(path=name, **facts)
    if blob.path != name:
        transaction.on_commit(partial(_remove, name))
    return blob


# Reading and destroying


@contextlib.contextmanager
def opened(blob: Blob) -> Iterator[BinaryIO]:
    """The sealed bytes as they lie, for handing the descriptor to the engine's process."""
    if blob.destroyed_at is not None:
        raise Destroyed
    with store().opened(blob.path) as file:
        yield file


@contextlib.contextmanager
def reading(blob: Blob) -> Iterator[SealedReader]:
    """The content, decrypted as it is read; seekable."""
    key = key_bytes(blob.key)
    if blob.destroyed_at is not None:
        raise Destroyed
    with store().reading(blob.path) as file:
        yield SealedReader(file, key)


def destroy_blob(blob: Blob) -> None:
    """Mark the bytes as gone and remove the file once that is committed."""
    Blob.objects.forget(blob)
    transaction.on_commit(partial(_remove, blob.path))


def _remove(*names: str) -> None:
    """What a store that is away keeps meanwhile opens no more where its key went, and is swept later."""
    with contextlib.suppress(StoreAway):
        for name in names:
            store().remove(name)


# Uploads


@contextlib.contextmanager
def upload_file(upload: Upload) -> Iterator[BinaryIO]:
    """The unfinished sealed file of an upload, locked: two writers at once raise Busy."""
    with _opened(_folder(UPLOADS) / str(upload.pk), os.O_RDWR | os.O_CREAT, PATIENCE_SECONDS) as file:
        yield file


def send_upload(upload: Upload, sha256: str) -> str:
    """Bring the finished file of an upload to the store; the name that `keep_upload` is to be told."""
    path = _folder(UPLOADS) / str(upload.pk)
    with path.open("rb") as file:
        os.fsync(file.fileno())
    return store().send(path, _place(upload.key_id, sha256))


def keep_upload(upload: Upload, sent: str, *, sha256: str, purpose: str) -> Blob:
    """Turn the file of an upload that was sent into a blob."""
    path = _folder(UPLOADS) / str(upload.pk)
    return _settle(path, sent, key=upload.key, sha256=sha256, size=upload.length, purpose=purpose)


def last_byte(upload: Upload) -> datetime | None:
    """When something of it arrived last."""
    try:
        return datetime.fromtimestamp((_folder(UPLOADS) / str(upload.pk)).stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


def destroy_upload(upload: Upload) -> None:
    """Remove what arrived of an upload, after commit."""
    path = root() / UPLOADS / str(upload.pk)
    transaction.on_commit(lambda: path.unlink(missing_ok=True))


# Answers that were paid for


def answer_folder(job: Run | Query) -> Path:
    """Where the engine leaves the answer of a job that was charged, until it is stored."""
    return _folder(f"{ANSWERS}/{job.pk}")


@contextlib.contextmanager
def answer_file(job: Run | Query, name: str) -> Iterator[SealedReader | None]:
    """A file of such an answer, decrypted as it is read; None when it was not left."""
    path = root() / ANSWERS / str(job.pk) / name
    if not path.exists():
        yield None
        return
    with path.open("rb", buffering=0) as file:
        yield SealedReader(cast(BinaryIO, file), key_bytes(job.key))


def has_answer_file(job: uuid.UUID, name: str) -> bool:
    """Whether the engine left this file for the job with that id."""
    return (root() / ANSWERS / str(job) / name).exists()


# What was read of raw data and is wanted again


def known(reading: Reading) -> bytes | None:
    """What was kept beside the table of a reading; None where there is nothing that can be opened."""
    path, key = _known(reading), key_bytes(reading.version.key)
    with contextlib.suppress(FileNotFoundError, SealedError), path.open("rb", buffering=0) as file:
        return SealedReader(cast(BinaryIO, file), key).read()
    return None


def keep_known(reading: Reading, content: bytes) -> None:
    """Keep it in place of what was there."""
    path, key = _known(reading), key_bytes(reading.version.key)
    with temporary() as made:
        with SealedWriter(made.file, key) as sealed:
            sealed.write(content)
        os.fsync(made.file.fileno())
        _make(path.parent)
        made.path.replace(path)


def _known(reading: Reading) -> Path:
    return root() / KNOWN / str(reading.version.key_id) / str(reading.pk)


# Copies of an installation


def names() -> Iterator[str]:
    """What the finished files are called, wherever they lie."""
    return (name for name, _ in store().found())


def copy_out(name: str, target: BinaryIO) -> None:
    """The sealed bytes of one of them."""
    with store().reading(name) as file:
        shutil.copyfileobj(file, target, FRAME_BYTES)


def copy_in(path: Path, name: str) -> None:
    """Put such a file back under its name."""
    store().put(path, name)


# House-keeping


def sweep(grace_seconds: float = GRACE_SECONDS) -> int:
    """Remove what nobody refers to: stale temporaries, files and keys without a row, answers long stored.

    A blob gets its name shortly before its row is committed, hence the time of grace.
    """
    removed = sum(_remove_unlocked(path) for path in _folder(TEMPORARY).iterdir())
    wanted = {str(id) for id in Upload.objects.open().values_list("id", flat=True)}
    removed += sum(_remove_unlocked(path) for path in _folder(UPLOADS).iterdir() if path.name not in wanted)
    alive = (kind.jobs().alive() for kind in kinds_of_jobs())
    awaited = {str(id) for jobs in alive for id in jobs.values_list("pk", flat=True)}
    removed += keyring.sweep(DataKey.objects.destroyed, grace_seconds)
    removed += sum(_remove_folder(path) for path in _folder(ANSWERS).iterdir() if path.name not in awaited)
    open_keys = {str(key) for key in DataKey.objects.filter(destroyed_at=None).values_list("pk", flat=True)}
    removed += sum(_remove_folder(path) for path in _folder(KNOWN).iterdir() if path.name not in open_keys)
    removed += store().tidy(grace_seconds)
    return removed + (sum(map(_remove_orphans, _old(grace_seconds))) if store().due() else 0)


def _old(grace_seconds: float) -> Iterator[list[str]]:
    """Names in the store that are older, some at a time."""
    names = (name for name, age in store().found() if age >= grace_seconds)
    while some := list(islice(names, AT_ONCE)):
        yield some


def _remove_orphans(names: list[str]) -> int:
    stored = set(Blob.objects.stored().filter(path__in=names).values_list("path", flat=True))
    orphans = [name for name in names if name not in stored]
    for name in orphans:
        store().remove(name)
    return len(orphans)


def _remove_folder(folder: Path) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return True


def _remove_unlocked(path: Path) -> bool:
    try:
        with _opened(path, os.O_RDWR):
            path.unlink()
    except (Busy, FileNotFoundError):
        return False
    return True


def free() -> int:
    """How many bytes the disk has left."""
    return shutil.disk_usage(_folder(TEMPORARY)).free


def free_share() -> float:
    """What part of the disk that is."""
    usage = shutil.disk_usage(root())
    return usage.free / usage.total


def check() -> None:
    """Raise OSError unless a file can be written here and the store answers; for the readiness page."""
    with temporary() as probe:
        probe.file.write(b"ready")
        os.fsync(probe.file.fileno())
    store().check()


@contextlib.contextmanager
def _opened(path: Path, flags: int, patience: float = 0.0) -> Iterator[BinaryIO]:
    descriptor = os.open(path, flags, 0o600)
    with os.fdopen(descriptor, "r+b", buffering=0) as file:
        _lock(file, time.monotonic() + patience)
        yield cast(BinaryIO, file)


def _lock(file: io.FileIO, deadline: float) -> None:
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Busy from None
        time.sleep(0.02)


def _folder(name: str) -> Path:
    folder = root() / name
    _make(folder)
    return folder


def _make(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
