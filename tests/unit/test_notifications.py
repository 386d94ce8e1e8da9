"""Lines are left after the commit, for people who can still sign in."""

from typing import Any

import pytest
from django.db import transaction

from stewardapp.models import Notification
from stewardapp.notifications import notify
from tests import factories

pytestmark = pytest.mark.django_db


def test_once_each_and_only_to_those_who_are_there(django_capture_on_commit_callbacks: Any) -> None:
    one, other, gone = (factories.make_user() for _ in range(3))
    type(gone).objects.filter(pk=gone.pk).update(is_active=False)
    with django_capture_on_commit_callbacks(execute=True):
        notify([one, other, gone, one], "A release waits.", "/releases/")
    assert set(Notification.objects.values_list("user", "text", "url")) == {
        (one.pk, "A release waits.", "/releases/"),
        (other.pk, "A release waits.", "/releases/"),
    }


def test_nobody_to_tell(django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        notify([], "A release waits.")
    assert callbacks == []


def test_what_was_undone_is_not_told(django_capture_on_commit_callbacks: Any) -> None:
    person = factories.make_user()
    with django_capture_on_commit_callbacks(execute=True) as callbacks, transaction.atomic():
        notify([person], "A release waits.")
        transaction.set_rollback(True)
    assert callbacks == []
    assert not Notification.objects.exists()
