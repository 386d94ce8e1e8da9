"""What checking one goal on some classes found, and how such findings are put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from worker.engine.errors import EngineError
from worker.engine.verification.grouping import Group
from worker.engine.verification.released import Released


@dataclass(frozen=True)
class Finding:
    """The weakest class, and how many rows stand in classes that fall short."""

    achieved: Any
    violating_rows: int

    @property
    def holds(self) -> bool:
        """Whether no class falls short."""
        return self.violating_rows == 0

    def joined(self, other: Finding) -> Finding:
        """Both together: the weaker of the two decides."""
        known = [one.achieved for one in (self, other) if one.achieved is not None]
        return Finding(min(known, default=None), self.violating_rows + other.violating_rows)


class Check(Protocol):
    """One goal, ready to be recomputed."""

    slug: str
    required: Any
    column: str | None

    def find(self, group: Group, released: Released) -> Finding:
        """Look at some whole classes."""


def number(params: Mapping[str, Any], name: str, default: float) -> Any:
    """A parameter that is a number of at least one (or positive, when it is no whole number)."""
    value = params.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise EngineError("goal-parameter", f"{name} is a number above zero.", name)
    return value
