"""A desk of its own for benchmarks: a database, a queue, real workers, one table and a recipe for it.

`python -m benchmarks.desk FOLDER ROUNDS` takes FOLDER/data.csv and FOLDER/hierarchies.json, and prints as
JSON how many seconds pass from pressing Run until the run has succeeded.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import UUID

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402

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
AT_ONCE = 16
SETTLING = 4.0
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


def processor(pid: int) -> float:
    """Seconds of the processor that a process, those it started and those that ended have used."""
    try:
        used = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK") + sum(processor(int(one)) for one in children)


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
        settle(release)
        before = processor(started[0])
        fastest = min(pressed(release) for _ in range(RUNS))
        return fastest, (processor(started[0]) - before) / RUNS


def at_once(release: Release, number: int) -> float:
    """Seconds for each of many runs that so many workers share."""
    with workers(number, ready=True):
        settle(release)
        return pressed(release, AT_ONCE) / AT_ONCE


def settle(release: Release) -> None:
    """What a worker loads ahead is loaded after some runs and a moment."""
    pressed(release, 2)
    time.sleep(SETTLING)
    pressed(release, 2)


def main(folder: Path, rounds: int) -> dict[str, float]:
    """All measurements in turns, so that a slow minute of the machine meets every one of them."""
    release = prepared(folder)
    outbox.start()
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        for busy in (False, True):
            with company(busy):
                for ready in (False, True):
                    name = f"{'ready' if ready else 'fresh'}{' busy' * busy}"
                    seconds, used = alone(release, ready=ready)
                    found.setdefault(name, []).append(seconds)
                    found.setdefault(f"{name} processor", []).append(used)
        for number in (1, 2):
            found.setdefault(f"workers {number}", []).append(at_once(release, number))
    return {name: min(seconds) for name, seconds in found.items()}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
