"""Whether people are probably known to the site under another name: what two populations share.

Numbers of person keys are compared with numbers of person keys, numbers of rows with numbers of rows; no
value is opened for it. Nothing is found below a floor, and where exactly the floor lies is drawn anew for
each look, so that one person more or less can hardly ever be seen.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import reduce
from typing import BinaryIO, cast

from stewardapp import storage
from stewardapp.access.facts import LookFacts
from stewardapp.models import Dataset, Population, Proposal, User, Version
from stewardapp.models.dataset import DatasetQuerySet
from stewardapp.models.version import VersionQuerySet
from worker.engine.io import likeness
from worker.engine.io.likeness import Sample
from worker.engine.tables.kinds import Role

FLOOR_PEOPLE, FLOOR_SHARE = 100, 0.05
HIGHEST = 1.2
"""The floor is drawn between these figures and so many times as much."""


@dataclass(frozen=True)
class Found:
    """A population that shares people with those of a proposal, data of it, and how many it shares."""

    known: Population
    version: Version
    people: int
    percent: int


@dataclass(frozen=True)
class Samples:
    """What is kept of some datasets: of person keys, and of rows."""

    keys: Sample | None = None
    rows: Sample | None = None


def facts_of_look(proposal: Proposal, by: User) -> LookFacts:
    """What the rule about agreeing needs to know: whether there is anything to compare, and what was told."""
    look = proposal.looks.filter(by=by).first()
    return LookFacts(_comparable(proposal.newcomers).exists(), None if look is None else look.known)


def found_by(proposal: Proposal) -> list[Found]:
    """The populations that are probably about some of the same people, without those of which it is known."""
    theirs, floor = proposal.theirs, _drawn_floor()
    own = _samples(_comparable(proposal.newcomers))
    candidates = Population.objects.exclude(pk=theirs.pk).exclude(pk__in=theirs.overlaps.values("pk"))
    alike = (_alike(own, population, proposal, floor) for population in candidates)
    return [found for found in alike if found is not None]


def _alike(own: Samples, known: Population, proposal: Proposal, floor: float) -> Found | None:
    others = Dataset.objects.holding([known]).exclude(proposals=proposal)
    versions = _comparable(others).order_by("-created_at")
    version = versions.first()
    if version is None:
        return None
    other = _samples(versions)
    shared = max((_shared(own.keys, other.keys, floor), _shared(own.rows, other.rows, floor)))
    return Found(known, version, *shared) if shared[0] else None


def _shared(one: Sample | None, other: Sample | None, floor: float) -> tuple[int, int]:
    """How many both have, to two figures, and per cent of the smaller; nothing below the floor."""
    if one is None or other is None:
        return 0, 0
    people, smaller = one.shared_with(other), min(one.size, other.size)
    if people < FLOOR_PEOPLE * floor or people < FLOOR_SHARE * floor * smaller:
        return 0, 0
    return int(float(f"{people:.1e}")), min(100, round(100 * people / smaller))


def _drawn_floor() -> float:
    return secrets.SystemRandom().uniform(1, HIGHEST)


def _comparable(datasets: DatasetQuerySet) -> VersionQuerySet:
    """The versions whose present reading left something to compare."""
    versions = Version.objects.ready().filter(dataset__in=datasets, current__likeness__destroyed_at=None)
    return versions.exclude(current__likeness=None).select_related("current__likeness__key")


def _samples(versions: Iterable[Version]) -> Samples:
    found = [_kept(version) for version in versions]
    return Samples(_united(one.keys for one in found), _united(one.rows for one in found))


def _united(samples: Iterable[Sample | None]) -> Sample | None:
    there = [one for one in samples if one is not None]
    return reduce(Sample.with_all_of, there) if there else None


def _kept(version: Version) -> Samples:
    """Of a version that is destroyed meanwhile nothing is kept."""
    blob = version.read_now().likeness
    assert blob is not None  # _comparable asks for it
    keys = version.columns.filter(role=Role.PERSON_KEY).values_list("name", flat=True)
    with suppress(storage.Destroyed, FileNotFoundError), storage.reading(blob) as file:
        kept = cast(BinaryIO, file)
        return Samples(_united(likeness.read(kept, name) for name in keys), likeness.read(kept, None))
    return Samples()
