"""Who knows of what leaked, and with what is compared."""

from __future__ import annotations

import pytest

from stewardapp.actions import leaks
from stewardapp.models import Leak
from tests import factories

pytestmark = pytest.mark.django_db


def test_those_who_work_with_such_data_know_of_it_and_officers() -> None:
    team, others = factories.make_project(), factories.make_project()
    people = factories.make_held_population(team)
    leak = factories.make_leak(people, team.steward)
    seen = {one for one in factories.PERSONAS if Leak.objects.visible_to(team.persona(one)).exists()}
    assert seen == {"steward", "co_steward", "reviewer", "second_reviewer", "third_reviewer", "admin"}
    assert Leak.objects.visible_to(factories.make_officer()).exists()
    factories.hold(others, people)  # nobody has let them count among the holders yet
    assert not Leak.objects.visible_to(others.steward).exists()
    assert (leak.project, str(leak)) == (None, f"file of {people} that leaked")
    assert leak.title == f"Leaked file seen 2026-01-02 ({str(leak.pk)[:8]})"


def test_what_was_read_and_not_unregistered_is_known_also_about_people_who_overlap() -> None:
    team = factories.make_project()
    one, other = factories.make_held_population(team), factories.make_held_population(team)
    factories.make_leak(one, team.steward, done=False)
    assert not Leak.objects.known_about(one.pk)
    leak = factories.make_leak(one, team.steward)
    assert list(Leak.objects.known_about(one.pk)) == [leak]
    assert not Leak.objects.known_about(other.pk)
    factories.declare_overlap(team, one, other)
    assert list(Leak.objects.known_about(other.pk)) == [leak]
    leaks.unregister(leak=leak, reason="Another file.", by=team.steward)
    assert not Leak.objects.known_about(one.pk)
