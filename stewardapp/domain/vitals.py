"""Whether the desk lives: what was measured of it, and how each of it is judged. No name of data in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

from worker.engine.wording import percent

LONGEST_WAIT = timedelta(minutes=10)
LEAST_FREE = 0.1
LONGEST_WITHOUT_COPY = timedelta(days=8)
LONGEST_WITHOUT_ANCHOR = timedelta(days=2)


class Health(StrEnum):
    """Degraded: pages work, and somebody has to look. Failing: pages do not work."""

    OK = "ok"
    DEGRADED = "degraded"
    FAILING = "failing"


@dataclass(frozen=True, slots=True)
class Noted:
    """What the database knows: workers alive, when the oldest waiting job was asked for, the newest anchor,
    whether there was something to anchor, and published files whose bytes changed.
    """

    workers: int = 0
    seen_at: datetime | None = None
    waiting_since: datetime | None = None
    anchored: date | None = None
    has_log: bool = False
    damaged: int = 0


@dataclass(frozen=True, slots=True)
class Vitals:
    """What was measured in one moment; without a database nothing it would know."""

    now: datetime
    noted: Noted | None = None
    storage: bool = False
    keys: bool = False
    free: float | None = None
    copied_at: datetime | None = None
    dead_letters: int = 0


@dataclass(frozen=True, slots=True)
class Sign:
    """One part of the desk, how it is, in what figure that shows, and the moment it was last well."""

    part: str
    health: Health
    figure: str = ""
    at: datetime | None = None


def signs(vitals: Vitals) -> tuple[Sign, ...]:
    """Every part that could be looked at, the most needed first."""
    here = (_needed("storage", vitals.storage), _needed("keys", vitals.keys))
    beside = (_disk(vitals.free), _copy(vitals), _count("dead-letters", vitals.dead_letters))
    if vitals.noted is None:
        return (_needed("database", False), *here, *beside)
    noted = vitals.noted
    known = (_worker(noted), _queue(noted, vitals.now), _anchor(noted, vitals.now))
    return (_needed("database", True), *here, *known, *beside, _count("damaged", noted.damaged))


def worst(found: tuple[Sign, ...]) -> Health:
    """How the desk is as a whole."""
    there = {sign.health for sign in found}
    return next((one for one in (Health.FAILING, Health.DEGRADED) if one in there), Health.OK)


def _needed(part: str, fine: bool) -> Sign:
    """Without it no page works."""
    return Sign(part, Health.OK if fine else Health.FAILING)


def _watched(part: str, fine: bool, figure: str, at: datetime | None = None) -> Sign:
    """Without it pages work."""
    return Sign(part, Health.OK if fine else Health.DEGRADED, figure, at)


def _worker(noted: Noted) -> Sign:
    return _watched("worker", noted.workers > 0, f"{noted.workers} alive", noted.seen_at)


def _queue(noted: Noted, now: datetime) -> Sign:
    if noted.waiting_since is None:
        return _watched("queue", True, "empty")
    waiting = max(now - noted.waiting_since, timedelta())
    figure = f"oldest waits {waiting.total_seconds():.0f} s"
    return _watched("queue", waiting <= LONGEST_WAIT, figure, noted.waiting_since)


def _anchor(noted: Noted, now: datetime) -> Sign:
    """A log without events has nothing to anchor yet."""
    if noted.anchored is None:
        return _watched("anchor", not noted.has_log, "none")
    fine = (now.date() - noted.anchored) <= LONGEST_WITHOUT_ANCHOR
    made_at = datetime.combine(noted.anchored, time(), UTC)
    return _watched("anchor", fine, noted.anchored.isoformat(), made_at)


def _disk(free: float | None) -> Sign:
    if free is None:
        return _watched("disk", False, "unknown")
    return _watched("disk", free >= LEAST_FREE, f"{percent(free)} free")


def _copy(vitals: Vitals) -> Sign:
    if vitals.copied_at is None:
        return _watched("backup", False, "none")
    fine = vitals.now - vitals.copied_at <= LONGEST_WITHOUT_COPY
    return _watched("backup", fine, f"{vitals.copied_at:%Y-%m-%d}", vitals.copied_at)


def _count(part: str, number: int) -> Sign:
    """What there should be none of."""
    return _watched(part, number == 0, str(number))
