"""What the pages of sweeps ask."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from stewardapp.models import Run
from stewardapp.reads.sweeps import LATELY, runs_of, seconds_per_run, sweeps_of
from tests import factories

pytestmark = pytest.mark.django_db


def ended(run: Run, seconds: int, minutes_ago: int) -> None:
    factories.succeed(run)
    end = timezone.now() - timedelta(minutes=minutes_ago)
    Run.objects.filter(pk=run.pk).update(started_at=end - timedelta(seconds=seconds), finished_at=end)


def test_the_last_runs_say_how_long_one_takes() -> None:
    release = factories.make_release(factories.make_project())
    factories.make_run(release)
    assert seconds_per_run(release) is None
    for ago, seconds in enumerate((3, 1, 2, 9, 4), start=1):
        ended(factories.make_run(release), seconds, ago)
    assert seconds_per_run(release) == 3
    ended(factories.make_run(release), 1000, LATELY + 1)
    assert seconds_per_run(release) == 3


def test_a_sweep_knows_its_runs_and_how_many_have_ended() -> None:
    release = factories.make_release(factories.make_project())
    sweep = factories.make_sweep(release)
    factories.make_run(release)
    factories.succeed(runs_of(sweep)[0])
    (found,) = sweeps_of(release)
    assert (found.all, found.ended) == (2, 1)  # type: ignore[attr-defined]
    assert [run.number for run in runs_of(sweep)] == [1, 2]
    assert runs_of(sweep)[0].release is sweep.release
