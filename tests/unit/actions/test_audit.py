"""The audit chain: nothing is changed, cut, reordered or forked unnoticed."""

import io
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from stewardapp.access.verdict import Conflict
from stewardapp.actions import anchors, audit, projects
from stewardapp.database import guards
from stewardapp.domain import audit_chain
from stewardapp.models import Anchor, AuditEvent, AuditHead, Project
from tests import factories

pytestmark = pytest.mark.django_db
UNSEALED = "the end of the log is not sealed: events were cut off or added"


@pytest.fixture(autouse=True)
def _some_events(tmp_path: Path, settings: Any) -> None:
    settings.STEWARD_DATA = tmp_path  # with no notes and anchors of others
    admin = factories.make_admin()
    for _ in range(5):
        projects.create(name=factories.unique("P"), by=admin)


def sql(statement: str, *values: Any) -> None:
    """As somebody who owns the database: without its guards."""
    guards.remove()
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def broken() -> audit_chain.Broken:
    found = audit_chain.verify()
    assert isinstance(found, audit_chain.Broken)
    return found


def test_an_untouched_chain_is_whole() -> None:
    found = audit_chain.verify()
    assert isinstance(found, audit_chain.Whole)
    assert found.count == AuditEvent.objects.count() == 6
    assert found.hash == AuditEvent.objects.latest("id").hash


def test_an_empty_log_is_whole() -> None:
    sql("DELETE FROM stewardapp_auditevent")
    sql("DELETE FROM stewardapp_audithead")
    assert audit_chain.verify() == audit_chain.Whole(0, "")


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
    assert broken() == audit_chain.Broken(3, "an event is missing")


def test_the_first_event_is_missed() -> None:
    sql("DELETE FROM stewardapp_auditevent WHERE id = 1")
    assert broken().id == 1


def test_a_cut_tail_is_found() -> None:
    sql("DELETE FROM stewardapp_auditevent WHERE id >= 5")
    assert broken() == audit_chain.Broken(5, "the end of the log does not match its last event")


def test_a_lost_head_is_found() -> None:
    sql("DELETE FROM stewardapp_audithead")
    assert broken().id == 7


def test_reordered_events_are_found() -> None:
    sql("UPDATE stewardapp_auditevent SET id = 99 WHERE id = 3")
    sql("UPDATE stewardapp_auditevent SET id = 3 WHERE id = 4")
    sql("UPDATE stewardapp_auditevent SET id = 4 WHERE id = 99")
    assert broken() == audit_chain.Broken(3, "the event does not follow the one before it")


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
    assert broken() == audit_chain.Broken(forged.id, "the event was changed")


@pytest.mark.parametrize("left", [0, 1, 3, 5])
def test_a_cut_tail_is_found_though_the_head_was_rewritten(left: int) -> None:
    last = AuditEvent.objects.filter(id=left).first()
    sql("DELETE FROM stewardapp_auditevent WHERE id > %s", left)
    sql("UPDATE stewardapp_audithead SET count = %s, hash = %s", left, last.hash if last else "")
    assert broken() == audit_chain.Broken(left + 1, UNSEALED)
    sql("UPDATE stewardapp_audithead SET sealed_count = %s", left)
    assert broken() == audit_chain.Broken(left + 1, UNSEALED)
    if left:
        sql("UPDATE stewardapp_audithead SET sealed_count = 0, seal = ''")
        assert broken() == audit_chain.Broken(left + 1, UNSEALED)


def test_what_is_written_after_a_cut_does_not_seal_it() -> None:
    last = AuditEvent.objects.get(id=4)
    sql("DELETE FROM stewardapp_auditevent WHERE id > 4")
    sql("UPDATE stewardapp_audithead SET count = 4, hash = %s", last.hash)
    for _ in range(3):
        projects.create(name=factories.unique("P"), by=factories.make_admin())
    audit.seal_head()
    assert broken().reason == UNSEALED


