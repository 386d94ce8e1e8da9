"""Work done by a worker, and the only moves it can make.

Every move is one UPDATE whose WHERE names the state and the fence; it means something only if one row
changed. The clock is the database's, so that machines need not agree on the time. A fence is the number of
a claim: whoever holds an older number was replaced, and nothing it writes is taken.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Required, Self, TypedDict, TypeVar

from django.apps import apps
from django.db import models, transaction
from django.db.models.functions import Coalesce, Now

from stewardapp.models.base import implies, one_of

if TYPE_CHECKING:
    from stewardapp.models.user import AnyUser
    from worker.engine.errors import MendJson

MAXIMUM_ATTEMPTS = 2


class Failure(TypedDict, total=False):
    """Why a job ended badly, as the steward reads it."""

    code: Required[str]
    message: Required[str]
    param: str
    step: int | None
    reference: str
    mends: Sequence[MendJson]


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


ALIVE = (JobState.QUEUED, JobState.RUNNING)
ENDED = (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)

JobRow = TypeVar("JobRow", bound="Job")


class JobQuerySet(models.QuerySet[JobRow]):
    """The moves of a job and the questions a worker asks."""

    def alive(self) -> Self:
        """Jobs that are queued or running."""
        return self.filter(state__in=ALIVE)

    def watchable_by(self, user: AnyUser) -> Self:
        """Jobs of which this person may know that they are under way."""
        return self.visible_to(user)

    def visible_to(self, user: AnyUser) -> Self:
        """Jobs that this person sees; each kind says which."""
        raise NotImplementedError

    def ended(self) -> Self:
        """Jobs that succeeded, failed or were cancelled."""
        return self.filter(state__in=ENDED)

    def queued(self) -> Self:
        """Jobs nobody has claimed, oldest first."""
        return self.filter(state=JobState.QUEUED).order_by("queued_at")

    def undispatched(self, again_after: float) -> Self:
        """Queued jobs nobody was told about, or not within the last so many seconds."""
        stale = models.Q(dispatched_at__isnull=True) | models.Q(dispatched_at__lte=_from_now(-again_after))
        return self.queued().filter(stale)

    def expired(self) -> Self:
        """Running jobs whose worker has not been heard of."""
        return self.filter(state=JobState.RUNNING, lease_until__lt=Now())

    def held(self, id: uuid.UUID, fence: int) -> Self:
        """The job, if this claim still holds it."""
        return self.filter(pk=id, state=JobState.RUNNING, fence=fence)

    def dispatched(self, id: uuid.UUID) -> bool:
        """Note that the bell was rung for a queued job."""
        return self.filter(pk=id, state=JobState.QUEUED).update(dispatched_at=Now()) == 1

    def claim(self, id: uuid.UUID, worker: str, lease_seconds: float) -> int | None:
        """Take a queued job; the fence of the claim, or None when somebody else has it."""
        with transaction.atomic(using=self.db):
            taken = self.filter(pk=id, state=JobState.QUEUED).update(
                state=JobState.RUNNING,
                fence=models.F("fence") + 1,
                attempts=models.F("attempts") + 1,
                worker=worker,
                lease_until=_from_now(lease_seconds),
                started_at=Coalesce(models.F("started_at"), Now()),
                **FRESH,
            )
            return self.values_list("fence", flat=True).get(pk=id) if taken == 1 else None

    def heartbeat(self, id: uuid.UUID, fence: int, lease_seconds: float) -> bool:
        """Renew the lease; False when the job is no longer ours."""
        return self.held(id, fence).update(lease_until=_from_now(lease_seconds)) == 1

    def progress(
        self, id: uuid.UUID, fence: int, *, percent: int, stage: str, seconds_left: int | None = None
    ) -> bool:
        """Write progress, which never falls; False means stop: not ours any more, or asked to cancel."""
        held = self.held(id, fence).filter(cancel_requested_at__isnull=True)
        shown = models.Case(
            models.When(percent__lt=percent, then=models.Value(percent)),
            default=models.F("percent"),
            output_field=models.PositiveSmallIntegerField(),
        )
        return held.update(percent=shown, stage=stage[:64], seconds_left=seconds_left) == 1

    def succeed(self, id: uuid.UUID, fence: int, **values: Any) -> bool:
        """Finish well, with the results, unless the claim was lost or a cancel came first."""
        held = self.held(id, fence).filter(cancel_requested_at__isnull=True)
        return held.update(state=JobState.SUCCEEDED, **_ending(percent=100, **values)) == 1

    def fail(
        self,
        id: uuid.UUID,
        fence: int,
        *,
        code: str,
        message: str,
        param: str = "",
        step: int | None = None,
        reference: str = "",
        mends: Sequence[MendJson] = (),
    ) -> bool:
        """Finish badly, with a sentence for the steward and the changes that would have helped."""
        error = {"code": code, "message": message, "param": param or "", "step": step}
        return self._fail(self.held(id, fence), error | {"reference": reference, "mends": list(mends)})

    def fail_lost(self, id: uuid.UUID, fence: int, *, code: str, message: str) -> bool:
        """Give up on a job whose worker was lost; only when its lease ended and no attempt is left."""
        held = self.held(id, fence).filter(lease_until__lt=Now(), attempts__gte=MAXIMUM_ATTEMPTS)
        return self._fail(held, {"code": code, "message": message})

    def _fail(self, held: Self, error: Mapping[str, object]) -> bool:
        columns = {f"error_{name}": value for name, value in error.items()}
        return held.update(state=JobState.FAILED, **_ending(**columns)) == 1

    def cancelled(self, id: uuid.UUID, fence: int) -> bool:
        """Finish as asked: somebody requested a cancel and the work has stopped."""
        held = self.held(id, fence).filter(cancel_requested_at__isnull=False)
        return held.update(state=JobState.CANCELLED, **_ending()) == 1

    def requeue(self, id: uuid.UUID, fence: int, further: int = 0) -> bool:
        """Put a lost job back in the queue; only when its lease ended and an attempt is left."""
        allowed = MAXIMUM_ATTEMPTS + further
        held = self.held(id, fence).filter(
            lease_until__lt=Now(), attempts__lt=allowed, cancel_requested_at__isnull=True
        )
        return held.update(**_QUEUED) == 1

    def release(self, id: uuid.UUID, fence: int) -> bool:
        """Give a claim back unharmed (orderly shutdown): queued again, the attempt not counted."""
        held = self.held(id, fence).filter(cancel_requested_at__isnull=True)
        return held.update(attempts=models.F("attempts") - 1, **_QUEUED) == 1

    def timed(self, id: uuid.UUID, fence: int, stages: Sequence[tuple[str, float]]) -> bool:
        """Note how long each stage of a claim took; whoever was replaced notes nothing."""
        return self.filter(pk=id, fence=fence).update(stages=list(stages)) == 1

    def request_cancel(self, id: uuid.UUID, by: models.Model) -> bool:
        """Ask for a cancel: a queued job ends at once, a running one at its next checkpoint."""
        open_ = self.filter(pk=id, cancel_requested_at__isnull=True)
        asked = {"cancel_requested_at": Now(), "cancelled_by": by}
        if open_.filter(state=JobState.QUEUED).update(state=JobState.CANCELLED, **asked, **_ending()) == 1:
            return True
        return open_.filter(state=JobState.RUNNING).update(**asked) == 1


class Job(models.Model):
    """Abstract base of every kind of job. What others must know of a kind it declares here."""

    reads: ClassVar[tuple[str, ...]] = ()
    """Where the readings stand that it needs while it is alive: a version that has one of them is busy."""
    goes_with: ClassVar[str] = ""
    """Where the version stands with whose data its rows go; such a kind keeps no version busy."""
    tells_progress: ClassVar[bool] = True
    """Whether pages that watch it may know how far it is."""

    state = models.CharField(max_length=16, default=JobState.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    fence = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=128, blank=True, default="")
    percent = models.PositiveSmallIntegerField(default=0)
    stage = models.CharField(max_length=64, blank=True, default="")
    seconds_left = models.PositiveIntegerField(null=True, blank=True)
    # How long each stage of the last claim took: pairs of name and seconds.
    stages = models.JSONField(default=list, blank=True)
    queued_at = models.DateTimeField(db_default=Now())
    dispatched_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    cancelled_by = models.ForeignKey(
        "stewardapp.User", on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    error_code = models.CharField(max_length=64, blank=True, default="")
    error_message = models.TextField(blank=True, default="")
    error_param = models.CharField(max_length=128, blank=True, default="")
    error_step = models.PositiveIntegerField(null=True, blank=True)
    error_reference = models.CharField(max_length=32, blank=True, default="")
    # Changes of the recipe with which the job would have had a result.
    error_mends = models.JSONField(default=list, blank=True)

    class Meta:
        abstract = True

    @classmethod
    def jobs(cls) -> JobQuerySet[Any]:
        """All jobs of this kind."""
        found = cls._default_manager.all()
        assert isinstance(found, JobQuerySet)
        return found

    @property
    def is_alive(self) -> bool:
        """Queued or running."""
        return self.state in ALIVE

    @property
    def seconds(self) -> float | None:
        """How long it took, once it has ended."""
        if self.started_at is None or self.finished_at is None:
            return None
        return float((self.finished_at - self.started_at).total_seconds())


def kinds_of_jobs() -> list[type[Job]]:
    """Every kind there is, found among the models: none is listed."""
    return [model for model in apps.get_app_config("stewardapp").get_models() if issubclass(model, Job)]


def job_constraints(noun: str) -> list[models.CheckConstraint]:
    """What must never be false of a job's row; every concrete job puts these in its Meta."""
    running, ended = models.Q(state=JobState.RUNNING), models.Q(state__in=[str(state) for state in ENDED])
    return [
        one_of(f"{noun}_state_known", "state", JobState),
        models.CheckConstraint(condition=models.Q(percent__lte=100), name=f"{noun}_percent_at_most_100"),
        models.CheckConstraint(
            condition=models.Q(attempts__lte=models.F("fence")), name=f"{noun}_attempts_within_fence"
        ),
        implies(f"{noun}_ended_has_time", ended, models.Q(finished_at__isnull=False)),
        implies(f"{noun}_alive_has_no_end", ~ended, models.Q(finished_at__isnull=True)),
        implies(
            f"{noun}_running_has_lease", running, models.Q(lease_until__isnull=False) & ~models.Q(worker="")
        ),
        implies(f"{noun}_lease_only_running", ~running, models.Q(lease_until__isnull=True)),
        implies(f"{noun}_failed_has_code", models.Q(state=JobState.FAILED), ~models.Q(error_code="")),
        implies(
            f"{noun}_cancelled_was_asked",
            models.Q(state=JobState.CANCELLED),
            models.Q(cancel_requested_at__isnull=False),
        ),
        models.CheckConstraint(
            condition=models.Q(cancel_requested_at__isnull=True, cancelled_by__isnull=True)
            | models.Q(cancel_requested_at__isnull=False, cancelled_by__isnull=False),
            name=f"{noun}_cancel_by_somebody",
        ),
    ]


FRESH: dict[str, Any] = {"percent": 0, "stage": "", "seconds_left": None}
_QUEUED: dict[str, Any] = {
    "state": JobState.QUEUED,
    "lease_until": None,
    "worker": "",
    "dispatched_at": None,
    **FRESH,
}


def _ending(**values: Any) -> dict[str, Any]:
    return {"finished_at": Now(), "lease_until": None, "seconds_left": None, **values}


def _from_now(seconds: float) -> models.Expression:
    shift = models.Value(timedelta(seconds=seconds), output_field=models.DurationField())
    return models.ExpressionWrapper(Now() + shift, output_field=models.DateTimeField())
