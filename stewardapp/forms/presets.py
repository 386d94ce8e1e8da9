"""Presets: ready-made goals, steps and measures for a kind of release, kept as JSON files beside the code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from stewardapp.forms.parameter_fields import ColumnChoice
from worker.engine.recipes.document import ALL, RecipeJson

Part = str | dict[str, Any]
SPREADS = ("for_each", "for_first_counted")
FOLDER = Path(__file__).resolve().parent.parent / "presets"


class Preset(BaseModel):
    """One kind of release and what it demands."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: str
    order: int
    title: str
    summary: str
    effect: str
    audience: str
    goals: tuple[dict[str, Any], ...]
    steps: tuple[dict[str, Any], ...]
    measures: tuple[str | dict[str, Any], ...] = (ALL,)

    def recipe(self, columns: Sequence[ColumnChoice]) -> RecipeJson:
        """The goals, steps and measures for a version with these columns."""
        parts = {"goals": self.goals, "steps": self.steps, "measures": self.measures}
        return cast(RecipeJson, {name: list(spread(part, columns)) for name, part in parts.items()})


@cache
def presets() -> tuple[Preset, ...]:
    """Every preset, in the order the page shows them."""
    found = (Preset.model_validate_json(path.read_bytes()) for path in FOLDER.glob("*.json"))
    return tuple(sorted(found, key=lambda preset: preset.order))


def preset(slug: str) -> Preset | None:
    """The preset of that name, if there is one."""
    return next((one for one in presets() if one.slug == slug), None)


def spread(parts: Iterable[Part], columns: Sequence[ColumnChoice]) -> Iterator[Part]:
    """A part that says `for_each` stands once for every column of that role.

    One that says `for_first_counted` is about the first column whose cells are declared.
    """
    for part in parts:
        if isinstance(part, str):
            yield part
            continue
        body = {key: value for key, value in part.items() if key not in SPREADS}
        if each := part.get("for_each"):
            for column in columns:
                if column.role == each["role"]:
                    yield {**body, "params": {**body["params"], each["param"]: column.name}}
        elif first := part.get("for_first_counted"):
            names = [column.name for column in columns if column.counted][:1]
            yield {**body, "params": {**body["params"], first["param"]: names}}
        else:
            yield body
