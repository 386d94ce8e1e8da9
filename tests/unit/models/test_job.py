"""Each move of a job changes one row or none; an older fence writes nothing."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from stewardapp.models import Run, User
from stewardapp.models.job import MAXIMUM_ATTEMPTS, JobState
from tests import factories

pytestmark = pytest.mark.django_db
LONG, OVER = 60, -1


@pytest.fixture
def run() -> Run:
    return factories.make_run(factories.make_release(factories.make_project()))


def claimed(run: Run, lease: float = LONG) -> int:
    fence = Run.objects.claim(run.pk, "w", lease)
    assert fence is not None
    return fence


def fresh(run: Run) -> Run:
    return Run.objects.get(pk=run.pk)


def test_a_claim_takes_a_queued_job_once(run: Run) -> None:
    before = timezone.now() - timedelta(seconds=1)  # the database's clock may round
    assert claimed(run) == 1
    after = timezone.now()
    assert Run.objects.claim(run.pk, "other", LONG) is None
    now = fresh(run)
    assert (now.state, now.worker, now.attempts, now.fence) == ("running", "w", 1, 1)
    assert now.lease_until is not None
    assert before <= now.lease_until - timedelta(seconds=LONG) <= after + timedelta(seconds=1)
    assert now.started_at is not None


def test_nobody_claims_what_is_not_there() -> None:
    assert Run.objects.claim(UUID(int=0), "w", LONG) is None


def test_heartbeat_renews_only_the_own_lease(run: Run) -> None:
    fence = claimed(run, OVER)
    assert Run.objects.expired().exists()
    assert not Run.objects.heartbeat(run.pk, fence + 1, LONG)
    assert Run.objects.expired().exists()
    assert Run.objects.heartbeat(run.pk, fence, LONG)
    assert not Run.objects.expired().exists()


def test_progress_never_falls_and_stops_when_told(run: Run) -> None:
    fence = claimed(run)
    write = Run.objects.progress
    assert write(run.pk, fence, percent=40, stage="search", seconds_left=9)
    assert write(run.pk, fence, percent=30, stage="write")
    now = fresh(run)
    assert (now.percent, now.stage, now.seconds_left) == (40, "write", None)
    assert not write(run.pk, fence - 1, percent=50, stage="write")
    Run.objects.request_cancel(run.pk, run.started_by)
    assert not write(run.pk, fence, percent=50, stage="write")
    assert fresh(run).percent == 40


def test_success_needs_the_claim_and_no_cancel(run: Run) -> None:
    fence = claimed(run)
    assert not Run.objects.succeed(run.pk, fence + 1, manifest_sha256="a" * 64)
    assert Run.objects.succeed(run.pk, fence, manifest_sha256="a" * 64)
    now = fresh(run)
    assert (now.state, now.percent, now.lease_until) == ("succeeded", 100, None)
    assert not Run.objects.succeed(run.pk, fence, manifest_sha256="b" * 64)
    assert fresh(run).manifest_sha256 == "a" * 64


def test_a_cancel_beats_a_success(run: Run) -> None:
    fence = claimed(run)
    assert Run.objects.request_cancel(run.pk, run.started_by)
    assert not Run.objects.succeed(run.pk, fence, manifest_sha256="a" * 64)
    assert Run.objects.cancelled(run.pk, fence)
    assert fresh(run).state == "cancelled"


def test_a_queued_job_is_cancelled_at_once_and_only_once(run: Run) -> None:
    by: User = run.started_by
    assert Run.objects.request_cancel(run.pk, by)
    now = fresh(run)
    assert (now.state, now.cancelled_by, now.is_alive) == ("cancelled", by, False)
    assert not Run.objects.request_cancel(run.pk, by)
    assert Run.objects.claim(run.pk, "w", LONG) is None


def test_nothing_is_cancelled_that_nobody_asked_to(run: Run) -> None:
    assert not Run.objects.cancelled(run.pk, claimed(run))


def test_failure_carries_a_sentence(run: Run) -> None:
    fence = claimed(run)
    said = {
        "code": "k-too-large",
        "message": "k is larger than the table.",
        "param": "k",
        "reference": "7F3A",
    }
    assert not Run.objects.fail(run.pk, fence + 1, step=0, **said)
    assert Run.objects.fail(run.pk, fence, step=0, **said)
    now = fresh(run)
    assert (now.state, now.error_code, now.error_param, now.error_step) == ("failed", "k-too-large", "k", 0)
    assert now.finished_at is not None


def test_a_lost_job_is_queued_again_until_its_attempts_are_used_up(run: Run) -> None:
    fences = []
    for _ in range(MAXIMUM_ATTEMPTS - 1):
        fences.append(claimed(run, OVER))
        assert not Run.objects.fail_lost(run.pk, fences[-1], code="worker-lost", message="m")
        assert Run.objects.requeue(run.pk, fences[-1])
        assert not Run.objects.requeue(run.pk, fences[-1])
    fences.append(claimed(run, OVER))
    assert not Run.objects.requeue(run.pk, fences[-1])
    assert Run.objects.fail_lost(run.pk, fences[-1], code="worker-lost", message="The worker stopped.")
    assert fences == sorted(set(fences))
    assert fresh(run).error_code == "worker-lost"


def test_a_live_lease_is_not_taken_over(run: Run) -> None:
    fence = claimed(run)
    assert not Run.objects.requeue(run.pk, fence)
    assert not Run.objects.fail_lost(run.pk, fence, code="worker-lost", message="m")


def test_a_zombie_writes_nothing_after_the_takeover(run: Run) -> None:
    old = claimed(run, OVER)
    Run.objects.requeue(run.pk, old)
    new = claimed(run)
    assert not Run.objects.heartbeat(run.pk, old, LONG)
    assert not Run.objects.progress(run.pk, old, percent=99, stage="s")
    assert not Run.objects.succeed(run.pk, old, manifest_sha256="a" * 64)
    assert not Run.objects.fail(run.pk, old, code="c", message="m")
    assert not Run.objects.release(run.pk, old)
    assert Run.objects.succeed(run.pk, new, manifest_sha256="b" * 64)


def test_a_claim_given_back_counts_as_no_attempt(run: Run) -> None:
    fence = claimed(run)
    Run.objects.progress(run.pk, fence, percent=50, stage="s")
    assert Run.objects.release(run.pk, fence)
    now = fresh(run)
    assert (now.state, now.attempts, now.fence, now.percent, now.worker) == ("queued", 0, 1, 0, "")
    assert claimed(run) == 2


def test_the_outbox_sees_what_nobody_was_told_of(run: Run) -> None:
    assert Run.objects.undispatched(60).get() == run
    assert Run.objects.dispatched(run.pk)
    assert not Run.objects.undispatched(60)
    assert Run.objects.undispatched(-1).get() == run
    claimed(run)
    assert not Run.objects.dispatched(run.pk)
    assert not Run.objects.undispatched(-1)


def test_queues_are_in_order(run: Run) -> None:
    second = factories.make_run(run.release)
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now() - timedelta(hours=1))
    assert list(Run.objects.queued()) == [run, second]
    assert Run.objects.alive().count() == 2
    Run.objects.request_cancel(run.pk, run.started_by)
    assert Run.objects.ended().get() == run
    assert {state.value for state in JobState} == {"queued", "running", "succeeded", "failed", "cancelled"}
