"""After a year of work every file of the data folder is explained, by a row or by a line of the guide."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.utils import timezone

from stewardapp import storage
from stewardapp.access.guessing import Shared
from stewardapp.access.workflow import State
from stewardapp.actions import guesses, uploads
from stewardapp.actions.guesses import Under
from stewardapp.keyring import KEYS, SEAL
from stewardapp.management import supervisor
from stewardapp.management.supervisor import log_file, put_aside
from stewardapp.models import Anchor, AuditEvent, Blob, DataKey, Guesses, Upload, Version
from stewardapp.sessions import SessionStore
from tests import factories
from tests.factories import Team
from tests.integration.url_scene import browser
from tests.site import ROOT
from tests.site_fixtures import new_site
from worker.queue import reaper
from worker.queue.anchoring import Anchoring

MONTHS, MONTH = 12, timedelta(days=30)
RETENTION = 90
LONGEST_NOTE = 160
"""Bytes that an event takes among the notes of the audit log."""
IN_A_MONTH = {"sessions": 5, "uploads": 2, "log": 700}
LARGEST_LOG = 1000
SEALED = 1.01, 512
"""How much larger a sealed file is than its content, and what it has besides."""


def work(team: Team, log: Path) -> None:
    """What happens in a month: data come in, a release goes out, people sign in and guess, files are left."""
    version = factories.make_version(team)
    release = factories.make_release(team, version=version)
    factories.make_succeeded_run(release)
    factories.take_to(team, release, State.PUBLISHED, team.steward)
    for _ in range(IN_A_MONTH["sessions"]):
        browser(team.analyst)
    for _ in range(IN_A_MONTH["uploads"]):
        begun = uploads.begin(dataset=version.dataset, filename="left.csv", length=9, by=team.steward)
        uploads.append(upload=begun, offset=0, stream=io.BytesIO(b"a,b\n"), by=team.steward)
        now = timezone.now().timestamp()  # the clock of files is not moved either
        os.utime(storage.root() / storage.UPLOADS / str(begun.pk), (now, now))
    under = [Under(Shared.ACCOUNT, factories.unique("somebody"))]
    guesses.begin(unders=under)
    guesses.failed(unders=under, user=None)
    with log.open("a") as file:
        file.write("." * IN_A_MONTH["log"])


def tidy(log: Path) -> None:
    """What workers and the supervisor do every minute."""
    Anchoring()()
    reaper.expire()
    reaper.sweep()
    put_aside(log)


@dataclass(frozen=True)
class Year:
    """The folder after it, and how large the database was at the end of each month."""

    data: Path
    sizes: list[int]


@pytest.fixture(scope="module")
def year(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Year]:
    """It ends now: the clock of the database is not moved."""
    data = tmp_path_factory.mktemp("year") / "data"
    with ExitStack() as stack:
        new_site("embedded", request, data, stack)
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(supervisor, "LARGEST_LOG", LARGEST_LOG)
        yield Year(data, lived(data))


def lived(data: Path) -> list[int]:
    """A year, month by month."""
    log, sizes = log_file(data / "logs", "web"), []
    with time_machine.travel(timezone.now() - MONTHS * MONTH) as clock:
        team = factories.make_project(retention_days=RETENTION)
        for _ in range(MONTHS):
            work(team, log)
            tidy(log)
            clock.shift(MONTH)
            sizes.append((data / "steward.sqlite3").stat().st_size)
        clock.shift(timedelta(days=1))  # what was written today has had its time of grace
        tidy(log)
    return sizes


def parts(data: Path) -> dict[str, list[Path]]:
    """Every file, by the part of the folder that it lies in."""
    found: dict[str, list[Path]] = {}
    for path in data.rglob("*"):
        if path.is_file():
            found.setdefault(path.relative_to(data).parts[0], []).append(path)
    return found


def told() -> list[str]:
    """The parts that the guide explains, as patterns."""
    guide = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    _, _, section = guide.partition("## What the data folder holds\n")
    return re.findall(r"`([^`]+)`", " ".join(re.findall(r"^\| (`[^|]+) \|", section, re.MULTILINE)))


def is_told(name: str) -> bool:
    return any(Path(name).match(pattern.rstrip("/")) for pattern in told())


def test_every_part_of_the_folder_stands_in_the_guide(year: Year) -> None:
    found = parts(year.data)
    assert {"audit", "anchors", "blobs", "keys", "logs", "steward.sqlite3"} <= set(found)
    assert [name for name in found if not is_told(name)] == []
    assert not is_told("unheard-of")


def test_files_and_keys_are_those_that_rows_speak_of(year: Year) -> None:
    found, data = parts(year.data), year.data
    stored = {blob.path: blob.size for blob in Blob.objects.stored()}
    sizes = {path.relative_to(data).as_posix(): path.stat().st_size for path in found["blobs"]}
    assert sizes.keys() == stored.keys()
    more, besides = SEALED
    assert all(stored[name] < size <= more * stored[name] + besides for name, size in sizes.items())
    keys = {path.name for path in found[KEYS] if not path.name.startswith(SEAL)}
    assert keys == {str(id) for id in DataKey.objects.filter(destroyed_at=None).values_list("pk", flat=True)}
    assert not found.keys() & {storage.TEMPORARY, storage.UPLOADS, storage.ANSWERS, "scratch"}


def test_raw_data_are_those_of_the_last_months(year: Year) -> None:
    assert Version.objects.count() == MONTHS
    assert Version.objects.live().count() == (RETENTION - 1) // MONTH.days
    assert not Upload.objects.open().exists()


def test_nobody_is_remembered_who_left(year: Year) -> None:
    assert not Guesses.objects.exists()
    assert not Session.objects.filter(expire_date__lt=timezone.now()).exists()
    assert Session.objects.count() <= lasting() * IN_A_MONTH["sessions"]


def lasting() -> int:
    """Of how many months sessions may still be there."""
    ages = SessionStore().get_expiry_age()
    return 1 + int(timedelta(seconds=ages) / MONTH)


def test_logs_stay_small(year: Year) -> None:
    files = {path.name: path.stat().st_size for path in parts(year.data)["logs"]}
    assert files.keys() == {"web.log", "web.log.1"}
    assert sum(files.values()) <= 2 * (LARGEST_LOG + IN_A_MONTH["log"])
    assert MONTHS * IN_A_MONTH["log"] > 2 * (LARGEST_LOG + IN_A_MONTH["log"]), "more was written"


def test_what_stays_for_ever_grows_with_what_was_done(year: Year) -> None:
    found, events = parts(year.data), AuditEvent.objects.count()
    assert 0 < sum(path.stat().st_size for path in found["audit"]) <= LONGEST_NOTE * events
    assert len(found["anchors"]) == Anchor.objects.count() <= MONTHS + 1
    first, second = year.sizes[MONTHS // 2 - 1], year.sizes[-1]
    assert second < 2 * first


def test_a_day_of_the_year(year: Year) -> None:
    days: list[datetime] = list(AuditEvent.objects.order_by("id").values_list("at", flat=True))
    assert days[-1] - days[0] >= (MONTHS - 1) * MONTH, "the clock was moved"
