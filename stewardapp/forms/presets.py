"""Presets: ready-made goals, steps and measures for a kind of release, kept as JSON files beside the code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict

from stewardapp.forms.parameter_fields import ColumnChoice
from worker.engine.recipes.document import ALL, RecipeJson
from worker.engine.tables.kinds import Kind, Role

Body = dict[str, Any]
Part = str | Body
Columns = Sequence[ColumnChoice]
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
    goals: tuple[Body, ...]
    steps: tuple[Body, ...]
    measures: tuple[str | Body, ...] = (ALL,)

    def recipe(self, columns: Columns) -> RecipeJson:
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


class Which(BaseModel):
    """The columns that a part of a preset is about: of a role, of kinds, or with declared cells."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    param: str
    role: Role | None = None
    kinds: frozenset[Kind] = frozenset(Kind)

    def each(self, columns: Columns) -> list[str]:
        """One column at a time, in the order of the table."""
        return [one.name for one in columns if one.role == self.role and one.kind in self.kinds]

    def together(self, columns: Columns) -> list[list[str]]:
        """All of them at once, where there are any."""
        names = self.each(columns)
        return [names] if names else []

    def first_counted(self, columns: Columns) -> list[list[str]]:
        """The first column whose cells are declared; none is a refusal that says what to declare."""
        return [[column.name for column in columns if column.counted][:1]]


SPREADS: dict[str, Callable[[Which, Columns], Sequence[str | list[str]]]] = {
    "for_each": Which.each,
    "for_all": Which.together,
    "for_first_counted": Which.first_counted,
}


def spread(parts: Iterable[Part], columns: Columns) -> Iterator[Part]:
    """The parts of a preset, as they stand for these columns.

    One that says `for_each` stands once for every column of a role and, where it says so, of some kinds;
    one that says `for_all` once for all of them together. Where there is no such column it is left out.
    One that says `for_first_counted` is about the first column whose cells are declared.
    """
    for part in parts:
        if isinstance(part, str):
            yield part
            continue
        body = {key: value for key, value in part.items() if key not in SPREADS}
        said = next((key for key in SPREADS if key in part), None)
        if said is None:
            yield body
        else:
            which = Which.model_validate(part[said])
            for chosen in SPREADS[said](which, columns):
                yield {**body, "params": {**body["params"], which.param: chosen}}
