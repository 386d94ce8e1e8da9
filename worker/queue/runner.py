"""Runs one job: claim, work, and one transaction that says how it ended.

What the work is, its kind says (`worker.jobs`), which also records what came of it. Every other end is
written here: failed with a sentence, cancelled, given back, or – when the claim was lost – nothing at all,
because somebody else ends the job.
"""

import logging
import secrets
from typing import Any
from uuid import UUID

from django.db import transaction

from stewardapp.access.verdict import Conflict
from stewardapp.actions import ledger
from stewardapp.full_disk import DISK_FULL
from stewardapp.models.job import Failure
from stewardapp.storage import Destroyed
from stewardapp.store_away import StoreAway
from worker.engine.errors import Cancelled, EngineError
from worker.process.parent import ChildFailed, ChildLost
from worker.queue.app import is_stopping
from worker.queue.claim import AWAY, Claim
from worker.queue.kinds import kind

log = logging.getLogger(__name__)


def perform(name: str, identity: str) -> None:
    """Do the job if it waits to be done; a second message about it changes nothing."""
    claim = kind(name).take(UUID(identity))
    if claim is not None:
        with claim.kept():
            try:
                attempt(claim)
            finally:
                claim.tell_time()


def attempt(claim: Claim) -> None:
    """Do the work of a claim and write how it ended."""
    try:
        kind(claim.kind).work(claim)
    except (ledger.BeingAnswered, StoreAway) as wait:
        log.info("job.waits", extra={"job": str(claim.id), "type": type(wait).__name__})
        claim.jobs.release(claim.id, claim.fence)  # it is sent again, and finds the answer or draws it
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


def stopped(claim: Claim) -> None:
    """Cancelled if somebody asked for it, given back if this worker is ending, else lost to another."""
    with transaction.atomic():
        if claim.jobs.cancelled(claim.id, claim.fence):
            kind(claim.kind).note(claim.id, "cancelled", {})
        elif not (is_stopping() and given_back(claim)):
            log.warning("job.claim-lost", extra={"job": str(claim.id), "fence": claim.fence})


def given_back(claim: Claim) -> bool:
    """Queued again, as if it had not been begun."""
    with transaction.atomic():
        released = claim.jobs.release(claim.id, claim.fence)
        if released:
            kind(claim.kind).note(claim.id, "requeued", {"reason": "worker-stopping"})
    return released


def failed(claim: Claim, **error: Any) -> None:
    """Ended badly, with a sentence for the steward."""
    with transaction.atomic():
        if claim.jobs.fail(claim.id, claim.fence, **error):
            kind(claim.kind).note(claim.id, "failed", {"code": error["code"]})


def described(error: Exception) -> Failure:
    """What the steward reads. Nothing here quotes what an unforeseen error says."""
    if isinstance(error, EngineError):
        return {
            "code": error.code,
            "message": error.sentence,
            "mends": [mend.as_dict() for mend in getattr(error, "mends", ())],
            "param": error.param or "",
            "step": error.step,
        }
    if isinstance(error, ledger.Exhausted):
        return {"code": error.code, "message": f"{error.reason} {UNCHARGED}"}
    if isinstance(error, Destroyed):
        return {"code": "destroyed", "message": DESTROYED}
    if isinstance(error, OSError | ChildFailed) and error.errno in DISK_FULL:
        return {"code": "disk-full", "message": FULL}
    return internal(error)


UNCHARGED = "Nothing was charged and nothing was drawn."
DESTROYED = "The data of this version were destroyed. Upload them again as a new version."
FULL = "There is no space left for the files of this job. Nothing was released. Make room and run it again."


def internal(error: Exception) -> Failure:
    """A reference for the steward; the log keeps what belongs to it, without values."""
    reference = secrets.token_hex(2).upper()
    if isinstance(error, ChildFailed):
        log.error("job.internal", extra={"reference": reference, "type": error.kind, "frames": error.frames})
    else:
        log.error("job.internal", extra={"reference": reference}, exc_info=error)
    sentence = f"Something went wrong on our side. Reference {reference}."
    return {"code": "internal", "message": sentence, "reference": reference}
