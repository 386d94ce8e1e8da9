"""Parameters that measures of made-up rows share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from worker.engine.contracts.annotations import AuxiliaryFile, Columns, Unit
from worker.engine.tables.kinds import RELEASED

HoldOut = Annotated[
    str | None,
    AuxiliaryFile(),
    Field(
        title="Hold-out",
        description="People of the same sort who were not used. Empty: the rows that a step set aside "
        "itself.",
    ),
]
LeavingColumns = Annotated[
    tuple[str, ...],
    Columns(role=RELEASED),
    Field(title="Columns", description="What rows are compared by. Empty: every column that leaves."),
]
MostRows = Annotated[
    int,
    Unit("rows"),
    Field(ge=100, le=1_000_000, title="Rows", description="At most so many of each sort, drawn at random."),
]
MostReleased = Annotated[
    int,
    Unit("rows"),
    Field(ge=100, le=1_000_000, title="Rows", description="At most so many released rows, drawn at random."),
]
MostAttacks = Annotated[
    int,
    Unit("attacks"),
    Field(ge=10, le=100_000, title="Attacks", description="At most so many; fewer where fewer are possible."),
]
