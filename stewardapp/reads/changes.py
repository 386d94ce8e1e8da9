"""What a page can watch, and how it stands in a word or two: when that differs, a page looks again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, Self
from uuid import UUID

from django.db.models import CharField, Count, Model, Q, QuerySet, Value

from stewardapp.models import JobState, Query, Release, Sweep, User
from stewardapp.models.comment import Visibility
from stewardapp.models.job import Job, kinds_of_jobs


@dataclass(frozen=True, order=True, slots=True)
class Topic:
    """One thing that a page shows: what it is, and which."""

    kind: str
    id: UUID

    @classmethod
    def of(cls, text: str) -> Self:
        """From how a page writes it; ValueError when it is none."""
        kind, _, id = text.partition(":")
        if _seen(kind) is None:
            raise ValueError(kind)
        return cls(kind, UUID(id))

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class Standing:
    """How a thing stands, and how far it is on the way to its next state."""

    state: str = ""
    progress: str = ""


Standings = dict[Topic, Standing]
Seen = Callable[[User], QuerySet[Any, Model]]


def _jobs_watched() -> dict[str, type[Job]]:
    """The kinds of jobs whose progress pages watch, by the names of their rows."""
    return {str(kind._meta.model_name): kind for kind in kinds_of_jobs() if kind.tells_progress}


def _seen(kind: str) -> Seen | None:
    """Which things of a kind a person may know of; None when there is no such kind."""
    job = _jobs_watched().get(kind)
    return job.jobs().watchable_by if job is not None else _OTHERS.get(kind)


def standings(topics: Iterable[Topic]) -> Standings:
    """How things stand now; what is gone is left out."""
    found: Standings = {}
    asked = _by_kind(topics)
    kinds = _jobs_watched()
    if jobs := {kind: ids for kind, ids in asked.items() if kind in kinds}:
        found |= _jobs(jobs, kinds)
    if "question" in asked:
        found |= _questions(asked["question"])
    if "sweep" in asked:
        found |= _sweeps(asked["sweep"])
    if "review" in asked:
        found |= _reviews(asked["review"])
    return found


def may_watch(user: User, topics: Iterable[Topic]) -> bool:
    """Whether this person may know of all of them."""
    asked = ((_seen(kind), ids) for kind, ids in _by_kind(topics).items())
    return all(seen is not None and seen(user).filter(pk__in=ids).count() == len(ids) for seen, ids in asked)


def _by_kind(topics: Iterable[Topic]) -> dict[str, list[UUID]]:
    grouped = groupby(sorted(set(topics)), attrgetter("kind"))
    return {kind: [topic.id for topic in some] for kind, some in grouped}


def _jobs(asked: Mapping[str, list[UUID]], kinds: Mapping[str, type[Job]]) -> Standings:
    """All kinds of jobs by one query."""
    told = ("pk", "state", "cancel_requested_at", "stage", "percent")
    first, *others = (
        kinds[kind].jobs().filter(pk__in=ids).order_by().values_list(Value(kind, CharField()), *told)
        for kind, ids in asked.items()
    )
    return {
        Topic(kind, id): Standing(f"{state}{' stopping' * (stop is not None)}", f"{percent} {stage}")
        for kind, id, state, stop, stage, percent in first.union(*others, all=True)
    }


def _questions(ids: list[UUID]) -> Standings:
    """As whoever asked sees them: how long the work took stays unknown until the tick."""
    needed = ("state", "queued_at", "finished_at", "version__destroyed_at")
    earlier = ("repeats__queued_at", "repeats__finished_at")
    rows = Query.objects.filter(pk__in=ids).select_related("version", "repeats").only(*needed, *earlier)
    return {Topic("question", row.pk): Standing(row.stands) for row in rows}


def _reviews(ids: list[UUID]) -> Standings:
    """State, candidate, votes, public comments; that reviewers talk among themselves is not for everybody."""
    public = Q(comments__visibility=Visibility.PUBLIC)
    settled = public & Q(comments__resolved_at__isnull=False)
    rows = Release.objects.filter(pk__in=ids).annotate(
        votes=Count("reviews", distinct=True),
        words=Count("comments", filter=public, distinct=True),
        settled=Count("comments", filter=settled, distinct=True),
    )
    told = ("pk", "state", "submission", "candidate_sha256", "votes", "words", "settled")
    return {
        Topic("review", id): Standing(" ".join(map(str, facts)))
        for id, *facts in rows.order_by().values_list(*told)
    }


def _sweeps(ids: list[UUID]) -> Standings:
    """How many of its runs are in which state; how far each is its own page tells."""
    counted = {state: Count("runs", filter=Q(runs__state=state)) for state in JobState}
    stopping = Count("runs", filter=Q(runs__cancel_requested_at__isnull=False))
    rows = Sweep.objects.filter(pk__in=ids).annotate(**counted, stopping=stopping).order_by()
    return {
        Topic("sweep", id): Standing(" ".join(map(str, facts)))
        for id, *facts in rows.values_list("pk", *counted, "stopping")
    }


_OTHERS: Mapping[str, Seen] = {
    "question": Query.objects.visible_to,
    "review": Release.objects.visible_to,
    "sweep": Sweep.objects.visible_to,
}
