"""`python -m benchmarks.desk_sweep FOLDER ROUNDS`: as `benchmarks.desk`, for a sweep beside a single run."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Sequence
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


def timed(release: Release, way: Callable[[Release], object], started: Sequence[int]) -> float:
    """Seconds of the processor, by the workers and all they start, with nothing known from earlier runs."""
    forget(release)
    before, resting = desk.processor(*started), set(desk.family(*started))
    way(release)
    used = desk.processor(*started) - before
    return used if resting <= set(desk.family(*started)) else math.inf


def main(folder: Path, rounds: int) -> dict[str, float]:
    """All in turns; the fastest of each counts."""
    release = desk.prepared(folder)
    outbox.start()
    found: dict[str, list[float]] = {"fresh": [], "ready": [], "sweep": []}
    for _ in range(rounds):
        with desk.workers(1, ready=False) as started:
            desk.settle(release, started)
            found["fresh"] += [timed(release, desk.pressed, started) for _ in range(desk.RUNS)]
        with desk.workers(1, ready=True) as started:
            desk.settle(release, started)
            found["ready"] += [timed(release, desk.pressed, started) for _ in range(desk.RUNS)]
            found["sweep"] += [timed(release, swept, started) for _ in range(2)]
    return {name: min(seconds) for name, seconds in found.items()}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
