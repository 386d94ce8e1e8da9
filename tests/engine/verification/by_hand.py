"""A small released file, judged by one goal: what is achieved, whether it holds, how many rows violate."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from worker.engine.contracts.goal import GoalResult
from worker.engine.verification import examine

Answer = tuple[Any, bool, int]


def judged(goal: str, params: Mapping[str, Any], rows: Sequence[str], **how: Any) -> Answer:
    """Rows are `quasi-identifier sensitive`, `-` being an empty cell."""
    result = result_of(goal, params, rows, **how)
    return result.achieved, result.holds, result.violating_rows


def result_of(
    goal: str,
    params: Mapping[str, Any],
    rows: Sequence[str],
    sensitive: Mapping[str, Any] | None = None,
    quasi: Mapping[str, Any] | None = None,
    **files: Any,
) -> GoalResult:
    """The same with its remark."""
    columns = {"q": {"role": "quasi-identifier", **(quasi or {})}}
    columns |= {"s": {"role": "sensitive", **(sensitive or {})}}
    cells = (row.replace("-", "").split(" ") for row in rows)
    released = "\n".join(["q,s", *(",".join(row) for row in cells)]) + "\n"
    recipe = {"version": 1, "columns": columns, "goals": [{"goal": goal, "params": dict(params)}]}
    (result,) = examine(recipe, io.BytesIO(released.encode()), **files).results
    return result
