"""An assessment: measures of a run that ended, read from the very bytes that it made."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TypedDict, cast

from stewardapp import storage
from stewardapp.actions import assessments, brought
from stewardapp.domain.brought import UPLOADED
from stewardapp.models import Assessment, User
from worker.engine.errors import EngineError
from worker.process import known
from worker.process.engines import MadeFile, run_engine, stored, storing
from worker.process.keys import randomness
from worker.process.outputs import REPORT, REREAD
from worker.process.parent import Sealed
from worker.process.tables import opened, other_releases, populations
from worker.queue.claim import Claim
from worker.queue.kinds import Kind, register

READING_SHARE = 0.1
"""Of the progress, where a file was brought along."""


class File(TypedDict):
    """The report as it was sealed."""

    sha256: str
    size: int


class Looked(TypedDict):
    """What the engine found, and what it read of the original that is new."""

    report: Mapping[str, object]
    file: File
    known: Mapping[str, str]
    engine_version: str


@register
class Assessments(Kind[Assessment]):
    """The report and what follows from it become visible at once. No step is carried out again."""

    row = Assessment

    def work(self, claim: Claim) -> None:
        related = ("run__reading__table", "run__reading__version__key", "run__key", "run__release")
        assessment = Assessment.objects.select_related(*related).get(pk=claim.id)
        with storage.temporary() as temporary:
            answer = looked(claim, assessment, temporary)
            file = MadeFile(REPORT, temporary, **answer["file"])
            with storing([file], assessment.run.key):
                assessments.record(
                    assessment=assessment,
                    fence=claim.fence,
                    report=answer["report"],
                    file=stored(file, assessment.run.key),
                    engine_version=answer["engine_version"],
                )
        known.add(assessment.run.reading, answer["known"])

    def close(self, job: Assessment) -> Mapping[str, object]:
        return brought.destroy(job)

    def waiting_for(self, job: Assessment) -> tuple[list[User], str]:
        return [job.asked_by], f"/runs/{job.run_id}/assessments/"


def looked(claim: Claim, assessment: Assessment, report: storage.Temporary) -> Looked:
    """What the engine finds; it writes its report under the key of the run."""
    run = assessment.run
    key = storage.key_bytes(run.key)
    details: dict[str, object] = {
        "recipe": {**run.recipe, "goals": [], "measures": assessment.measures},
        "key": randomness(key).hex(),
        "known": known.readings(run.reading),
        "input_sha256": run.reading.version.sha256,
    }
    with read_brought(claim, assessment) as uploaded, read_again(assessment) as read:
        files = {**read.files, **uploaded, REPORT: Sealed(report.file, key, "w")}
        named = [*(str(one.version_id) for one in assessment.compared.all()), *uploaded]
        details |= {"output_sha256": read.sha256, "populations": named, **read.others}
        return cast(Looked, run_engine(claim, "assess", details, files))


@contextmanager
def read_brought(claim: Claim, assessment: Assessment) -> Iterator[dict[str, Sealed]]:
    """The table of what was brought along, read in the engine's process as every file is; gone afterwards."""
    blob = assessment.brought
    if blob is None:
        yield {}
        return
    key = storage.key_bytes(blob.key)
    with storage.opened(blob) as raw, storage.temporary() as table:
        files = {"raw": Sealed(raw, key), "table": Sealed(table.file, key, "w")}
        try:
            run_engine(claim, "read", {"dialect": {}}, files, part=(0.0, READING_SHARE))
        except EngineError as error:
            raise EngineError(error.code, f"The uploaded file: {error.sentence}") from None
        yield {UPLOADED: Sealed(table.file, key)}


@dataclass(frozen=True)
class Read:
    """What an assessment reads: sealed files, the hash of the released one, and what is to be known of other
    releases."""

    files: Mapping[str, Sealed] = field(default_factory=dict)
    sha256: str = ""
    others: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@contextmanager
def read_again(assessment: Assessment) -> Iterator[Read]:
    """The table of the run, the file that it made with what it kept beside it, and what they are compared
    with; of a table with noise nothing is opened."""
    run = assessment.run
    if not run.stated["microdata"]:
        yield Read()
        return
    released = run.artifacts.select_related("blob").get(name=REREAD)
    with ExitStack() as stack:
        files = stack.enter_context(populations(assessment.compared.all()))
        files["table"] = stack.enter_context(opened(run.reading))
        others = stack.enter_context(other_releases(assessment, run.reading))
        kept = {blob.purpose: blob for blob in run.kept.all()}
        for name, blob in {REREAD: released.blob, **kept}.items():
            files[name] = Sealed(stack.enter_context(storage.opened(blob)), storage.key_bytes(run.key))
        yield Read({**files, **others.files}, released.sha256, others.details())
