"""Break it on purpose; afterwards every promise must hold."""

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import connection

from stewardapp.access.verdict import Refused
from stewardapp.actions import runs
from stewardapp.models import AuditEvent, JobState, Run
from tests.faults import dying, trouble
from tests.faults.invariants import broken
from tests.faults.standing import StandingSite
from tests.faults.world import World, ended, running
from tests.sampling import WHOLE
from tests.site import LEASE, Site, kill_session, until
from worker.queue import app

assert trouble.SLUG
ROUNDS = 12 if WHOLE else 1
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
    """The engine's process of the first worker: the one that was given files."""

    def found() -> list[int]:
        return [pid for pid in children(site.workers[0].pid) if is_engine(pid) and has_files(pid, site.data)]

    engine: int = until(found, 20, "an engine's process")[0]
    return engine


def is_engine(pid: int) -> bool:
    """Whether it is an engine, or a template of engines."""
    return "faults.child" in command(pid)


def has_files(pid: int, folder: Path) -> bool:
    try:
        return any(str(folder) in str(one.readlink()) for one in Path(f"/proc/{pid}/fd").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return False


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_without_a_fault(standing: StandingSite) -> None:
    world = World.make(standing)
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


def test_the_engine_is_killed_at_a_random_point(standing_embedded: StandingSite) -> None:
    world, killed = World.make(standing_embedded), 0
    for _ in range(5 * ROUNDS):
        run = world.run(seconds=LONG)
        running(run)
        engine = engine_of(standing_embedded)
        time.sleep(random.uniform(0, LONG))
        with suppress(ProcessLookupError):
            os.kill(engine, signal.SIGKILL)
        assert ended(run) == JobState.SUCCEEDED, run.error_message
        assert run.attempts <= 2
        killed += run.attempts == 2  # else it was done before
        if killed == ROUNDS:
            break
    assert killed == ROUNDS
    assert broken() == []


def test_what_engines_are_split_off_from_is_killed(standing_embedded: StandingSite) -> None:
    world = World.make(standing_embedded)
    for _ in range(ROUNDS):
        run, template = run_of_a_template(world)
        os.kill(template, signal.SIGKILL)
        assert ended(run) == JobState.SUCCEEDED, run.error_message
        assert run.attempts == 2
    assert ended(world.run()) == JobState.SUCCEEDED
    assert broken() == []


def run_of_a_template(world: World) -> tuple[Run, int]:
    """A run whose engine was split off, and from which process; until that has loaded, runs do without."""
    for _ in range(30):
        run = world.run(seconds=LONG)
        running(run)
        parent = parent_of(engine_of(world.site))
        if is_engine(parent):
            return run, parent
        assert ended(run) == JobState.SUCCEEDED
    raise AssertionError("no engine was split off")


def test_a_job_that_kills_its_process_is_given_up_after_two_attempts(standing: StandingSite) -> None:
    world = World.make(standing)
    run = world.run(signal=signal.SIGKILL)
    assert ended(run) == JobState.FAILED
    assert (run.error_code, run.attempts) == ("worker-lost", 2)
    assert broken() == []


def test_the_whole_worker_is_killed_at_a_random_point(standing: StandingSite) -> None:
    world = World.make(standing)
    for _ in range(ROUNDS):
        run = world.run(seconds=LONG)
        until(Run.objects.filter(pk=run.pk, state=JobState.RUNNING).exists)
        time.sleep(random.uniform(0, LONG))
        kill_session(standing.workers[-1])
        began = time.monotonic()
        standing.start_worker()
        assert ended(run) == JobState.SUCCEEDED, run.error_message
        assert time.monotonic() - began < 120
    assert broken() == []


def test_only_the_main_process_of_the_worker_is_killed(standing_embedded: StandingSite) -> None:
    world = World.make(standing_embedded)
    run = world.run(seconds=LEASE)
    running(run)
    family = children(standing_embedded.workers[0].pid)
    standing_embedded.workers[0].kill()
    standing_embedded.workers[0].wait(30)
    until(lambda: not any(command(pid) for pid in family), 10, "nobody goes on without the worker")
    standing_embedded.start_worker()
    assert ended(run) == JobState.SUCCEEDED
    assert broken() == []


def test_a_worker_that_is_asked_to_end_gives_its_run_back_at_once(standing: StandingSite) -> None:
    world = World.make(standing)
    run = world.run(seconds=60, once=str(standing.data / "once"))
    running(run)
    standing.workers[0].terminate()
    assert standing.workers[0].wait(10) == 0
    run.refresh_from_db()
    assert (run.state, run.attempts) == (JobState.QUEUED, 0)
    standing.start_worker()
    assert ended(run) == JobState.SUCCEEDED
    assert broken() == []


def test_two_workers_share_the_work_and_messages_are_repeated(standing: StandingSite) -> None:
    world = World.make(standing)
    standing.start_worker()
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


def test_a_worker_sleeps_beyond_its_lease_and_wakes_up(standing: StandingSite) -> None:
    world = World.make(standing)
    run = world.run(seconds=2.0)
    running(run)
    sleeper = standing.workers[0]
    family = [sleeper.pid, *children(sleeper.pid)]
    for pid in family:
        os.kill(pid, signal.SIGSTOP)
    standing.start_worker()
    until(Run.objects.filter(pk=run.pk, fence=2).exists, 20, "the run is taken over")
    for pid in reversed(family):
        os.kill(pid, signal.SIGCONT)
    assert ended(run) == JobState.SUCCEEDED
    until(lambda: "job.claim-lost" in standing.logs(), 20, "the sleeper notices")
    assert (run.fence, run.attempts) == (2, 2)
    assert run.artifacts.count() == 4
    assert broken() == []


def test_runs_are_cancelled_at_random(standing: StandingSite) -> None:
    world = World.make(standing)
    for _ in range(3 * ROUNDS):
        run = world.run(seconds=LONG)
        time.sleep(random.uniform(0, 2 * LONG))
        try:
            runs.cancel(run=run, by=world.team.steward)
        except Refused:  # it has ended
            run.refresh_from_db()
            assert not run.is_alive
            continue
        asked = time.monotonic()
        assert ended(run) == JobState.CANCELLED
        assert time.monotonic() - asked < 5
        assert not run.artifacts.exists()
    assert broken() == []


def test_the_worker_dies_at_each_point_of_storing(standing: StandingSite) -> None:
    note, world = standing.note, World.make(standing)
    for point in dying.POINTS if WHOLE else random.sample(dying.POINTS, 2):
        note.write_text(point)
        run = world.run()
        assert ended(run) == JobState.SUCCEEDED, (point, run.error_message)
        assert not note.exists(), f"nobody died {point}"
        assert run.attempts == 2, point
        assert broken() == [], point


@pytest.mark.postgres
def test_the_connections_to_the_database_are_cut(standing_server: StandingSite) -> None:
    world = World.make(standing_server)
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


def test_a_job_hangs(standing_embedded: StandingSite) -> None:
    world = World.make(standing_embedded, STEWARD_JOB_SECONDS="4")
    run = world.run(hang=600)
    assert ended(run) == JobState.FAILED
    assert run.error_code == "time-limit"
    assert broken() == []


def test_a_job_wants_too_much_memory(standing_embedded: StandingSite) -> None:
    world = World.make(standing_embedded)
    run = world.run(hold=64 * 2**30)
    assert ended(run) == JobState.FAILED
    assert run.error_code == "memory"
    assert broken() == []


def test_a_job_fails_in_a_way_nobody_planned_for(standing_embedded: StandingSite) -> None:
    from tests.faults.invariants import CANARY

    world = World.make(standing_embedded)
    run = world.run(told=f"x{CANARY[::-1]}")
    assert ended(run) == JobState.FAILED
    assert run.error_code == "internal"
    assert run.error_reference in standing_embedded.logs()
    assert CANARY[::-1] not in run.error_message + standing_embedded.logs()
    assert broken() == []


def test_the_disk_is_full_while_an_artifact_is_written(standing_embedded: StandingSite) -> None:
    world = World.make(standing_embedded)
    standing_embedded.stop()
    standing_embedded.start_worker(LANG="file-size=300")
    run = world.run()
    assert ended(run) == JobState.FAILED
    assert run.error_code == "disk-full"
    assert not run.artifacts.exists()
    assert broken() == []
    standing_embedded.stop()
    standing_embedded.start_worker()
    assert ended(world.run()) == JobState.SUCCEEDED
    assert broken() == []