def test_what_the_database_bought_is_sealed_later() -> None:
    """A purchase is written without the key; anything else that is not sealed was not written by us."""
    last = AuditEvent.objects.get(id=6)
    sealed = {"sealed_count": 5, "seal": audit_chain.head_seal(5, AuditEvent.objects.get(id=5).hash)}
    sql("UPDATE stewardapp_audithead SET sealed_count = 5, seal = %s", sealed["seal"])
    assert broken() == audit_chain.Broken(7, UNSEALED)
    last.action = audit_chain.UNSEALED
    sql(
        "UPDATE stewardapp_auditevent SET action = %s, hash = %s WHERE id = 6",
        last.action,
        audit_chain.link(last),
    )
    sql("UPDATE stewardapp_audithead SET hash = %s", audit_chain.link(last))
    assert isinstance(audit_chain.verify(), audit_chain.Whole)
    assert audit_chain.head_needs_seal()
    audit.seal_head()
    assert not audit_chain.head_needs_seal()
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


def test_what_is_written_after_a_purchase_seals_the_end_again() -> None:
    """The event that is being written is none of those that nobody sealed."""
    last = AuditEvent.objects.get(id=6)
    seal = audit_chain.head_seal(5, AuditEvent.objects.get(id=5).hash)
    last.action = audit_chain.UNSEALED
    sql(
        "UPDATE stewardapp_auditevent SET action = %s, hash = %s WHERE id = 6",
        last.action,
        audit_chain.link(last),
    )
    sql(
        "UPDATE stewardapp_audithead SET sealed_count = 5, seal = %s, hash = %s", seal, audit_chain.link(last)
    )
    projects.create(name=factories.unique("P"), by=factories.make_admin())
    assert not audit_chain.head_needs_seal()
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


def test_a_log_from_before_ends_were_sealed_is_sealed_when_the_schema_is() -> None:
    sql("UPDATE stewardapp_audithead SET sealed_count = 0, seal = ''")
    assert isinstance(audit_chain.verify(), audit_chain.Broken)
    import_module("stewardapp.migrations.0023_audit_evidence").seal_end(apps, None)
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE stewardapp_auditevent SET action = 'x' WHERE id = 3",
        "DELETE FROM stewardapp_auditevent WHERE id = 6",
        "DELETE FROM stewardapp_audithead",
        "UPDATE stewardapp_audithead SET count = count - 1",
        "UPDATE stewardapp_audithead SET count = count + 2",
        "UPDATE stewardapp_audithead SET hash = 'x'",
        "UPDATE stewardapp_audithead SET sealed_count = sealed_count - 1",
    ],
)
def test_the_database_refuses(statement: str) -> None:
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


def test_a_writer_that_slept_is_refused() -> None:
    """It knows an end that was the end a while ago."""
    head = AuditHead.objects.get()
    projects.create(name=factories.unique("P"), by=factories.make_admin())
    late = AuditEvent.objects.get(id=3)
    late.id, late.previous_hash, late._state.adding = head.count + 1, head.hash, True
    with pytest.raises(IntegrityError), transaction.atomic():
        late.save()
    with pytest.raises(IntegrityError), transaction.atomic():
        AuditHead.objects.update(count=head.count, hash=head.hash)


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
    assert isinstance(audit_chain.verify(), audit_chain.Whole)


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
    event.hash = audit_chain._keyed({**audit_chain._content(event), **place})


def anchored_as_before(event: AuditEvent) -> None:
    """As purchases were sealed for a while: with an earlier event, and linked by the database."""
    first = AuditEvent.objects.get(id=1)
    event.anchor = 1
    event.seal = audit_chain._keyed({**audit_chain._content(event), "anchor": [1, first.hash]})
    event.hash = audit_chain._linked(event, event.seal)


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
    audit.seal_head()
    assert isinstance(audit_chain.verify(), audit_chain.Whole)
    for change in ("action = 'x'", "seal = hash, anchor = 1"):
        with transaction.atomic():
            sql(f"UPDATE stewardapp_auditevent SET {change} WHERE id = {event.id}")
            assert broken() == audit_chain.Broken(event.id, "the event was changed")
            transaction.set_rollback(True)


@pytest.mark.usefixtures("one_day")
def test_a_day_has_one_anchor_whichever_worker_makes_it() -> None:
    first = anchors.make(settled=timedelta(0))
    with pytest.raises(Conflict) as refused:
        anchors.make(settled=timedelta(0))
    assert refused.value.code == "anchored"
    assert Anchor.objects.get() == first
