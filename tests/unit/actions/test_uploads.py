"""Uploads: resumable, bounded, sealed from the first byte."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from stewardapp import storage
from stewardapp.access.verdict import Conflict, Invalid, NoRoom, NotAllowed
from stewardapp.actions import datasets, proposals, uploads
from stewardapp.models import DataKey, Dataset, Upload, Version
from tests import factories
from worker.sealed import FRAME_BYTES

pytestmark = pytest.mark.django_db
CONTENT = b"name,age\nAda,36\n"


@pytest.fixture
def team() -> factories.Team:
    return factories.make_project()


@pytest.fixture
def upload(team: factories.Team) -> Upload:
    return begin(team, len(CONTENT))


def begin(team: factories.Team, length: int, **changes: Any) -> Upload:
    said = {
        "dataset": factories.make_dataset(team),
        "filename": "a.csv",
        "length": length,
        "by": team.steward,
    }
    return uploads.begin(**{**said, **changes})


def test_nothing_begins_with_a_dataset_that_was_removed(team: factories.Team) -> None:
    seen = factories.make_dataset(team)
    other = factories.make_dataset(team).population
    datasets.remove(dataset=Dataset.objects.get(pk=seen.pk), by=team.steward)
    begun: tuple[Callable[[], object], ...] = (
        lambda: begin(team, 10, dataset=seen),
        lambda: proposals.propose_move(dataset=seen, target=other, reason="Others.", by=team.steward),
        lambda: proposals.propose_admission(dataset=seen, reason="Ours too.", by=team.steward),
    )
    for call in begun:
        with pytest.raises(NotAllowed, match="This dataset was removed"):
            call()


def send(upload: Upload, content: bytes, offset: int = 0) -> Upload:
    return uploads.append(upload=upload, offset=offset, stream=io.BytesIO(content), by=upload.user)


class Broken(io.RawIOBase):
    """A client that goes away after a few bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def read(self, size: int = -1) -> bytes:
        if not self._content:
            raise ConnectionResetError
        content, self._content = self._content, b""
        return content


def path_of(upload: Upload) -> Path:
    return Path(settings.STEWARD_DATA) / upload.path


def test_limits_are_told_before_the_first_byte(team: factories.Team) -> None:
    with pytest.raises(Invalid, match="empty"):
        begin(team, 0)
    with pytest.raises(Invalid, match="GB"):
        begin(team, settings.STEWARD_MAX_UPLOAD + 1)
    with pytest.raises(Invalid, match="Filename"):
        begin(team, 1, filename=" ")
    with pytest.raises(NotAllowed):
        begin(team, 1, by=team.reviewer)


def test_a_whole_upload_becomes_a_version_that_waits_to_be_read(team: factories.Team, upload: Upload) -> None:
    send(upload, CONTENT)
    version = uploads.complete(upload=upload, dialect={"delimiter": ","}, by=team.steward)
    assert (version.number, version.size, version.filename) == (1, len(CONTENT), "a.csv")
    assert version.attempt is not None
    assert (version.attempt.state, version.attempt.dialect) == ("queued", {"delimiter": ","})
    with storage.reading(version.raw) as content:
        assert content.read() == CONTENT
    stored = Path(settings.STEWARD_DATA) / version.raw.path
    assert stored.name == version.sha256
    assert CONTENT.splitlines()[1] not in stored.read_bytes()
    assert not path_of(upload).exists()
    again = send(begin(team, 3, dataset=version.dataset), b"a\n1")
    assert uploads.complete(upload=again, by=team.steward).number == 2


def test_it_resumes_where_it_broke_off(team: factories.Team, upload: Upload) -> None:
    with pytest.raises(ConnectionResetError):
        uploads.append(upload=upload, offset=0, stream=Broken(CONTENT[:5]), by=team.steward)
    assert uploads.resync(upload=upload, by=team.steward) == 5
    with pytest.raises(Conflict, match="byte 5"):
        send(upload, CONTENT, offset=0)
    send(upload, CONTENT[5:], offset=5)
    version = uploads.complete(upload=upload, by=team.steward)
    with storage.reading(version.raw) as content:
        assert content.read() == CONTENT


