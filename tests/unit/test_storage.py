"""Stored bytes: sealed, private, found again, gone when destroyed, swept when nobody refers to them."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction

from stewardapp import storage
from stewardapp.models import Blob, DataKey, Upload
from tests import factories, s3
from worker.sealed import SealedError, SealedWriter

pytestmark = pytest.mark.django_db
SECRET = b"a value nobody may read"


@pytest.fixture(autouse=True, params=["folder", "bucket"])
def _own_store(request: pytest.FixtureRequest, settings: Any, tmp_path: Path) -> None:
    settings.STEWARD_DATA = tmp_path / "data"
    settings.STEWARD_KEY_FILE = tmp_path / "keys" / "key-encryption-key"
    if request.param == "bucket":
        for name, value in s3.wanted(request.getfixturevalue("s3_server")).items():
            setattr(settings, name, value)


def root() -> Path:
    return Path(settings.STEWARD_DATA)


def files() -> set[str]:
    """Everything in the data folder but keys and copies, which have tests of their own, and in the store."""
    found = {path.relative_to(root()).as_posix() for path in root().rglob("*") if path.is_file()}
    here = {name for name in found if not name.startswith(("keys/", "copies/"))}
    return here | {name for name, _ in storage.store().found()}


def hashes() -> list[str]:
    return [name.split("/")[-1].partition(".")[0] for name in sorted(files())]


def sealed(blob: Blob) -> bytes:
    with storage.opened(blob) as raw:
        return raw.read()


def stored(content: bytes = SECRET, purpose: str = "table") -> Blob:
    return factories.store(content, storage.create_key(), purpose)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_opens_while_its_row_says_so(django_capture_on_commit_callbacks: Any) -> None:
    key = storage.create_key()
    plain = storage.key_bytes(DataKey.objects.get(pk=key.pk))
    with django_capture_on_commit_callbacks(execute=False) as after_commit:
        storage.destroy_key(key)
        assert storage.key_bytes(key) == plain  # the file goes after the commit
        with pytest.raises(storage.Destroyed):
            storage.key_bytes(DataKey.objects.get(pk=key.pk))
    for remove in after_commit:
        remove()
    with pytest.raises(storage.Destroyed):
        storage.key_bytes(key)


def test_a_destroyed_key_whose_file_stayed_is_swept() -> None:
    """The process was killed between commit and removal."""
    key, other = storage.create_key(), storage.create_key()
    storage.destroy_key(key)
    assert storage.sweep() == 1
    with pytest.raises(storage.Destroyed):
        storage.key_bytes(key)
    assert storage.key_bytes(other)


def test_kept_bytes_are_found_again_and_sealed() -> None:
    blob = stored()
    with storage.reading(blob) as content:
        content.seek(2)
        assert content.read() == SECRET[2:]
    assert files() == {blob.path}
    assert hashes() == [blob.sha256]
    assert SECRET not in sealed(blob)
    here = [path for path in root().rglob("*") if path.is_file()]
    assert {mode(path) for path in here} == {0o600}
    assert {mode(path.parent) for path in here} == {0o700}


def test_the_same_bytes_under_one_key_are_one_blob() -> None:
    key = storage.create_key()
    assert factories.store(SECRET, key, "a") == factories.store(SECRET, key, "a")
    assert Blob.objects.count() == 1


def test_of_the_same_bytes_made_again_after_destruction_there_is_one_row(
    django_capture_on_commit_callbacks: Any,
) -> None:
    key = storage.create_key()
    first = factories.store(SECRET, key, "a")
    with django_capture_on_commit_callbacks(execute=True):
        storage.destroy_blob(first)
    again = factories.store(SECRET, key, "b")
    assert again == first
    assert (again.destroyed_at, again.purpose) == (None, "b")
    with storage.reading(again) as content:
        assert content.read() == SECRET


def test_of_two_who_make_the_same_at_once_the_first_stays(django_capture_on_commit_callbacks: Any) -> None:
    key = storage.create_key()
    with storage.temporary() as late:
        with SealedWriter(late.file, storage.key_bytes(key)) as writer:
            writer.write(SECRET)
        storage.send(late, key=key.pk, sha256=writer.sha256)
        first = factories.store(SECRET, key, "table")
        with django_capture_on_commit_callbacks(execute=True):
            facts = {"sha256": writer.sha256, "size": len(SECRET), "purpose": "table"}
            second = storage.keep(late, key=key, **facts)
    assert (second, second.path) == (first, first.path)
    assert files() == {first.path}
    with storage.reading(second) as content:
        assert content.read() == SECRET


def test_another_key_opens_nothing() -> None:
    blob = stored()
    blob.key = storage.create_key()
    with pytest.raises(SealedError), storage.reading(blob) as content:
        content.read()


def test_what_was_not_kept_is_gone() -> None:
    with storage.temporary() as temporary:
        assert mode(temporary.path) == 0o600
        temporary.file.write(b"x")
        assert files() == {f"temporary/{temporary.path.name}"}
    assert files() == set()


def test_a_kept_file_of_a_failed_transaction_is_swept() -> None:
    key = storage.create_key()
    with transaction.atomic():
        factories.store(SECRET, key, "table")
        transaction.set_rollback(True)
    assert not Blob.objects.exists()
    assert storage.sweep() == 0
    assert storage.sweep(grace_seconds=0) == 1
    assert files() == set()


def test_destroyed_bytes_are_gone_with_their_key(django_capture_on_commit_callbacks: Any) -> None:
    blob, other = stored(), stored(b"other")
    with django_capture_on_commit_callbacks(execute=True):
        storage.destroy_key(blob.key)
    assert hashes() == [other.sha256]
    blob = Blob.objects.get(pk=blob.pk)
    assert blob.destroyed_at is not None
    with pytest.raises(storage.Destroyed), storage.reading(blob):
        pass


def test_a_destroyed_blob_whose_file_stayed_is_swept() -> None:
    """The process was killed between commit and removal."""
    blob, other = stored(), stored(b"other")
    storage.destroy_blob(blob)
    assert len(files()) == 2
    assert storage.sweep(grace_seconds=0) == 1
    assert hashes() == [other.sha256]


def test_the_sweep_leaves_what_somebody_writes_and_takes_the_rest() -> None:
    with storage.temporary() as temporary:
        stale = temporary.path.with_name("stale")
        stale.write_bytes(b"x")
        assert storage.sweep() == 1
        assert temporary.path.exists()
        assert not stale.exists()


def test_the_sweep_takes_uploads_without_a_row() -> None:
    team = factories.make_project()
    upload = Upload(id=team.project.pk, key=storage.create_key())
    with storage.upload_file(upload) as raw:
        SealedWriter(raw, storage.key_bytes(upload.key)).suspend()
        assert storage.sweep() == 0
    assert storage.sweep() == 1


def test_the_sweep_bears_files_that_vanish() -> None:
    assert storage._remove_orphans(["blobs/key/vanished"]) == 1
    assert not storage._remove_unlocked(root() / "vanished")


def test_one_writer_of_an_upload(tmp_path: Path) -> None:
    upload = Upload(key=storage.create_key())
    with storage.upload_file(upload), pytest.raises(storage.Busy), storage.upload_file(upload):
        pass


def test_ready_means_writable(monkeypatch: pytest.MonkeyPatch) -> None:
    storage.check()
    assert files() == set()

    def full(descriptor: int) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        storage.check()
