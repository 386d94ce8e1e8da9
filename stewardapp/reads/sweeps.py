"""What the pages of sweeps ask of the database."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from django.db.models import Count, Q

from stewardapp.models import JobState
from stewardapp.models.job import ENDED

if TYPE_CHECKING:
    from stewardapp.models import Release, Run, Sweep
    from stewardapp.models.sweep import SweepQuerySet

LATELY = 5
"""So many runs say how long the next one takes."""


def runs_of(sweep: Sweep) -> list[Run]:
    """Its runs in the order of the grid, each knowing the release already."""
    runs = list(sweep.runs.order_by("number"))
    for run in runs:
        run.release = sweep.release
    return runs


def sweeps_of(release: Release) -> SweepQuerySet:
    """The sweeps of a release with how many runs each has, and how many of them have ended."""
    ended = Count("runs", filter=Q(runs__state__in=ENDED))
    return release.sweeps.select_related("begun_by").annotate(all=Count("runs"), ended=ended)


def seconds_per_run(release: Release) -> float | None:
    """How long the last runs of a release took; nobody knows before one has ended."""
    lately = release.runs.filter(state=JobState.SUCCEEDED).order_by("-finished_at")[:LATELY]
    took = [run.seconds for run in lately.only("started_at", "finished_at") if run.seconds is not None]
    return median(took) if took else None
