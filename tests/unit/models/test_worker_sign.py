"""A worker has one row, however often it says that it lives."""

from datetime import timedelta

import pytest
from django.utils import timezone

from stewardapp.models import WorkerSign

pytestmark = pytest.mark.django_db


def test_a_sign_is_one_statement_and_one_row(django_assert_num_queries) -> None:
    WorkerSign.objects.give("here:1", "1")
    WorkerSign.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    assert not WorkerSign.objects.alive().exists()
    with django_assert_num_queries(1):
        WorkerSign.objects.give("here:1", "2")
    sign = WorkerSign.objects.alive().get()
    assert (sign.name, sign.engine) == ("here:1", "2")


def test_who_is_silent_for_a_day_is_forgotten() -> None:
    WorkerSign.objects.give("here:1", "1")
    assert not WorkerSign.objects.forgotten().exists()
    WorkerSign.objects.update(seen_at=timezone.now() - timedelta(hours=25))
    assert WorkerSign.objects.forgotten().exists()
