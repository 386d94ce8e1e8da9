"""`python -m benchmarks.desk_sweep FOLDER ROUNDS`: as `benchmarks.desk`, for a sweep beside a single run."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks import desk
from stewardapp import storage
from stewardapp.actions import sweeps
from stewardapp.domain.sweeping import Varied
from stewardapp.models import Release
from worker.queue import outbox

GRID = (
    Varied("goals", 0, "k", (3, 5, 10, 20, 50)),
    Varied("steps", 0, "suppression_limit", (0.0, 0.01, 0.02, 0.05)),
)


def forget(release: Release) -> None:
    """What earlier runs read of the original."""
    storage.keep_known(release.version.read_now(), b"{}")


def swept(release: Release) -> None:
    """All runs of a grid."""
    sweep = sweeps.begin(release=release, entries=GRID, by=release.author)
    desk.await_end(set(sweep.runs.values_list("pk", flat=True)))


def main(folder: Path, rounds: int) -> dict[str, float]:
    """Both in turns; the fastest of each counts."""
    release = desk.prepared(folder)
    outbox.start()
    ways: dict[str, Callable[[Release], object]] = {"single": desk.pressed, "sweep": swept}
    found: dict[str, list[float]] = {}
    with desk.workers(1, ready=True) as started:
        desk.settle(release)
        for _ in range(max(2, rounds)):
            for name, way in ways.items():
                forget(release)
                began, before = time.perf_counter(), desk.processor(started[0])
                way(release)
                found.setdefault(name, []).append(time.perf_counter() - began)
                found.setdefault(f"{name} processor", []).append(desk.processor(started[0]) - before)
    return {name: min(seconds) for name, seconds in found.items()}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
