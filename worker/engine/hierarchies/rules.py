"""Hierarchies made by rule: intervals, order, masking, dates, trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from worker.engine.hierarchies.builders import date, interval, mask, order, tree
from worker.engine.hierarchies.builders.settings import MOST_LEVELS, Rows, Settings

__all__ = ["BUILDERS", "MOST_LEVELS", "build"]

BUILDERS: dict[str, ModuleType] = {
    "interval": interval,
    "order": order,
    "mask": mask,
    "date": date,
    "tree": tree,
}


def build(builder: str, options: Mapping[str, Any], values: Sequence[str], column: str) -> Rows:
    """The rows of a hierarchy over these values."""
    settings = Settings(options, column)
    made = BUILDERS.get(builder)
    if made is None:
        raise settings.refusal("builder", f"there is no such builder. Known: {', '.join(sorted(BUILDERS))}")
    for option in options:
        if option not in made.OPTIONS:
            known = ", ".join(made.OPTIONS)
            raise settings.refusal(option, f"builder {builder} has no such option. Known: {known}")
    rows: Rows = made.build(settings, values)
    return rows
