"""What columns may be called. A header may be data by mistake, so refusals speak of positions only."""

from __future__ import annotations

from collections.abc import Sequence

from worker.engine.errors import EngineError
from worker.engine.io.limits import Limits
from worker.engine.wording import thousands


def refuse_too_many(columns: int, limits: Limits) -> None:
    """Say both numbers before anything is done with the columns."""
    if columns > limits.columns:
        raise EngineError(
            "too-many-columns",
            f"The file has {thousands(columns)} columns; the limit is {thousands(limits.columns)}. "
            "Leave out columns that the release does not need, or check the delimiter.",
        )


def check_names(names: Sequence[str], limits: Limits) -> None:
    """Every column has a name of its own, of sensible length."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise EngineError(
                "empty-header",
                f"Column {thousands(position)} has no name. Name every column in the first line.",
            )
        if len(name) > limits.name_characters:
            raise EngineError(
                "long-header",
                f"The name of column {thousands(position)} is longer than "
                f"{thousands(limits.name_characters)} "
                "characters. Shorten it; if the first line holds values, put a line of names above it.",
            )
        if name in seen:
            raise EngineError(
                "duplicate-header",
                f"Columns {thousands(seen[name])} and {thousands(position)} have the same name. "
                "Rename one of them; if the first line holds values, put a line of names above it.",
            )
        seen[name] = position
