"""The grid of a sweep as its page prints it."""

from __future__ import annotations

import pytest

from stewardapp.models import Run
from stewardapp.presenters.sweeps import Grid, grid, size_words
from stewardapp.reads.releases import Seen
from stewardapp.reads.sweeps import runs_of
from tests import factories
from tests.factories import Team

KEPT = "marginals#44136fa3/mean_total_variation"


@pytest.fixture
def team(db: None) -> Team:
    return factories.make_project(rows=factories.demands())


def shown(team: Team, *smallest: int) -> Grid:
    """A sweep of which so many runs have ended, with smallest classes of these sizes."""
    sweep = factories.make_sweep(factories.make_release(team))
    for run, size in zip(runs_of(sweep), smallest, strict=False):
        factories.succeed(run, smallest_class=size)
    return grid(sweep, runs_of(sweep), Seen(sweep.release, team.steward), {})


def test_how_much_is_said_before_it_begins() -> None:
    assert "20 runs" in size_words(20, None)
    assert "1\u00a0min" in size_words(20, 3.0)


def test_each_run_stands_with_what_it_tried_and_what_came_of_it(team: Team) -> None:
    found = shown(team, 4, 6)
    assert found.headers == ("k-anonymity: k",)
    assert [line.values for line in found.lines] == [("3",), ("5",)]
    assert [line.badge.word for line in found.lines] == ["Misses the policy", "Meets the policy"]
    assert "smallest class is 4 (policy at least 5)" in found.lines[0].missed
    assert not found.lines[1].missed
    assert (found.ended, found.under_way, found.watched) == (2, False, "")


def test_without_a_utility_nothing_is_proposed(team: Team) -> None:
    found = shown(team, 6)
    assert found.proposed is None
    assert found.chosen is None
    assert found.watched == f"sweep:{found.sweep.pk}"
    assert [line.badge.word for line in found.lines] == ["Meets the policy", "Queued"]


def test_everything_is_compared_with_the_candidate(team: Team) -> None:
    release = factories.make_release(team)
    candidate = factories.make_succeeded_run(release)
    sweep = factories.make_sweep(release)
    factories.succeed(runs_of(sweep)[0])
    sweep.release.candidate = candidate
    found = grid(sweep, runs_of(sweep), Seen(sweep.release, team.steward), {})
    assert str(candidate.pk) in found.lines[0].compare_url
    assert found.lines[1].compare_url == ""


def test_after_the_data_are_gone_the_page_still_reads(team: Team) -> None:
    sweep = factories.make_sweep(factories.make_release(team))
    sweep.sealed_varied = None
    Run.objects.filter(sweep=sweep).update(sealed_recipe=None)
    found = grid(sweep, runs_of(sweep), Seen(sweep.release, team.steward), {})
    assert (found.headers, [line.values for line in found.lines]) == ((), [(), ()])
