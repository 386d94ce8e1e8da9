"""Every goal recomputed from each released file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from worker.engine import verification
from worker.engine.reporting import Reporter
from worker.engine.verification.verify import Said
from worker.process.channel import Job
from worker.process.files import Files
from worker.sealed import digest


def do(job: Job, reporter: Reporter) -> Job:
    """Recompute every goal from each released file."""
    files = Files(job["files"])
    populations = {name: files.reader(name) for name in job.get("populations", ())}
    names = [name for name in files.names("r") if name not in populations]
    found = {}
    for number, name in enumerate(names):
        with reporter.span(number / len(names), (number + 1) / len(names)):
            found[name] = examined(job["recipe"], files.reader(name), reporter, populations)
            reporter.progress(1.0)
    return {"files": found}


def examined(
    recipe: Said, released: BinaryIO, reporter: Reporter, populations: Mapping[str, BinaryIO]
) -> Job:
    """What the bytes of one file say; hierarchies stand in the recipe itself."""
    found = verification.examine(recipe, released, reporter, populations=populations)
    goals = [
        result.as_dict()
        | {"unit": found.unit, "suppressed_rows": found.suppressed_rows, "suppressed_hold": holds}
        for result, holds in zip(found.results, found.suppressed_hold, strict=True)
    ]
    unexpected = list(found.unexpected)
    return {"goals": goals, "rows": found.rows, "unexpected": unexpected, "sha256": digest(released)}
