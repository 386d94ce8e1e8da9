"""Ready-made policies: what kinds of release are usually held to, kept as JSON files beside the code."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from stewardapp.access.facts import ANY_FAMILY
from stewardapp.domain.demands import Demand

FOLDER = Path(__file__).resolve().parent.parent / "presets" / "policies"
OF_A_NEW_PROJECT = "research-file"


class Row(BaseModel):
    """One demand as its file spells it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    measure: str
    figure: str
    bound: Decimal
    part: str = ""
    family: str = ANY_FAMILY
    excusable: bool = False

    def demand(self) -> Demand:
        """The demand."""
        return Demand(**self.model_dump())


class PolicyPreset(BaseModel):
    """What one kind of release is held to. It is a beginning: a project makes it its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: str
    order: int
    title: str
    summary: str
    maximum_epsilon: Decimal
    maximum_local_epsilon: Decimal | None
    reviewers: int
    retention_days: int
    rows: tuple[Row, ...]

    @property
    def demands(self) -> tuple[Demand, ...]:
        """Its rows."""
        return tuple(row.demand() for row in self.rows)


@cache
def policy_presets() -> tuple[PolicyPreset, ...]:
    """Every preset, in the order the page shows them."""
    found = (PolicyPreset.model_validate_json(path.read_bytes()) for path in FOLDER.glob("*.json"))
    return tuple(sorted(found, key=lambda preset: preset.order))


def policy_preset(slug: str) -> PolicyPreset | None:
    """The preset of that name, if there is one."""
    return next((one for one in policy_presets() if one.slug == slug), None)


def protecting() -> tuple[Demand, ...]:
    """What a project demands until somebody revises it."""
    return next(one for one in policy_presets() if one.slug == OF_A_NEW_PROJECT).demands
