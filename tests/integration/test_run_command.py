"""One command starts the whole product and one key ends it."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stewardapp.actions import columns
from stewardapp.models import JobState, Run
from tests.factories import make_admin, make_project, make_release, make_run, upload
from tests.faults.invariants import broken
from tests.faults.world import ROLES, ended, survey
from tests.functional.desk import Desk
from tests.site import Site, inhabited, sqlite_copy, until

ROWS = 1_000_000


@pytest.fixture
def site(sqlite_template: Path, tmp_path: Path, django_db_blocker: Any) -> Iterator[Site]:
    """The data folder of an installation that has an administrator, so that no demo is loaded."""
    data = tmp_path / "data"
    data.mkdir()
    site = Site(data, sqlite_copy(sqlite_template, data), f"spool://{data}/spool")
    with django_db_blocker.unblock(), inhabited(site):
        make_admin()
        yield site


@pytest.fixture
def desk(site: Site) -> Iterator[Desk]:
    desk = Desk(site.data)
    yield desk
    desk.kill()


def processes_of(data: Path) -> list[int]:
    """Every process that was told to use this data folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"STEWARD_DATA={data}\0".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid() and not is_zombie(pid)]


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def named(data: Path, word: str) -> list[int]:
    """Those of them whose command line holds a word."""
    return [pid for pid in processes_of(data) if word in command(pid)]


def command(pid: int) -> str:
    """The command line of a process; nothing once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_it_starts_says_where_and_ends_with_exit_code_0(desk: Desk) -> None:
    desk.start()
    assert f"Open http://127.0.0.1:{desk.port}/" in desk.said
    private = ("spool/queue", "spool/control", "key-encryption-key", "logs")
    until(lambda: all((desk.data / name).exists() for name in private), 30, "the worker listens")
    for name in private:
        assert (desk.data / name).stat().st_mode & 0o077 == 0, name
    assert desk.interrupt() == 0
    assert "Stopped." in desk.log.read_text()
    assert processes_of(desk.data) == []


def test_terminating_it_is_as_good(desk: Desk) -> None:
    desk.start()
    assert desk.process is not None
    desk.process.send_signal(signal.SIGTERM)
    assert desk.process.wait(30) == 0
    assert processes_of(desk.data) == []


def test_a_second_start_and_a_taken_port_are_refused_in_one_line(desk: Desk) -> None:
    desk.start()
    second = desk.manage("run")
    assert second.returncode == 1
    assert second.stderr.strip() == f"CommandError: The release desk is running already on {desk.data}."
    other = Desk(desk.data.parent / "other", port=desk.port)
    refused = other.manage("run")
    assert refused.returncode == 1
    assert f"Port {desk.port} is taken" in refused.stderr
    assert "Traceback" not in second.stderr + refused.stderr
    assert desk.interrupt() == 0


def test_what_dies_is_started_again(desk: Desk) -> None:
    desk.start()
    [web] = [pid for pid in named(desk.data, "stewardapp.entrance") if os.getsid(pid) == pid]
    os.killpg(web, signal.SIGKILL)
    until(desk.healthy, 30, "the web process is back")
    [worker] = [pid for pid in named(desk.data, "celery") if os.getsid(pid) == pid]
    os.killpg(worker, signal.SIGKILL)
    until(lambda: [pid for pid in named(desk.data, "celery") if pid != worker], 30, "the worker is back")
    assert desk.interrupt() == 0
    assert processes_of(desk.data) == []


def test_nobody_goes_on_when_it_is_killed(desk: Desk) -> None:
    desk.start()
    desk.kill()
    until(lambda: processes_of(desk.data) == [], 30, "web and worker end with the command")


def test_an_interrupted_run_finishes_after_the_next_start(desk: Desk, site: Site) -> None:
    desk.start()
    team = make_project()
    version = upload(team, data=survey("interrupted", ROWS))
    assert ended(version.attempt, 90) == JobState.SUCCEEDED
    version.refresh_from_db()
    columns.tag(version=version, roles=ROLES, by=team.steward)
    run = make_run(make_release(team, version=version), by=team.steward)
    until(Run.objects.filter(pk=run.pk, state=JobState.RUNNING, percent__gt=0).exists, 60)
    for engine in named(desk.data, "worker.process.child"):
        os.kill(engine, signal.SIGSTOP)  # however fast it is, it does not end before it is interrupted
    assert desk.interrupt() == 0
    run.refresh_from_db()
    assert (run.state, run.attempts) == (JobState.QUEUED, 0)
    desk.start()
    assert ended(run, 90) == JobState.SUCCEEDED
    assert desk.interrupt() == 0
    assert broken() == []
