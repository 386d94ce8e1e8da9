"""A desk of its own for benchmarks: a database, a queue, real workers, one table and a recipe for it.

`python -m benchmarks.desk FOLDER ROUNDS` takes FOLDER/data.csv and FOLDER/hierarchies.json, and prints as
JSON how many seconds pass from pressing Run until the run has succeeded.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import UUID

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402

from stewardapp.actions import (  # noqa: E402
    accounts,
    columns,
    datasets,
    hierarchies,
    memberships,
    populations,
    projects,
    releases,
    runs,
    uploads,
)
from stewardapp.management import processes  # noqa: E402
from stewardapp.models import Dataset, JobState, Release, Run, User, Version  # noqa: E402
from worker.engine.recipes.document import RecipeJson  # noqa: E402
from worker.queue import outbox, runner  # noqa: E402

PASSWORD = "only-for-a-benchmark"
RECIPE: RecipeJson = {
    "goals": [{"goal": "k-anonymity", "params": {"k": 5}}],
    "steps": [{"method": "generalization", "params": {"suppression_limit": 0.02}}],
    "measures": ["*"],
}
MOMENT, MOMENT_OF_MANY, PATIENCE = 0.01, 0.1, 120.0
"""Seconds between two looks: whoever looks at many runs often takes from the workers what they need."""
RUNS = 5
"""Runs of one worker in a row, of which the fastest counts."""
AT_ONCE, ROUNDS = 12, 3
"""Runs that wait, and how often."""
LOOK, RESTING = 2.0, 0.05
"""Seconds between two looks at what workers use of the processor, and what they use while they rest."""
BUSY = (sys.executable, "-c", "while True: pass")


def prepared(folder: Path) -> Release:
    """The table read, its columns tagged, and a draft that somebody may press Run on."""
    call_command("migrate", interactive=False, verbosity=0)
    admin = accounts.create_first_admin(username="admin", password=PASSWORD)
    steward = accounts.create(username="steward", password=PASSWORD, by=admin)
    project = projects.create(name="Benchmark", by=admin)
    memberships.add(project=project, user=steward, role="steward", by=admin)
    people = populations.create(name="People", by=admin)
    dataset = datasets.create(project=project, population=people, name="Data", by=steward)
    version = _read(dataset, folder / "data.csv", steward)
    _tag(version, json.loads((folder / "hierarchies.json").read_text()), steward)
    return releases.create(version=version, title="Benchmark", recipe=RECIPE, by=steward)


def _read(dataset: Dataset, file: Path, by: User) -> Version:
    upload = uploads.begin(dataset=dataset, filename=file.name, length=file.stat().st_size, by=by)
    with file.open("rb") as stream:
        upload = uploads.append(upload=upload, offset=0, stream=stream, by=by)
    version = uploads.complete(upload=upload, by=by)
    runner.perform("reading", str(version.readings.get().pk))
    version.refresh_from_db()
    return version


def _tag(version: Version, tables: dict[str, list[str]], by: User) -> None:
    """Every column can be recognised and has a hierarchy."""
    columns.tag(version=version, roles=dict.fromkeys(tables, "quasi-identifier"), by=by)
    for column in version.columns.all():
        lines = tables[column.name]
        made = hierarchies.create(
            project=version.project,
            version=version,
            name=column.name,
            lines="\n".join(lines),
            levels=lines[0].count(";"),
            by=by,
        )
        hierarchies.attach(column=column, hierarchy=made, by=by)


@contextmanager
def workers(number: int, *, ready: bool) -> Iterator[list[int]]:
    """So many workers, each with or without an engine that is loaded ahead."""
    env = {**os.environ, "STEWARD_READY_ENGINE": str(int(ready))}
    with ExitStack() as stack:
        started = []
        for _ in range(number):
            log = stack.enter_context((Path(settings.STEWARD_DATA) / "worker.log").open("ab"))
            worker = subprocess.Popen(processes.worker(), env=env, stdout=log, stderr=log)
            stack.callback(worker.wait)
            stack.callback(worker.terminate)
            started.append(worker.pid)
        yield started


def family(*pids: int) -> Iterator[int]:
    """Processes and all that they and their threads started, as far as they still run."""
    for pid in pids:
        yield pid
        with suppress(FileNotFoundError, ProcessLookupError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                yield from family(*map(int, (thread / "children").read_text().split()))


def processor(*pids: int) -> float:
    """Seconds of the processor that processes, those they started and those that ended have used."""
    used = 0
    for one in family(*pids):
        with suppress(FileNotFoundError, ProcessLookupError):
            used += sum(map(int, Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return used / os.sysconf("SC_CLK_TCK")


@contextmanager
def company(busy: bool) -> Iterator[None]:
    """Others who want the processor all the time, or nobody."""
    others = [subprocess.Popen(BUSY) for _ in range(2 * busy)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def pressed(release: Release, number: int = 1) -> float:
    """Seconds from pressing Run so many times until all have succeeded."""
    began = time.perf_counter()
    await_end({runs.start(release=release, by=release.author).pk for _ in range(number)})
    return time.perf_counter() - began


def await_end(waiting: set[UUID]) -> None:
    """Until all of these runs have succeeded."""
    began, moment = time.perf_counter(), MOMENT if len(waiting) == 1 else MOMENT_OF_MANY
    while waiting:
        time.sleep(moment)
        ended = Run.objects.ended().filter(pk__in=waiting)
        for id, state, reason in ended.values_list("pk", "state", "error_message"):
            if state != JobState.SUCCEEDED:
                raise SystemExit(f"a run {state}: {reason}")
            waiting.discard(id)
        if time.perf_counter() - began > PATIENCE:
            raise SystemExit("a run does not end")


def alone(release: Release, *, ready: bool) -> tuple[float, float]:
    """The fastest of some runs, one after the other, and what all of them took of the processor, each."""
    with workers(1, ready=ready) as started:
        settle(release, started)
        before = processor(*started)
        fastest = min(pressed(release) for _ in range(RUNS))
        return fastest, (processor(*started) - before) / RUNS


def waiting(release: Release, started: Sequence[int]) -> tuple[float, float]:
    """Seconds for each of many runs that wait for these workers, and seconds of the processor.

    All of them are there at once: pressing Run takes time of the processor too. A worker that began anew in
    between took along what it had used.
    """
    with transaction.atomic():
        queued = {runs.start(release=release, by=release.author).pk for _ in range(AT_ONCE)}
        before, resting = processor(*started), set(family(*started))
    began = time.perf_counter()
    await_end(queued)
    seconds, used = time.perf_counter() - began, processor(*started) - before
    return seconds / AT_ONCE, used / AT_ONCE if resting <= set(family(*started)) else math.inf


def settle(release: Release, started: Sequence[int]) -> None:
    """What a worker loads ahead is loaded when it rests after some runs; some more show whether it is."""
    for _ in range(2):
        pressed(release, 2 * len(started))
        rest(started)


def rest(started: Sequence[int]) -> None:
    """Until the workers have done nothing between two looks, however busy the machine is."""
    before, now = -1.0, processor(*started)
    while now - before > RESTING:
        time.sleep(LOOK)
        before, now = now, processor(*started)


def main(folder: Path, rounds: int) -> dict[str, float]:
    """All measurements in turns, so that a slow minute of the machine meets every one of them."""
    release = prepared(folder)
    outbox.start()
    found: dict[str, list[float]] = {}

    def note(name: str, seconds: float, used: float) -> None:
        found.setdefault(name, []).append(seconds)
        found.setdefault(f"{name} processor", []).append(used)

    for _ in range(rounds):
        for busy in (False, True):
            with company(busy):
                for ready in (False, True):
                    note(f"{'ready' if ready else 'fresh'}{' busy' * busy}", *alone(release, ready=ready))
        for number in (1, 2):
            with workers(number, ready=True) as started:
                settle(release, started)
                for _ in range(ROUNDS):
                    note(f"workers {number}", *waiting(release, started))
    return {name: min(seconds) for name, seconds in found.items()}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
