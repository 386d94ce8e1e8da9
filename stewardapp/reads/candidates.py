"""What the page of a candidate asks of the database besides the candidate."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from stewardapp.access.workflow import transition
from stewardapp.models import Assessment, AuditEvent, Leak, Population, Release, Run
from stewardapp.models.prepared import prepared
from stewardapp.models.user import AnyUser

MOST_RELATIVES = 20


def relatives(release: Release, user: AnyUser) -> list[Release]:
    """What else was made from data about the same or overlapping people: copies add up."""
    return _relatives(release.pk, release.version.dataset.population_id, user)


@prepared
def _relatives(release: uuid.UUID, people: uuid.UUID, user: AnyUser) -> QuerySet[Release]:
    sharing = Population.objects.sharing_with(people)
    others = Release.objects.visible_to(user).filter(version__dataset__population__in=sharing)
    seen = others.exclude(pk=release).filter(submitted_at__isnull=False).order_by("-submitted_at")
    return seen.select_related("version__dataset__population", "project")[:MOST_RELATIVES]


@dataclass(frozen=True)
class Leaked:
    """A file about these people that leaked; where it was seen is told to whoever may know."""

    leak: Leak
    told: bool
    compared: bool
    """Whether the candidate was measured beside it, by its run or for the policy."""


def leaked(release: Release, user: AnyUser) -> list[Leaked]:
    """The files that leaked and every candidate about these people is compared with."""
    if release.candidate_id is None:
        return []
    known = _leaked(release.version.dataset.population_id, release.candidate_id, user)
    return [Leaked(one, vars(one)["is_told"], vars(one)["is_compared"]) for one in known]


@prepared
def _leaked(people: uuid.UUID, run: uuid.UUID, user: AnyUser) -> QuerySet[Leak]:
    told = Leak.objects.visible_to(user).filter(pk=OuterRef("pk"))
    runs = Leak.objects.filter(runs=run, pk=OuterRef("pk"))
    later = Assessment.objects.for_policy().filter(run=run, leaks=OuterRef("pk"))
    known = Leak.objects.known_about(people)
    return known.annotate(is_told=Exists(told), is_compared=Exists(runs) | Exists(later.order_by()))


def previous_candidate(release: Release) -> Run | None:
    """The run that was submitted before this one, voted on or not; the log knows every submission."""
    if release.submission < 2:
        return None
    submitted = AuditEvent.objects.about(release).filter(action=transition("submit").event)
    earlier = [event for event in submitted if event.details["submission"] < release.submission]
    if not earlier or earlier[0].details["run"] == str(release.candidate_id):
        return None
    return release.runs.filter(pk=earlier[0].details["run"]).first()