def test_the_file_knows_better_than_the_row(team: factories.Team, upload: Upload) -> None:
    """A web process killed between file and row: the next request asks the file."""
    send(upload, CONTENT[:7])
    Upload.objects.filter(pk=upload.pk).update(offset=0)
    assert uploads.resync(upload=upload, by=team.steward) == 7


def test_many_frames_pass_through(team: factories.Team) -> None:
    content = b"0123456789" * (3 * FRAME_BYTES // 10)
    upload = begin(team, len(content))
    cut = FRAME_BYTES + 17
    send(upload, content[:cut])
    send(upload, content[cut:], offset=cut)
    version = uploads.complete(upload=upload, by=team.steward)
    with storage.reading(version.raw) as stored:
        assert stored.read() == content


def test_more_than_announced_is_refused(upload: Upload) -> None:
    with pytest.raises(Invalid, match="More bytes"):
        send(upload, CONTENT + b"x")


def test_less_than_announced_is_not_a_version(team: factories.Team, upload: Upload) -> None:
    send(upload, CONTENT[:4])
    with pytest.raises(Conflict, match=f"4 of {len(CONTENT)} bytes"):
        uploads.complete(upload=upload, by=team.steward)
    send(upload, CONTENT[4:], offset=4)
    assert uploads.complete(upload=upload, by=team.steward)


def test_one_writer_at_a_time(team: factories.Team, upload: Upload) -> None:
    send(upload, CONTENT)
    with storage.upload_file(upload):
        with pytest.raises(Conflict, match="Another request"):
            uploads.resync(upload=upload, by=team.steward)
        with pytest.raises(Conflict, match="Another request"):
            uploads.complete(upload=upload, by=team.steward)


def test_only_whoever_began_it_goes_on(team: factories.Team, upload: Upload) -> None:
    send(upload, CONTENT)
    for call in (uploads.resync, uploads.complete, uploads.abandon):
        with pytest.raises(NotAllowed):
            call(upload=upload, by=team.co_steward)
    assert not Upload.objects.visible_to(team.co_steward)
    assert Upload.objects.visible_to(team.steward).get() == upload


def test_an_ended_upload_stays_ended(team: factories.Team, upload: Upload) -> None:
    stale = Upload.objects.get(pk=upload.pk)
    send(upload, CONTENT)
    uploads.complete(upload=upload, by=team.steward)
    with pytest.raises(Conflict, match="complete"):
        send(stale, b"", offset=len(CONTENT))
    with pytest.raises(Conflict, match="already ended"):
        uploads.abandon(upload=upload, by=team.steward)
    assert Version.objects.count() == 1


def test_an_abandoned_upload_leaves_nothing(
    team: factories.Team, upload: Upload, django_capture_on_commit_callbacks: Any
) -> None:
    send(upload, CONTENT)
    with django_capture_on_commit_callbacks(execute=True):
        uploads.abandon(upload=upload, by=team.steward)
    assert not path_of(upload).exists()
    assert DataKey.objects.get(pk=upload.key_id).destroyed_at is not None
    upload.refresh_from_db()
    with pytest.raises(storage.Destroyed):
        storage.key_bytes(upload.key)


def test_a_file_for_which_there_is_no_room_is_refused_before_its_first_byte(
    team: factories.Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "free", lambda: uploads.COPIES * 1000 - 1)
    with pytest.raises(NoRoom) as refused:
        begin(team, 1000)
    assert refused.value.code == "no-room"
    assert begin(team, 999).length == 999


def test_more_than_there_is_room_for_is_refused_before_its_first_byte(upload: Upload) -> None:
    stream = io.BytesIO(CONTENT)
    with pytest.raises(Invalid):
        uploads.append(upload=upload, offset=0, stream=stream, announced=len(CONTENT) + 1, by=upload.user)
    assert stream.tell() == 0
