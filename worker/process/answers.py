"""Answers that were paid for: found again after a crash, repeated when the same is asked once more."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, cast
from uuid import UUID

from stewardapp import storage
from stewardapp.models import Query, Run
from worker.engine.errors import EngineError
from worker.process.drawn import MARK
from worker.process.outputs import ANSWER, MADE
from worker.sealed import FRAME_BYTES, SealedReader, SealedWriter


@dataclass(frozen=True)
class Answer:
    """What the engine answered, how to read its files again, and the run that repeats it, if one does."""

    said: Mapping[str, Any]
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
    said = {
        "report": run.report,
        "microdata": run.stated["microdata"],
        "files": {name: {"rows": one.rows} for name, one in made.items()},
    }
    return Answer(said, lambda name: storage.reading(made[name].blob), source=run)


def repeat(answer: Answer, job: Run | Query, temporaries: Mapping[str, storage.Temporary]) -> dict[str, Any]:
    """The same bytes, sealed for this job."""
    files = {
        name: {**facts, **_copied(answer, name, job, temporaries[name])}
        for name, facts in answer.said["files"].items()
    }
    return {**answer.said, "files": files}


def _copied(answer: Answer, name: str, job: Run | Query, target: storage.Temporary) -> dict[str, Any]:
    with answer.opened(name) as source, SealedWriter(target.file, storage.key_bytes(job.key)) as writer:
        shutil.copyfileobj(cast(BinaryIO, source), cast(BinaryIO, writer), FRAME_BYTES)
    return {"sha256": writer.sha256, "size": writer.size}
