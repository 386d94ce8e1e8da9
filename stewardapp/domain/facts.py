"""What the rules need to know of a release and of a run: more than their rows say."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from django.db.models import QuerySet

from stewardapp.access.facts import PriceFacts, ReleaseFacts, RunFacts
from stewardapp.access.workflow import EDITABLE, Audience, Decision, State
from stewardapp.domain.assessed import joined
from stewardapp.domain.averaging import OutBeside, added_up
from stewardapp.domain.compared import went_out_since
from stewardapp.domain.manifest import KeptFigures, facts_of
from stewardapp.domain.pricing import price_of
from stewardapp.domain.recipe import guessed_kinds, methods_of, needs_kind
from stewardapp.domain.shaping import shapers_of
from stewardapp.models import Assessment, Column, Contribution, Release, Review, Run
from stewardapp.models.prepared import prepared

DECIDED_ON = (State.IN_REVIEW, State.APPROVED)
"""In these states somebody decides what becomes of the candidate."""


def contributors_of(release: Release) -> frozenset[uuid.UUID]:
    """Everybody who shaped this release: they may not review it.

    Every run notes who shaped what it is made of; while another one can be started, also those count
    who shaped what it would be made of. What is shaped later makes no difference to a candidate.
    """
    return _contributing(release, _shaped_by(release.pk))


@prepared
def _shaped_by(release: uuid.UUID) -> QuerySet[Contribution, uuid.UUID]:
    return Contribution.objects.filter(release=release).values_list("user_id", flat=True)


def _contributing(release: Release, own: Iterable[uuid.UUID]) -> frozenset[uuid.UUID]:
    live = shapers_of(release) if release.state in EDITABLE else frozenset()
    return live | {release.author_id, *own}


@dataclass(frozen=True)
class Around:
    """What others did about a release: who shaped it, the votes that count, the states of open demands, and
    whether they published more than its candidate was compared with, which no list asks."""

    shaped_by: Collection[uuid.UUID]
    votes: Collection[tuple[uuid.UUID, str]]
    demands: Collection[str]
    uncompared: bool = False


def _around(release: Release) -> Around:
    return Around(
        _shaped_by(release.pk),
        _votes(release.pk),
        _demands(release) if release.state == State.IN_REVIEW else (),
        release.state in DECIDED_ON and went_out_since(release),
    )


@prepared
def _votes(release: uuid.UUID) -> QuerySet[Review, tuple[uuid.UUID, str]]:
    return Review.objects.filter(release=release).counting().values_list("reviewer_id", "decision")


def release_facts(release: Release, around: Around | None = None) -> ReleaseFacts:
    """What the rules need to know about this release; of many at once, `around` was asked at once."""
    policy, around = release.judged_by, around or _around(release)
    editable = release.state in EDITABLE
    return ReleaseFacts(
        state=State(release.state),
        author_id=release.author_id,
        contributor_ids=_contributing(release, around.shaped_by),
        begun_at=release.created_at,
        votes=tuple((reviewer, Decision(decision)) for reviewer, decision in around.votes),
        reviewers=policy.reviewers,
        require_second_factor=policy.require_second_factor,
        version_destroyed=release.version.destroyed_at is not None,
        columns_tagged=not editable or bool(_tagged(release.version_id)),
        has_purpose=bool(release.purpose.strip()),
        has_reason_for_unique=bool(release.reason_for_unique.strip()),
        audience=Audience(release.audience),
        named_ids=_named_ids(release),
        embargo_until=release.embargo_until,
        price=price_of(release) if editable else PriceFacts(),
        guessed_kinds=_guessed_kinds(release) if editable else (),
        policy=policy.facts(),
        demands=tuple(around.demands),
        uncompared=around.uncompared,
    )


@prepared
def _tagged(version: uuid.UUID) -> QuerySet[Column, uuid.UUID]:
    found = Column.objects.filter(version=version).tagged()
    return found.order_by().values_list("pk", flat=True)[:1]


def _named_ids(release: Release) -> frozenset[uuid.UUID]:
    """Whom it is for by name, where it is for nobody else."""
    if release.audience != Audience.NAMED:
        return frozenset()
    return frozenset(release.named.order_by().values_list("id", flat=True))


def _demands(release: Release) -> tuple[str, ...]:
    """The states of what was demanded of the candidate and has no result."""
    return tuple(_open_demands(release.candidate_id)) if release.candidate_id else ()


@prepared
def _open_demands(run: uuid.UUID) -> QuerySet[Assessment, str]:
    open_ = Assessment.objects.open_demands().filter(run=run)
    return open_.order_by().values_list("state", flat=True).distinct()


def _guessed_kinds(release: Release) -> tuple[str, ...]:
    steps = [method for _, method in methods_of(release.recipe)]
    return tuple(one.name for one in guessed_kinds(release.version.columns.all(), steps) if needs_kind(one))


def run_facts(run: Run, out: OutBeside | None = None) -> RunFacts:
    """The manifest's figures, and what they come to with all that is `out`."""
    results = joined(run.figures.get("results", {}), run.assessed.get("results", {}))
    figures: KeptFigures = {"family": run.figures.get("family", ""), "results": results}
    found = facts_of(run.state, run.stated, figures, stop_requested=run.cancel_requested_at is not None)
    return replace(found, local=tuple(one.facts() for one in added_up(run, out)))


def assessable_facts(run: Run, out: OutBeside | None = None) -> RunFacts:
    """The same, and whether the table that it read is still there to be compared with."""
    table = run.reading.table
    return replace(run_facts(run, out), table_there=table is not None and table.destroyed_at is None)
