"""Break it on purpose; afterwards every promise must hold."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from django.db import connection

from stewardapp.actions import runs
from stewardapp.models import AuditEvent, JobState, Run
from tests.faults import dying, trouble
from tests.faults.invariants import broken
from tests.faults.world import World, ended, running
from tests.site import LEASE, Site, kill_session, until
from worker import app

assert trouble.SLUG
FULL = os.environ.get("STEWARD_FAULTS") == "full"
ROUNDS = 12 if FULL else 1
LONG = 1.0


def children(pid: int) -> list[int]:
    """Processes started by this one, and theirs."""
    direct = [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and parent_of(int(entry.name)) == pid
    ]
    return [*direct, *(deeper for child in direct for deeper in children(child))]


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return -1


def engine_of(site: Site) -> int:
    """The engine's process of the first worker."""

    def found() -> list[int]:
        return [pid for pid in children(site.workers[0].pid) if "faults.child" in command(pid)]

    engine: int = until(found, 20, "an engine's process")[0]
    return engine


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_without_a_fault(any_site: Site) -> None:
    world = World.make(any_site)
    run = world.run()
    assert ended(run) == JobState.SUCCEEDED, run.error_message
    assert set(run.artifacts.values_list("name", flat=True)) == {
        "release.csv",
        "release.parquet",
        "records.csv",
        "codebook.md",
    }
    assert run.manifest["goals"][0]["holds"]
    assert broken() == []


def test_the_engine_is_killed_at_a_random_point(embedded_site: Site) -> None:
    world = World.make(embedded_site)
    for _ in range(ROUNDS):
        run = world.run(seconds=LONG)
        running(run)
        time.sleep(random.uniform(0, LONG))
        os.kill(engine_of(embedded_site), signal.SIGKILL)
        assert ended(run) == JobState.SUCCEEDED, run.error_message
        assert run.attempts == 2
    assert broken() == []


def test_a_job_that_kills_its_process_is_given_up_after_two_attempts(any_site: Site) -> None:
    world = World.make(any_site)
    run = world.run(signal=signal.SIGKILL)
    assert ended(run) == JobState.FAILED
    assert (run.error_code, run.attempts) == ("worker-lost", 2)
    assert broken() == []


def test_the_whole_worker_is_killed_at_a_random_point(any_site: Site) -> None:
    world = World.make(any_site)
    for _ in range(ROUNDS):
        run = world.run(seconds=LONG)
        until(Run.objects.filter(pk=run.pk, state=JobState.RUNNING).exists)
        time.sleep(random.uniform(0, LONG))
        kill_session(any_site.workers[-1])
        began = time.monotonic()
        any_site.start_worker()
        assert ended(run) == JobState.SUCCEEDED, run.error_message
        assert time.monotonic() - began < 120
    assert broken() == []


def test_only_the_main_process_of_the_worker_is_killed(embedded_site: Site) -> None:
    world = World.make(embedded_site)
    run = world.run(seconds=LEASE)
    running(run)
    family = children(embedded_site.workers[0].pid)
    embedded_site.workers[0].kill()
    embedded_site.workers[0].wait()
    until(lambda: not any(command(pid) for pid in family), 10, "nobody goes on without the worker")
    embedded_site.start_worker()
    assert ended(run) == JobState.SUCCEEDED
    assert broken() == []


def test_a_worker_that_is_asked_to_end_gives_its_run_back_at_once(any_site: Site) -> None:
    world = World.make(any_site)
    run = world.run(seconds=60, once=str(any_site.data / "once"))
    running(run)
    any_site.workers[0].terminate()
    assert any_site.workers[0].wait(10) == 0
    run.refresh_from_db()
    assert (run.state, run.attempts) == (JobState.QUEUED, 0)
    any_site.start_worker()
    assert ended(run) == JobState.SUCCEEDED
    assert broken() == []


def test_two_workers_share_the_work_and_messages_are_repeated(any_site: Site) -> None:
    world = World.make(any_site)
    any_site.start_worker()
    queued = [world.run(seconds=0.2) for _ in range(3)]
    for _ in range(4):
        for run in queued:
            app.send("run", str(run.pk))
    assert [ended(run) for run in queued] == [JobState.SUCCEEDED] * 3
    for run in queued:
        app.send("run", str(run.pk))
    assert ended(world.run()) == JobState.SUCCEEDED
    for run in queued:
        run.refresh_from_db()
        assert (run.attempts, run.fence) == (1, 1)
        assert AuditEvent.objects.about(run).filter(action="run.succeeded").count() == 1
    assert broken() == []


