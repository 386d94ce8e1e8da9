"""A run: recipe and table become files, the files are verified, and all become visible at once."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, TypedDict, cast
from uuid import UUID

from stewardapp import storage
from stewardapp.actions import ledger, runs
from stewardapp.domain import pricing
from stewardapp.models import Artifact, Run, User
from worker.engine.contracts.goal import GoalFinding
from worker.engine.errors import EngineError
from worker.engine.recipes.report import ReportJson
from worker.process import answers, known
from worker.process.answers import Answer, Said, repeat
from worker.process.channel import WrittenJson
from worker.process.drawing import drawn_with
from worker.process.engines import MadeFile, run_engine, stored, storing
from worker.process.outputs import ANSWER, KEPT, MADE, OUTPUTS, PUBLIC, RELEASED
from worker.process.parent import Sealed
from worker.process.tables import opened, other_releases, populations
from worker.queue.claim import Claim
from worker.queue.kinds import Kind, kinds, register

ANEW = "Start a new run if the budget allows."
FIGURE_TOLERANCE = 1e-9


@register
class Runs(Kind[Run]):
    """Everything a run made becomes visible at once, or nothing does."""

    row = Run

    def take(self, id: UUID) -> Claim | None:
        """Runs of a sweep stand aside while anything else waits: somebody waits for that."""
        if Run.objects.of_sweeps().filter(pk=id).exists() and something_else_waits():
            Run.objects.announce_again(id)
            return None
        return super().take(id)

    def work(self, claim: Claim) -> None:
        answer = paid(claim)
        with anonymized(claim, answer) as made, storing([*made.files, *made.kept], made.run.key):
            files = [artifact_of(made.run, file) for file in made.files]
            runs.record(
                run=made.run,
                fence=claim.fence,
                files=files,
                kept=[stored(file, made.run.key) for file in made.kept],
                report=made.report,
                goals=made.goals,
                engine_version=made.report["engine"]["version"],
                microdata=made.microdata,
                answered_by=answer.source if answer else None,
            )

    def waiting_for(self, job: Run) -> tuple[list[User], str]:
        return [job.started_by], f"/runs/{job.pk}/"


def something_else_waits() -> bool:
    """Whether there is any queued job but the runs of sweeps."""
    waiting = (one.jobs.queued() for one in kinds().values() if one.row is not Run)
    return any(jobs.exists() for jobs in (Run.objects.queued().filter(sweep__isnull=True), *waiting))


def artifact_of(run: Run, file: MadeFile) -> Artifact:
    """The row of a file that was made, under its final name."""
    return Artifact(
        run=run,
        name=file.name,
        media_type=file.media_type,
        public=file.public,
        blob=stored(file, run.key),
        sha256=file.sha256,
        size=file.size,
        rows=file.rows,
    )


@dataclass(frozen=True)
class Anonymized:
    """Everything a run made."""

    run: Run
    files: list[MadeFile]
    kept: list[MadeFile]
    report: ReportJson
    goals: Sequence[GoalFinding]
    microdata: bool


def paid(claim: Claim) -> Answer | None:
    """Commit what the steps take from the privacy budget before anything is drawn, or find a paid answer.

    Noise is never drawn twice for one charge: whoever takes over a run that was charged stores the answer
    that was left. Without one it is begun again only when no noise was drawn yet; else it ends, and the
    charge stays.
    """
    job = Run.objects.select_related("reading__table", "started_by", "key").get(pk=claim.id)
    if job.charged_at is not None:
        return answers.left(job, ANEW)
    if costs := pricing.costs_of(job.recipe):
        if earlier := pricing.answered(job.reading, job.compared.select_related("table"), job.recipe):
            return answers.stored_by(earlier)
        pricing.insist_on_answers(job.recipe)
        ledger.charge_run(run=job, fence=claim.fence, costs=costs, by=job.started_by)
    return None


@contextmanager
def anonymized(claim: Claim, stored: Answer | None = None) -> Iterator[Anonymized]:
    """Run the recipe, or repeat a stored answer, and verify the bytes.

    The files are gone at the end unless they were kept.
    """
    related = ("reading__table", "reading__version__key", "key", "project_key__key")
    run = Run.objects.select_related(*related).get(pk=claim.id)
    with ExitStack() as stack:
        temporaries = {name: stack.enter_context(storage.temporary()) for name in (*MADE, *KEPT)}
        answer = transform(claim, run, temporaries) if stored is None else repeat(stored, run, temporaries)
        further = converted(claim, run, answer, temporaries, stack)
        report, written = answer["report"], {**answer["files"], **further}
        beside = answer.get("kept", {})
        for name in temporaries.keys() - written.keys() - beside.keys():
            temporaries[name].path.unlink()  # before the run is seen to have ended
        files = [
            MadeFile(
                name, temporaries[name], media_type=OUTPUTS[name], public=name in PUBLIC, **written[name]
            )
            for name in written
        ]
        kept = [MadeFile(name, temporaries[name], **facts) for name, facts in beside.items()]
        tables = [file for file in files if file.name in RELEASED]
        goals = verify(claim, run, tables, report) if answer["microdata"] else []
        yield Anonymized(run, files, kept, report, goals, answer["microdata"])


def transform(claim: Claim, run: Run, temporaries: Mapping[str, storage.Temporary]) -> Said:
    """Carry out the recipe; an answer that was paid for is left where a takeover finds it."""
    version, key = run.reading.version, storage.key_bytes(run.key)
    with (
        opened(run.reading) as table,
        populations(run.compared.all()) as compared,
        other_releases(run, run.reading) as others,
        ExitStack() as stack,
    ):
        given = {"table": table, **compared, **others.files}
        wanted = dict(temporaries)
        details = {"recipe": run.recipe, "input_sha256": version.sha256, **drawn_with(run)}
        details["labels"] = {name: said["label"] for name, said in run.dictionary.items()}
        details["populations"] = list(compared)
        details |= others.details()
        if run.charged_at is not None:
            wanted[ANSWER] = stack.enter_context(storage.temporary())
            details["publish"] = str(storage.answer_folder(run))
        details["known"] = known.readings(run.reading)
        sealed = {name: Sealed(one.file, key, "w") for name, one in wanted.items()}
        answer = cast(Said, run_engine(claim, "anonymize", details, given | sealed, part=(0.0, 0.8)))
    known.add(run.reading, answer.get("known", {}))
    return answer


def converted(
    claim: Claim,
    run: Run,
    answer: Said,
    temporaries: dict[str, storage.Temporary],
    stack: ExitStack,
) -> dict[str, WrittenJson]:
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
    return cast(dict[str, WrittenJson], made["files"])


def verify(claim: Claim, run: Run, files: Sequence[MadeFile], report: ReportJson) -> Sequence[GoalFinding]:
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


class Checked(TypedDict):
    """What a file says by itself."""

    sha256: str
    rows: int
    goals: Sequence[GoalFinding]
    unexpected: Sequence[int]


def insist(checked: Checked, file: MadeFile, reported: Sequence[GoalFinding]) -> None:
    """Refuse a file that is not the one that was written, or not what the method said of it."""
    if (checked["sha256"], checked["rows"]) != (file.sha256, file.rows):
        raise mismatch("The stored file is not the one that was written.")
    if checked["unexpected"]:
        places = ", ".join(str(place) for place in checked["unexpected"])
        raise mismatch(f"The released file holds columns that must not leave, at position {places}.")
    pairs = zip(checked["goals"], reported, strict=True)
    wrong = [one["goal"] for one, other in pairs if not agree(one, other)]
    if wrong:
        raise mismatch(f"Recomputed from the released file, {' and '.join(wrong)} is not as reported.")


def mismatch(what: str) -> EngineError:
    """The refusal: this is never the steward's mistake."""
    return EngineError("verification", f"{what} Nothing was released. Please report this with the recipe.")


def agree(recomputed: GoalFinding, reported: GoalFinding) -> bool:
    """Whether two findings about a goal say the same.

    Persons cannot be seen in a released file: rows then are a bound, since no class has more persons.
    """
    if recomputed["goal"] != reported["goal"]:
        return False
    if recomputed["unit"] != reported["unit"]:
        return bool(recomputed["holds"] or not reported["holds"])
    same_verdict = recomputed["holds"] == reported["holds"]
    return same_verdict and same_figure(recomputed["achieved"], reported["achieved"])


def same_figure(one: Any, other: Any) -> bool:
    """Equal, up to the last digits of a fraction."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=FIGURE_TOLERANCE)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_figure, one, other))
    return bool(one == other)


def agreed(recomputed: GoalFinding, reported: GoalFinding) -> GoalFinding:
    """What the manifest says: the recomputed finding, or the stricter reported one where units differ."""
    return recomputed if recomputed["unit"] == reported["unit"] else reported
