"""What was read of the original in an earlier run, so that sweeps and later runs do not pay for it again.

The caller keeps it beside the data and destroys it with them: figures of the original are guarded like raw
data. A kept reading belongs to one table; what else it hangs on is in its key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from worker.engine.contracts.chart import Chart
from worker.engine.contracts.figure import taken
from worker.engine.contracts.measure import Found, Measure
from worker.engine.contracts.scene import Outside
from worker.engine.tables.table import Schema
from worker.engine.version import VERSION

if TYPE_CHECKING:
    from worker.engine.recipes.recipe import Recipe
    from worker.engine.tables.statistics import Statistics


class Earlier(Protocol):
    """Readings of one table. What is not there was forgotten, and is read again."""

    def get(self, key: str) -> str | None:
        """What was kept."""

    def put(self, key: str, kept: str) -> None:
        """Keep it."""


class Nothing:
    """Nobody keeps anything."""

    def get(self, key: str) -> str | None:
        """There is nothing."""
        return None

    def put(self, key: str, kept: str) -> None:
        """It is forgotten."""


class Noted:
    """Readings at hand, with a note of those that are new."""

    def __init__(self, kept: Mapping[str, str]) -> None:
        self._kept = kept
        self.fresh: dict[str, str] = {}

    def get(self, key: str) -> str | None:
        """What was kept."""
        return self._kept.get(key)

    def put(self, key: str, kept: str) -> None:
        """Keep it."""
        self.fresh[key] = kept


def key_of(measure: Measure, declared: str) -> str:
    """The name of a reading: the instance, what is declared of the data, and the engine that reads them."""
    spelled = json.dumps([VERSION, declared, measure.slug, measure.params()], sort_keys=True)
    return hashlib.sha256(spelled.encode()).hexdigest()


def declared_of(recipe: Recipe, hierarchies: Mapping[str, str], schema: Schema) -> str:
    """Everything but the rows that figures of the original may hang on."""
    columns = {name: part.model_dump(mode="json") for name, part in recipe.columns.items()}
    missing = sorted(recipe.missing_texts) if recipe.missing_texts is not None else None
    fields = [[field.name, str(field.kind), str(field.role)] for field in schema]
    spelled = json.dumps([columns, missing, fields, dict(hierarchies)], sort_keys=True)
    return hashlib.sha256(spelled.encode()).hexdigest()


def spelled(measure: Measure, found: Found | None, outside: Watched) -> str | None:
    """A reading to keep; None where it hangs on something outside the data, or is too long to be kept."""
    if found is None or found.records or found.before or outside.asked:
        return None
    figures = taken(measure.figures, found.figures)
    text = json.dumps({"figures": figures, "charts": [chart.as_dict() for chart in found.charts]})
    return text if len(text) <= MOST_CHARACTERS else None


def told(kept: str) -> Found:
    """The reading as it was."""
    said: dict[str, Any] = json.loads(kept)
    return Found(said["figures"], tuple(Chart.from_dict(one) for one in said["charts"]))


MOST_CHARACTERS = 1 << 18


@dataclass
class Watched:
    """The door to what is not in the data, with a note whether anybody went through it."""

    outside: Outside
    asked: bool = False

    def auxiliary(self, name: str) -> Statistics:
        """The table that a parameter names."""
        self.asked = True
        return self.outside.auxiliary(name)

    def releases(self) -> Mapping[str, Statistics]:
        """Other releases about the same people."""
        self.asked = True
        return self.outside.releases()

    def placed(self) -> frozenset[str]:
        """Those of them whose rows are known by where they stood."""
        self.asked = True
        return self.outside.placed()
