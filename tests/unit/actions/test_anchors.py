"""The end of the log is signed once a day, and not before there is one."""

from __future__ import annotations

from datetime import timedelta

import pytest

from stewardapp.access.verdict import Conflict
from stewardapp.actions import anchors
from stewardapp.models import Anchor, AuditEvent
from tests import factories

pytestmark = pytest.mark.django_db


def test_an_empty_log_and_one_that_is_not_yet_on_the_disk_are_not_signed() -> None:
    for _ in range(2):
        with pytest.raises(Conflict) as refused:
            anchors.make()
        assert refused.value.code == "nothing"
        factories.make_user()
    assert AuditEvent.objects.exists()
    assert not Anchor.objects.exists()


def test_the_second_of_a_day_is_refused() -> None:
    factories.make_user()
    kept = anchors.make(settled=timedelta())
    last = AuditEvent.objects.get(id=kept.count)
    assert kept.hash == last.hash
    with pytest.raises(Conflict) as refused:
        anchors.make(settled=timedelta())
    assert refused.value.code == "anchored"
