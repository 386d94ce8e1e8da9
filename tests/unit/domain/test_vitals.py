"""Each part of the desk is judged by itself, on both sides of its bound."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from stewardapp.domain.vitals import Health, Noted, Vitals, signs, worst

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
WELL = Vitals(
    now=NOW,
    noted=Noted(workers=1, seen_at=NOW, anchored=date(2026, 5, 4)),
    storage=True,
    keys=True,
    free=0.5,
    copied_at=NOW,
)


def judged(part: str, **changed: Any) -> Health:
    """How a part is when something of a well desk is changed; the others stay well."""
    assert WELL.noted is not None
    about = {name: changed.pop(name) for name in list(changed) if hasattr(WELL.noted, name)}
    found = {
        sign.part: sign.health for sign in signs(replace(WELL, noted=replace(WELL.noted, **about), **changed))
    }
    assert {health for name, health in found.items() if name != part} == {Health.OK}
    return found[part]


def test_a_well_desk_is_well() -> None:
    assert worst(signs(WELL)) == Health.OK
    assert len(signs(WELL)) == 10


@pytest.mark.parametrize("part", ["storage", "keys"])
def test_without_it_no_page_works(part: str) -> None:
    assert judged(part, **{part: False}) == Health.FAILING


def test_without_a_database_the_rest_is_looked_at() -> None:
    found = signs(replace(WELL, noted=None))
    assert found[0].part == "database"
    assert worst(found) == Health.FAILING
    assert {"storage", "keys", "disk", "backup"} < {sign.part for sign in found}


@pytest.mark.parametrize(
    ("part", "fine", "not_fine"),
    [
        ("worker", {"workers": 1}, {"workers": 0}),
        (
            "queue",
            {"waiting_since": NOW - timedelta(minutes=10)},
            {"waiting_since": NOW - timedelta(minutes=11)},
        ),
        ("queue", {"waiting_since": NOW + timedelta(minutes=9)}, {"waiting_since": NOW - timedelta(days=1)}),
        ("anchor", {"anchored": date(2026, 5, 2)}, {"anchored": date(2026, 5, 1)}),
        ("anchor", {"anchored": None, "has_log": False}, {"anchored": None, "has_log": True}),
        ("disk", {"free": 0.1}, {"free": 0.0999}),
        ("disk", {"free": 1.0}, {"free": None}),
        ("backup", {"copied_at": NOW - timedelta(days=8)}, {"copied_at": NOW - timedelta(days=9)}),
        ("backup", {}, {"copied_at": None}),
        ("dead-letters", {"dead_letters": 0}, {"dead_letters": 1}),
        ("damaged", {"damaged": 0}, {"damaged": 1}),
    ],
)
def test_each_part_has_its_bound(part: str, fine: dict[str, Any], not_fine: dict[str, Any]) -> None:
    assert judged(part, **fine) == Health.OK
    assert judged(part, **not_fine) == Health.DEGRADED
