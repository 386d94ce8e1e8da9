"""A file that leaked: sealed under its own key, its bytes gone once read, all of it once unregistered."""

from __future__ import annotations

import io
from datetime import date

import pytest

from stewardapp import storage
from stewardapp.access.verdict import Conflict, Invalid, NotAllowed
from stewardapp.actions import leaks
from stewardapp.actions.brought import arriving
from stewardapp.models import AuditEvent, Blob, JobState, Leak, Notification, Population
from tests import factories
from tests.factories import Team
from tests.site import Site


@pytest.fixture
def team(embedded_site: Site) -> Team:
    return factories.make_project()


@pytest.fixture
def people(team: Team) -> Population:
    return factories.make_held_population(team)


def there(blob: Blob | None) -> bool:
    """Whether the bytes are, as the row says."""
    assert blob is not None
    blob.refresh_from_db()
    is_there = (storage.root() / blob.path).exists()
    assert is_there is (blob.destroyed_at is None)
    return is_there


def test_it_lies_sealed_and_others_who_decide_are_told(team: Team, people: Population) -> None:
    leak = factories.make_leak(people, team.steward, done=False, content=b"name\nSomebody\n")
    assert b"Somebody" not in (storage.root() / leak.raw.path).read_bytes()
    told = Notification.objects.filter(text__contains="leaked was registered")
    assert team.steward not in {one.user for one in told}
    assert {one.url for one in told} <= {f"/populations/{people.pk}/leaks/"}
    event = AuditEvent.objects.about(leak).latest("pk")
    assert event.details == {"population": str(people.pk), "uploaded_bytes": 14}


def test_once_it_is_read_only_its_table_is_left(team: Team, people: Population) -> None:
    leak = factories.make_leak(people, team.steward)
    assert (there(leak.raw), there(leak.table), leak.rows) == (False, True, 6)


def test_whoever_lost_the_claim_keeps_nothing(team: Team, people: Population) -> None:
    leak = factories.make_leak(people, team.steward, done=False)
    table = factories.store(b"table", leak.raw.key, "table")
    with pytest.raises(Conflict):
        leaks.record(leak=leak, fence=7, table=table, rows=1)
    assert there(leak.raw)
    leak.refresh_from_db()
    assert leak.table is None


@pytest.mark.parametrize("done", [True, False])
def test_unregistering_destroys_it_and_says_why(team: Team, people: Population, done: bool) -> None:
    leak = factories.make_leak(people, team.steward, done=done)
    leaks.unregister(leak=leak, reason="Another file.", by=team.co_steward)
    leak.refresh_from_db()
    assert (leak.unregistered_by, there(leak.raw)) == (team.co_steward, False)
    assert not (storage.root() / "keys" / str(leak.raw.key_id)).exists()
    assert leak.state == (JobState.SUCCEEDED if done else JobState.CANCELLED)
    if done:
        assert not there(leak.table)
    event = AuditEvent.objects.about(leak).latest("pk")
    assert (event.action, event.details["reason"]) == ("leak.unregistered", "Another file.")
    with pytest.raises(Conflict, match="already"):
        leaks.unregister(leak=leak, reason="Again.", by=team.steward)


def test_a_reason_is_needed(team: Team, people: Population) -> None:
    leak = factories.make_leak(people, team.steward)
    with pytest.raises(Invalid):
        leaks.unregister(leak=leak, reason=" ", by=team.steward)
    assert there(leak.table)


def test_only_whoever_holds_data_about_the_people_says_so(team: Team, people: Population) -> None:
    stranger = factories.make_project().steward
    with pytest.raises(NotAllowed) as refused, arriving(io.BytesIO(b"age\n1\n")) as file:
        leaks.register(population=people, place="A forum", seen_on=date(2026, 1, 2), file=file, by=stranger)
    assert refused.value.code == "not-a-holder"
    assert not Leak.objects.exists()
    leak = factories.make_leak(people, factories.make_officer())
    with pytest.raises(NotAllowed):
        leaks.unregister(leak=leak, reason="No.", by=team.reviewer)
