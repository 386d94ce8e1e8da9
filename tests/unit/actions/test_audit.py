"""The audit chain: nothing is changed, cut, reordered or forked unnoticed."""

import io
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from stewardapp.actions import audit, projects
from stewardapp.models import AuditEvent, AuditHead, Project
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _some_events() -> None:
    admin = factories.make_admin()
    for _ in range(5):
        projects.create(name=factories.unique("P"), by=admin)


def sql(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def broken() -> audit.Broken:
    found = audit.verify()
    assert isinstance(found, audit.Broken)
    return found


def test_an_untouched_chain_is_whole() -> None:
    found = audit.verify()
    assert isinstance(found, audit.Whole)
    assert found.count == AuditEvent.objects.count() == 6
    assert found.hash == AuditEvent.objects.latest("id").hash


def test_an_empty_log_is_whole() -> None:
    sql("DELETE FROM stewardapp_auditevent")
    sql("DELETE FROM stewardapp_audithead")
    assert audit.verify() == audit.Whole(0, "")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("action", "project.renamed"),
        ("details", '{"a": 1}'),
        ("actor_id", None),
        ("at", "2001-01-01 00:00:00"),
        ("subject_type", "user"),
        ("hash", "0" * 64),
    ],
)
def test_a_changed_event_is_found(column: str, value: Any) -> None:
    sql(f"UPDATE stewardapp_auditevent SET {column} = %s WHERE id = 3", value)
    assert broken().id == 3


def test_a_dropped_event_is_found() -> None:
    sql("DELETE FROM stewardapp_auditevent WHERE id = 3")
    assert broken() == audit.Broken(3, "an event is missing")


def test_the_first_event_is_missed() -> None:
    sql("DELETE FROM stewardapp_auditevent WHERE id = 1")
    assert broken().id == 1


def test_a_cut_tail_is_found() -> None:
    sql("DELETE FROM stewardapp_auditevent WHERE id >= 5")
    assert broken() == audit.Broken(5, "the end of the log does not match its last event")


def test_a_lost_head_is_found() -> None:
    sql("DELETE FROM stewardapp_audithead")
    assert broken().id == 7


def test_reordered_events_are_found() -> None:
    sql("UPDATE stewardapp_auditevent SET id = 99 WHERE id = 3")
    sql("UPDATE stewardapp_auditevent SET id = 3 WHERE id = 4")
    sql("UPDATE stewardapp_auditevent SET id = 4 WHERE id = 99")
    assert broken() == audit.Broken(3, "the event does not follow the one before it")


def test_a_forged_end_needs_the_key() -> None:
    """Whoever can write to the database but has not the key file cannot seal an event."""
    last = AuditEvent.objects.latest("id")
    forged = AuditEvent(
        id=last.id + 1,
        at=last.at,
        action="release.published",
        subject_type="release",
        subject_id=last.subject_id,
        previous_hash=last.hash,
        hash="f" * 64,
    )
    forged.save()
    AuditHead.objects.update(count=forged.id, hash=forged.hash)
    assert broken() == audit.Broken(forged.id, "the event was changed")


def test_the_database_refuses_a_fork() -> None:
    third = AuditEvent.objects.get(id=3)
    fork = AuditEvent(
        id=99,
        at=third.at,
        action=third.action,
        subject_type="x",
        subject_id=third.subject_id,
        previous_hash=third.previous_hash,
        hash="e" * 64,
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        fork.save()


def test_models_refuse_to_change_or_remove_events() -> None:
    event = AuditEvent.objects.get(id=1)
    for forbidden in (event.save, event.delete, AuditEvent.objects.all().delete):
        with pytest.raises(TypeError):
            forbidden()
    with pytest.raises(TypeError):
        AuditEvent.objects.update(action="x")


def test_the_machinery_writes_without_an_action() -> None:
    with transaction.atomic():
        event = audit.record("run.requeued", Project.objects.all()[0], by=None)
    assert (event.id, event.actor) == (7, None)
    assert isinstance(audit.verify(), audit.Whole)


def test_the_command_says_ok_with_the_count() -> None:
    out = io.StringIO()
    call_command("verify_audit", stdout=out)
    assert out.getvalue().startswith("ok 6 events")


def test_the_command_names_the_first_broken_event() -> None:
    sql("DELETE FROM stewardapp_auditevent WHERE id = 2")
    with pytest.raises(CommandError, match="broken at event 2") as caught:
        call_command("verify_audit")
    assert caught.value.returncode == 1


def linked_as_before(event: AuditEvent) -> None:
    """As events were sealed at first: what they tell and their place in one."""
    place = {"id": event.id, "previous": event.previous_hash}
    event.hash = audit._keyed({**audit._content(event), **place})


def anchored_as_before(event: AuditEvent) -> None:
    """As purchases were sealed for a while: with an earlier event, and linked by the database."""
    first = AuditEvent.objects.get(id=1)
    event.anchor = 1
    event.seal = audit._keyed({**audit._content(event), "anchor": [1, first.hash]})
    event.hash = audit._linked(event, event.seal)


@pytest.mark.parametrize("sealed", [linked_as_before, anchored_as_before])
def test_events_that_were_sealed_otherwise_still_hold(sealed: Any) -> None:
    last = AuditEvent.objects.latest("id")
    event = AuditEvent(
        id=last.id + 1,
        at=last.at,
        action="budget.charged",
        subject_type="version",
        subject_id=last.subject_id,
        previous_hash=last.hash,
    )
    sealed(event)
    event.save()
    AuditHead.objects.update(count=event.id, hash=event.hash)
    assert isinstance(audit.verify(), audit.Whole)
    for change in ("action = 'x'", "seal = hash, anchor = 1"):
        with transaction.atomic():
            sql(f"UPDATE stewardapp_auditevent SET {change} WHERE id = {event.id}")
            assert broken() == audit.Broken(event.id, "the event was changed")
            transaction.set_rollback(True)
