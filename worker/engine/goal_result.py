"""What a judgement of a goal says; shared by goals and by the verification that must not know them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class GoalResult:
    """How a release fares against one goal."""

    goal: str
    required: Any
    achieved: Any
    holds: bool
    violating_rows: int
    column: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The entry of the report."""
        facts = {"goal": self.goal, "required": self.required, "achieved": self.achieved}
        facts |= {"holds": self.holds, "violating_rows": self.violating_rows}
        return facts if self.column is None else {"column": self.column, **facts}
