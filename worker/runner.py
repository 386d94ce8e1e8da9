"""Runs one job: claim, work, and one transaction that says how it ended.

The only module that writes results. Whatever happens in between, a job ends here in one of five ways:
succeeded with everything it made, failed with a sentence, cancelled, given back, or – when the claim was
lost – not at all, because somebody else ends it.
"""

import errno
import logging
import secrets
from collections.abc import Callable
from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.db import transaction

from stewardapp.access.verdict import Conflict
from stewardapp.actions import ledger, previews, queries, readings, replays, runs
from stewardapp.models import Blob, DataKey, Query, Run, pricing
from stewardapp.storage import Destroyed, keep
from worker import anonymizing, answers, asking, previewing, reading, replaying
from worker.answers import Answer
from worker.app import is_stopping
from worker.claim import AWAY, Claim, note
from worker.engine.errors import Cancelled, EngineError, NoSolution
from worker.engines import MadeFile
from worker.process import ChildFailed, ChildLost

DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

log = logging.getLogger(__name__)


def perform(kind: str, identity: str) -> None:
    """Do the job if it waits to be done; a second message about it changes nothing."""
    claim = Claim.take(kind, UUID(identity))
    if claim is not None:
        with claim.kept():
            try:
                attempt(claim)
            finally:
                claim.tell_time()


def attempt(claim: Claim) -> None:
    """Do the work of a claim and write how it ended."""
    try:
        WORK[claim.kind](claim)
    except (Cancelled, Conflict):
        stopped(claim)
    except (ChildLost, *AWAY) as error:
        # The engine was killed or crashed, or the database went away: nobody knows how far it came. The
        # reaper counts attempts, so that a job that kills its process does not do so for ever.
        log.warning("job.lost", extra={"job": str(claim.id), "type": type(error).__name__})
        claim.let_go()
    except KeyboardInterrupt:
        given_back(claim)
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, the job must come to an end
        failed(claim, **described(error))


def run(claim: Claim) -> None:
    """A run: everything it made becomes visible at once, or nothing does."""
    answer = paid(claim)
    with anonymizing.anonymized(claim, answer) as made, transaction.atomic():
        files = [runs.Made(**file.described(), blob=stored(file, made.run.key)) for file in made.files]
        runs.record(
            run=made.run,
            fence=claim.fence,
            files=files,
            report=made.report,
            goals=made.goals,
            engine_version=made.report["engine"]["version"],
            microdata=made.microdata,
            answered_by=answer.source if answer else None,
        )


def read(claim: Claim) -> None:
    """A reading: its table and its profile, which new work uses from now on."""
    with reading.read(claim) as made, transaction.atomic():
        table = stored(made.table, made.reading.version.key)
        readings.record(reading=made.reading, fence=claim.fence, table=table, profile=made.profile)


def preview(claim: Claim) -> None:
    """A preview: a few aggregates for the page of the draft."""
    found, result = previewing.previewed(claim)
    previews.record(preview=found, fence=claim.fence, result=result)


def replay(claim: Claim) -> None:
    """A replay: charts and findings for the page that everybody may read."""
    found, result = replaying.replayed(claim)
    replays.record(replay=found, fence=claim.fence, result=result)


def ask(claim: Claim) -> None:
    """A question: its answer and the sealed true twin become visible at once, or nothing does."""
    with asking.asked(claim, bought(claim)) as made, transaction.atomic():
        queries.record(
            query=made.query,
            fence=claim.fence,
            answer=made.answer,
            exact=stored(made.exact, made.query.key),
            engine_version=made.engine_version,
        )


def stored(file: MadeFile, key: DataKey) -> Blob:
    """The file under its final name, written through to the disk."""
    return keep(file.temporary, key=key, sha256=file.sha256, size=file.size, purpose=file.name)


def paid(claim: Claim) -> Answer | None:
    """Commit what the steps take from the privacy budget before anything is drawn, or find a paid answer.

    Noise is never drawn twice for one charge: whoever takes over a run that was charged stores the answer
    that was left. Without one it is begun again only when no noise was drawn yet; else it ends, and the
    charge stays.
    """
    job = Run.objects.select_related("reading__table", "started_by", "key").get(pk=claim.id)
    if job.charged_at is not None:
        return left(job)
    if costs := pricing.costs_of(job.recipe):
        if earlier := pricing.answered(job.reading, job.compared.select_related("table"), job.recipe):
            return answers.stored_by(earlier)
        pricing.insist_on_answers(job.recipe)
        ledger.charge_run(run=job, fence=claim.fence, costs=costs, by=job.started_by)
    return None


