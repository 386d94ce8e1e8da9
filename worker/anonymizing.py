"""What a run does between claim and end: recipe and table become files, and the files are verified."""

import hmac
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from stewardapp import storage
from stewardapp.models import Run
from worker.claim import Claim
from worker.engine.privacy import Spend
from worker.engines import MadeFile, run_engine
from worker.process import Sealed
from worker.verdicts import agreed, insist

Goals = Sequence[Mapping[str, Any]]

CSV, PARQUET = "text/csv", "application/vnd.apache.parquet"
RELEASED = {
    "release.csv": CSV,
    "release.parquet": PARQUET,
    "table.csv": CSV,
    "table.parquet": PARQUET,
}
INTERNAL = {"records.csv": CSV, "exact.csv": CSV}
OUTPUTS = {**RELEASED, **INTERNAL}


@dataclass(frozen=True)
class Anonymized:
    """Everything a run made."""

    run: Run
    files: list[MadeFile]
    report: dict[str, Any]
    goals: Goals
    microdata: bool


def cost_of(run: Run) -> Spend:
    """What the steps of a run take from the privacy budget."""
    from worker.engine.recipe import Recipe

    return sum((step.cost() for step in Recipe.parse(run.recipe).steps), Spend())


@contextmanager
def anonymized(claim: Claim) -> Iterator[Anonymized]:
    """Run the recipe and verify what came out; the files are gone at the end unless they were kept."""
    related = ("release__version__table", "release__version__key", "key", "project_key__key")
    run = Run.objects.select_related(*related).get(pk=claim.id)
    with ExitStack() as stack:
        temporaries = {name: stack.enter_context(storage.temporary()) for name in OUTPUTS}
        answer = transform(claim, run, temporaries)
        report, written = answer["report"], answer["files"]
        files = [
            MadeFile(
                name, temporaries[name], media_type=OUTPUTS[name], public=name in RELEASED, **written[name]
            )
            for name in written
        ]
        public = [file for file in files if file.public]
        goals = verify(claim, run, public, report) if answer["microdata"] else []
        yield Anonymized(run, files, report, goals, answer["microdata"])


def made(name: str, temporary: storage.Temporary, facts: Mapping[str, Any]) -> MadeFile:
    """A file the engine says it wrote."""
    return MadeFile(name, temporary, media_type=OUTPUTS[name], public=name in RELEASED, **facts)


def transform(claim: Claim, run: Run, temporaries: Mapping[str, storage.Temporary]) -> dict[str, Any]:
    """Carry out the recipe."""
    version, key = run.release.version, storage.key_bytes(run.key)
    if version.table is None:
        raise storage.Destroyed
    with storage.opened(version.table) as table:
        given = {"table": Sealed(table, storage.key_bytes(version.key))}
        wanted = {name: Sealed(one.file, key, "w") for name, one in temporaries.items()}
        details = {"recipe": run.recipe, "key": randomness(key).hex(), "input_sha256": version.sha256}
        if run.project_key is not None:
            details["project_key"] = storage.key_bytes(run.project_key.key).hex()
        return run_engine(claim, "anonymize", details, given | wanted, part=(0.0, 0.8))


def verify(claim: Claim, run: Run, files: Sequence[MadeFile], report: Mapping[str, Any]) -> Goals:
    """Recompute every goal from the bytes as they are stored, by code that shares nothing with the method."""
    key = storage.key_bytes(run.key)
    released = {file.name: Sealed(file.temporary.file, key) for file in files}
    answer = run_engine(claim, "verify", {"recipe": run.recipe}, released, part=(0.8, 1.0))
    reported = report["goals"]
    for file in files:
        insist(answer["files"][file.name], file, reported)
    recomputed = answer["files"][files[0].name]["goals"]
    return [agreed(one, other) for one, other in zip(recomputed, reported, strict=True)]


def randomness(key: bytes) -> bytes:
    """The key of the run's random draws: the same on a second attempt, gone with the run's own key."""
    return hmac.digest(key, b"randomness", "sha256")
