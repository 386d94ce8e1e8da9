"""Of what is asked of many alike the suite asks some, the same each time; `make faults` asks everything."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
WHOLE = os.environ.get("STEWARD_FAULTS") == "full"


def some(cases: Sequence[T], of: int, first: int = 0) -> list[T]:
    """One of so many neighbours, beginning with the first named."""
    return list(cases) if WHOLE else list(cases)[first % min(of, len(cases)) :: of]


def in_turn(cases: Sequence[T], turn: int) -> list[T]:
    """The one whose turn it is."""
    return some(cases, len(cases), turn) if cases else []