def bought(claim: Claim) -> Answer | None:
    """The same for a question."""
    query = Query.objects.select_related("version__dataset__project", "version__key", "asked_by", "desk").get(
        pk=claim.id
    )
    if query.charged_at is not None:
        return left(query)
    ledger.charge_query(
        query=query.pk,
        fence=claim.fence,
        version=query.version,
        cost=query.spend,
        what=query.bought,
        unit=query.protects,
        by=query.asked_by,
    )
    return None


def left(job: Run | Query) -> Answer | None:
    """The answer to a job that was charged; None when nothing was drawn yet, so that it can go on."""
    found = answers.left_by(job)
    if found is None and answers.was_begun(job.pk):
        raise EngineError("charged-unanswered", f"{UNANSWERED} {ANEW[type(job)]}")
    return found


def stopped(claim: Claim) -> None:
    """Cancelled if somebody asked for it, given back if this worker is ending, else lost to another."""
    with transaction.atomic():
        if claim.jobs.cancelled(claim.id, claim.fence):
            note(claim.kind, claim.id, "cancelled", {})
        elif not (is_stopping() and given_back(claim)):
            log.warning("job.claim-lost", extra={"job": str(claim.id), "fence": claim.fence})


def given_back(claim: Claim) -> bool:
    """Queued again, as if it had not been begun."""
    with transaction.atomic():
        released = claim.jobs.release(claim.id, claim.fence)
        if released:
            note(claim.kind, claim.id, "requeued", {"reason": "worker-stopping"})
    return released


def failed(claim: Claim, **error: Any) -> None:
    """Ended badly, with a sentence for the steward."""
    with transaction.atomic():
        if claim.jobs.fail(claim.id, claim.fence, **error):
            note(claim.kind, claim.id, "failed", {"code": error["code"]})


def described(error: Exception) -> dict[str, Any]:
    """What the steward reads. Nothing here quotes what an unforeseen error says."""
    if isinstance(error, EngineError):
        mends = [asdict(mend) for mend in error.mends] if isinstance(error, NoSolution) else []
        place = {"param": error.param or "", "step": error.step}
        return {"code": error.code, "message": error.sentence, "mends": mends, **place}
    if isinstance(error, ledger.Exhausted):
        return {"code": error.code, "message": f"{error.reason} {UNCHARGED}"}
    if isinstance(error, Destroyed):
        return {"code": "destroyed", "message": DESTROYED}
    if isinstance(error, OSError | ChildFailed) and error.errno in DISK_FULL:
        return {"code": "disk-full", "message": FULL}
    return internal(error)


UNANSWERED = (
    "The worker stopped after the privacy budget was charged and before the answer was stored. "
    "The charge stays, because drawing the noise again would reveal more."
)
ANEW: dict[type[Run] | type[Query], str] = {
    Run: "Start a new run if the budget allows.",
    Query: "Whoever asked may ask it again, for its price once more; where an allowance is too small for "
    "that, a steward can raise it.",
}
UNCHARGED = "Nothing was charged and nothing was drawn."
DESTROYED = "The data of this version were destroyed. Upload them again as a new version."
FULL = "There is no space left for the files of this job. Nothing was released. Make room and run it again."


def internal(error: Exception) -> dict[str, Any]:
    """A reference for the steward; the log keeps what belongs to it, without values."""
    reference = secrets.token_hex(2).upper()
    if isinstance(error, ChildFailed):
        log.error("job.internal", extra={"reference": reference, "type": error.kind, "frames": error.frames})
    else:
        log.error("job.internal", extra={"reference": reference}, exc_info=error)
    sentence = f"Something went wrong on our side. Reference {reference}."
    return {"code": "internal", "message": sentence, "reference": reference}


WORK: dict[str, Callable[[Claim], None]] = {
    "run": run,
    "reading": read,
    "preview": preview,
    "query": ask,
    "replay": replay,
}
