"""What a run does between claim and end: recipe and table become files, and the files are verified."""

import hmac
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, cast

from stewardapp import storage
from stewardapp.models import Run
from worker.answers import Answer, repeat
from worker.child import ANSWER
from worker.claim import Claim
from worker.engines import MadeFile, run_engine
from worker.outputs import MADE, OUTPUTS, PUBLIC, RELEASED
from worker.process import Sealed
from worker.tables import opened, populations
from worker.verdicts import agreed, insist

Goals = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Anonymized:
    """Everything a run made."""

    run: Run
    files: list[MadeFile]
    report: dict[str, Any]
    goals: Goals
    microdata: bool


@contextmanager
def anonymized(claim: Claim, stored: Answer | None = None) -> Iterator[Anonymized]:
    """Run the recipe, or repeat a stored answer, and verify the bytes.

    The files are gone at the end unless they were kept.
    """
    related = ("reading__table", "reading__version__key", "key", "project_key__key")
    run = Run.objects.select_related(*related).get(pk=claim.id)
    with ExitStack() as stack:
        temporaries = {name: stack.enter_context(storage.temporary()) for name in MADE}
        answer = transform(claim, run, temporaries) if stored is None else repeat(stored, run, temporaries)
        further = converted(claim, run, answer, temporaries, stack)
        report, written = answer["report"], answer["files"] | further
        for name in temporaries.keys() - written.keys():
            temporaries[name].path.unlink()  # before the run is seen to have ended
        files = [
            MadeFile(
                name, temporaries[name], media_type=OUTPUTS[name], public=name in PUBLIC, **written[name]
            )
            for name in written
        ]
        tables = [file for file in files if file.name in RELEASED]
        goals = verify(claim, run, tables, report) if answer["microdata"] else []
        yield Anonymized(run, files, report, goals, answer["microdata"])


def transform(claim: Claim, run: Run, temporaries: Mapping[str, storage.Temporary]) -> dict[str, Any]:
    """Carry out the recipe; an answer that was paid for is left where a takeover finds it."""
    version, key = run.reading.version, storage.key_bytes(run.key)
    with (
        opened(run.reading) as table,
        populations(run.compared.all()) as compared,
        ExitStack() as stack,
    ):
        given = {"table": table, **compared}
        wanted = dict(temporaries)
        details = {"recipe": run.recipe, "key": randomness(key).hex(), "input_sha256": version.sha256}
        details["labels"] = {name: said["label"] for name, said in run.dictionary.items()}
        details["populations"] = list(compared)
        details["version_key"] = shared_randomness(storage.key_bytes(version.key)).hex()
        if run.project_key is not None:
            details["project_key"] = storage.key_bytes(run.project_key.key).hex()
        if run.charged_at is not None:
            wanted[ANSWER] = stack.enter_context(storage.temporary())
            details["publish"] = str(storage.answer_folder(run))
        sealed = {name: Sealed(one.file, key, "w") for name, one in wanted.items()}
        return run_engine(claim, "anonymize", details, given | sealed, part=(0.0, 0.8))


def converted(
    claim: Claim,
    run: Run,
    answer: Mapping[str, Any],
    temporaries: dict[str, storage.Temporary],
    stack: ExitStack,
) -> dict[str, Any]:
    """The further formats a recipe asks for, made of the bytes that were stored: no noise is drawn again."""
    table = "release" if answer["microdata"] else "table"
    names = [f"{table}.{suffix}" for suffix in run.recipe.get("formats", ())]
    if not names:
        return {}
    temporaries |= {name: stack.enter_context(storage.temporary()) for name in names}
    key, source = storage.key_bytes(run.key), f"{table}.parquet"
    files = {name: Sealed(temporaries[name].file, key, "w") for name in names}
    files[source] = Sealed(temporaries[source].file, key)
    made = run_engine(claim, "convert", {"recipe": run.recipe}, files, part=(0.8, 0.85))
    return cast(dict[str, Any], made["files"])


def verify(claim: Claim, run: Run, files: Sequence[MadeFile], report: Mapping[str, Any]) -> Goals:
    """Recompute every goal from the bytes as they are stored, by code that shares nothing with the method."""
    key = storage.key_bytes(run.key)
    released = {file.name: Sealed(file.temporary.file, key) for file in files}
    with populations(run.compared.all()) as compared:
        details = {"recipe": run.recipe, "populations": list(compared)}
        answer = run_engine(claim, "verify", details, released | compared, part=(0.85, 1.0))
    reported = report["goals"]
    for file in files:
        insist(answer["files"][file.name], file, reported)
    recomputed = answer["files"][files[0].name]["goals"]
    return [agreed(one, other) for one, other in zip(recomputed, reported, strict=True)]


def shared_randomness(key: bytes) -> bytes:
    """The key of what every run on a version draws alike: gone with the version's own key."""
    return hmac.digest(key, b"randomized answers", "sha256")


def randomness(key: bytes) -> bytes:
    """The key of the run's random draws: the same on a second attempt, gone with the run's own key."""
    return hmac.digest(key, b"randomness", "sha256")
