"""A worker says that it lives, and not at every tick."""

import pytest
from django.db import OperationalError

from stewardapp.models import WorkerSign
from worker.queue import living
from worker.queue.claim import worker_name

pytestmark = pytest.mark.django_db


def test_a_sign_is_given_every_fifteen_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(living.time, "monotonic", lambda: clock[0])
    give = living.Living()
    give()
    assert WorkerSign.objects.get().name == worker_name()
    WorkerSign.objects.all().delete()
    clock[0] += 14.9
    give()
    assert not WorkerSign.objects.exists()
    clock[0] += 0.2
    give()
    assert WorkerSign.objects.exists()


def test_a_sign_that_was_not_taken_is_given_at_the_next_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    give, plain = living.Living(), WorkerSign.objects.give

    def away(*_: str) -> None:
        raise OperationalError

    monkeypatch.setattr(WorkerSign.objects, "give", away)
    with pytest.raises(OperationalError):
        give()
    monkeypatch.setattr(WorkerSign.objects, "give", plain)
    give()
    assert WorkerSign.objects.exists()
