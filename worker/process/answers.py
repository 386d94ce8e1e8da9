"""Answers that were paid for: found again after a crash, repeated when the same is asked once more."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Required, TypedDict, cast
from uuid import UUID

from stewardapp import storage
from stewardapp.models import Query, Run
from worker.engine.errors import EngineError
from worker.engine.recipes.report import ReportJson
from worker.process.channel import WrittenJson
from worker.process.drawn import MARK
from worker.process.outputs import ANSWER, MADE
from worker.sealed import FRAME_BYTES, SealedReader, SealedWriter


class Said(TypedDict, total=False):
    """What the engine answers to a run or to a question."""

    files: Required[Mapping[str, WrittenJson]]
    report: ReportJson
    microdata: bool
    kept: Mapping[str, WrittenJson]
    known: Mapping[str, str]
    answer: AnswerJson
    engine_version: str


class AnswerJson(TypedDict):
    """The answer to a question: a table as values, and what may be told of it."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    facts: Mapping[str, object]


@dataclass(frozen=True)
class Answer:
    """What the engine answered, how to read its files again, and the run that repeats it, if one does."""

    said: Said
    opened: Callable[[str], AbstractContextManager[SealedReader | None]]
    source: Run | None = None


UNANSWERED = (
    "The worker stopped after the privacy budget was charged and before the answer was stored. "
    "The charge stays, because drawing the noise again would reveal more."
)


def left(job: Run | Query, anew: str) -> Answer | None:
    """The answer to a job that was charged; None when nothing was drawn yet, so that it can go on.

    Noise is never drawn twice for one charge: whoever takes over stores the answer that was left. Where noise
    was drawn and there is none, the job ends, its charge stays, and `anew` says what can be done.
    """
    found = left_by(job)
    if found is None and was_begun(job.pk):
        raise EngineError("charged-unanswered", f"{UNANSWERED} {anew}")
    return found


def left_by(job: Run | Query) -> Answer | None:
    """The answer a lost worker left, if it is whole: its last file is what says so."""
    with storage.answer_file(job, ANSWER) as sealed:
        if sealed is None:
            return None
        return Answer(json.loads(sealed.readall()), partial(storage.answer_file, job))


def is_left(job: UUID) -> bool:
    """Whether a lost worker left a whole answer to this job."""
    return storage.has_answer_file(job, ANSWER)


def was_begun(job: UUID) -> bool:
    """Whether noise was drawn, or may have been, for an answer that perhaps nobody has seen."""
    return storage.has_answer_file(job, MARK)


def stored_by(run: Run) -> Answer:
    """The answer of a run that succeeded."""
    artifacts = run.artifacts.select_related("blob__key").filter(name__in=MADE)
    made = {artifact.name: artifact for artifact in artifacts}
    said: Said = {
        "report": run.report,
        "microdata": run.stated["microdata"],
        "files": {
            name: {"sha256": one.sha256, "size": one.size, "rows": one.rows} for name, one in made.items()
        },
    }
    return Answer(said, lambda name: storage.reading(made[name].blob), source=run)


def repeat(answer: Answer, job: Run | Query, temporaries: Mapping[str, storage.Temporary]) -> Said:
    """The same bytes, sealed for this job."""
    files: dict[str, WrittenJson] = {
        name: {**facts, **_copied(answer, name, job, temporaries[name])}
        for name, facts in answer.said["files"].items()
    }
    return {**answer.said, "files": files}


def _copied(answer: Answer, name: str, job: Run | Query, target: storage.Temporary) -> WrittenJson:
    with answer.opened(name) as source, SealedWriter(target.file, storage.key_bytes(job.key)) as writer:
        shutil.copyfileobj(cast(BinaryIO, source), cast(BinaryIO, writer), FRAME_BYTES)
    return {"sha256": writer.sha256, "size": writer.size}