def test_a_worker_sleeps_beyond_its_lease_and_wakes_up(any_site: Site) -> None:
    world = World.make(any_site)
    run = world.run(seconds=2.0)
    running(run)
    sleeper = any_site.workers[0]
    family = [sleeper.pid, *children(sleeper.pid)]
    for pid in family:
        os.kill(pid, signal.SIGSTOP)
    any_site.start_worker()
    until(Run.objects.filter(pk=run.pk, fence=2).exists, 20, "the run is taken over")
    for pid in reversed(family):
        os.kill(pid, signal.SIGCONT)
    assert ended(run) == JobState.SUCCEEDED
    until(lambda: "job.claim-lost" in any_site.logs(), 20, "the sleeper notices")
    assert (run.fence, run.attempts) == (2, 2)
    assert run.artifacts.count() == 4
    assert broken() == []


def test_runs_are_cancelled_at_random(any_site: Site) -> None:
    world = World.make(any_site)
    for _ in range(3 * ROUNDS):
        run = world.run(seconds=LONG)
        time.sleep(random.uniform(0, 2 * LONG))
        run.refresh_from_db()
        if not run.is_alive:
            continue
        runs.cancel(run=run, by=world.team.steward)
        asked = time.monotonic()
        assert ended(run) == JobState.CANCELLED
        assert time.monotonic() - asked < 5
        assert not run.artifacts.exists()
    assert broken() == []


def test_the_worker_dies_at_each_point_of_storing(any_site: Site) -> None:
    note = any_site.data / "die-at"
    world = World.make(any_site, TESTS_DIE_AT=str(note))
    for point in dying.POINTS if FULL else random.sample(dying.POINTS, 2):
        note.write_text(point)
        run = world.run()
        assert ended(run) == JobState.SUCCEEDED, (point, run.error_message)
        assert not note.exists(), f"nobody died {point}"
        assert run.attempts == 2, point
        assert broken() == [], point


@pytest.mark.postgres
def test_the_connections_to_the_database_are_cut(server_site: Site) -> None:
    world = World.make(server_site)
    for _ in range(2 * ROUNDS):
        run = world.run(seconds=LONG)
        until(Run.objects.filter(pk=run.pk, state=JobState.RUNNING).exists)
        for _ in range(3):
            time.sleep(random.uniform(0, LONG))
            cut_connections()
        assert ended(run) == JobState.SUCCEEDED, run.error_message
    assert broken() == []


def cut_connections() -> None:
    """End every session but our own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_job_hangs(embedded_site: Site) -> None:
    world = World.make(embedded_site, STEWARD_JOB_SECONDS="4")
    run = world.run(hang=600)
    assert ended(run) == JobState.FAILED
    assert run.error_code == "time-limit"
    assert broken() == []


def test_a_job_wants_too_much_memory(embedded_site: Site) -> None:
    world = World.make(embedded_site)
    run = world.run(hold=64 * 2**30)
    assert ended(run) == JobState.FAILED
    assert run.error_code == "memory"
    assert broken() == []


def test_a_job_fails_in_a_way_nobody_planned_for(embedded_site: Site) -> None:
    from tests.faults.invariants import CANARY

    world = World.make(embedded_site)
    run = world.run(told=f"x{CANARY[::-1]}")
    assert ended(run) == JobState.FAILED
    assert run.error_code == "internal"
    assert run.error_reference in embedded_site.logs()
    assert CANARY[::-1] not in run.error_message + embedded_site.logs()
    assert broken() == []


def test_the_disk_is_full_while_an_artifact_is_written(embedded_site: Site) -> None:
    world = World.make(embedded_site)
    embedded_site.stop()
    embedded_site.start_worker(LANG="file-size=300")
    run = world.run()
    assert ended(run) == JobState.FAILED
    assert run.error_code == "disk-full"
    assert not run.artifacts.exists()
    assert broken() == []
    embedded_site.stop()
    embedded_site.start_worker()
    assert ended(world.run()) == JobState.SUCCEEDED
    assert broken() == []
