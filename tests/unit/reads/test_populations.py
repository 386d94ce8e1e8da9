"""What is out about the same people, who holds their data, what was bought about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stewardapp.access.workflow import State
from stewardapp.reads.populations import Mixture, Out, holders_of, mixture_about, out_about
from tests import factories
from tests.factories import Team

pytestmark = pytest.mark.django_db


@pytest.fixture
def team(db: None, tmp_path: Path, settings: Any) -> Team:
    """A project."""
    settings.STEWARD_DATA = tmp_path
    return factories.make_project()


def test_a_release_without_a_budgeted_promise_is_another_kind(team: Team) -> None:
    release = factories.make_release(team)
    people = release.version.dataset.population
    assert out_about(people.pk) == Out(private=False, other=False)
    factories.make_release(team, version=release.version, state=State.PUBLISHED)
    assert out_about(people.pk) == Out(private=False, other=True)
    assert out_about(people.pk).broken_by(private=True)
    assert not out_about(people.pk).broken_by(private=False)


def test_what_shares_people_counts_too(team: Team) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    other = factories.make_held_population(team)
    assert out_about(other.pk) == Out(private=False, other=False)
    factories.declare_overlap(team, release.version.dataset.population, other)
    assert out_about(other.pk) == Out(private=False, other=True)


def test_an_answer_keeps_a_budgeted_promise(team: Team) -> None:
    desk = factories.make_desk(team)
    factories.make_answer(desk, team.analyst)
    assert out_about(desk.version.dataset.population_id).private


def test_each_release_and_answer_counts_once_however_many_share_its_people(team: Team) -> None:
    release = factories.make_release(team, state=State.PUBLISHED)
    people = release.version.dataset.population
    assert mixture_about(people.pk) == Mixture(private=0, other=1)
    others = [factories.make_held_population(team) for _ in range(2)]
    for other in others:
        factories.declare_overlap(team, people, other)
    assert mixture_about(people.pk) == Mixture(private=0, other=1)
    assert mixture_about(others[0].pk) == Mixture(private=0, other=1)


def test_an_answer_is_counted_as_private(team: Team) -> None:
    desk = factories.make_desk(team)
    factories.make_answer(desk, team.analyst)
    found = mixture_about(desk.version.dataset.population_id)
    assert (found.private, found.broken) == (1, False)


def test_projects_that_somebody_does_not_see_are_counted_and_not_named(team: Team) -> None:
    release, stranger = factories.make_release(team), factories.make_project()
    people = release.version.dataset.population
    assert holders_of(people, team.steward).seen == [team.project]
    found = holders_of(people, stranger.steward)
    assert (found.seen, found.hidden) == ([], 1)
