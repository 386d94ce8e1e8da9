"""The report of a run: plain JSON, the same every time but for times and memory."""

from __future__ import annotations

import json
import math
import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypedDict

from worker.engine.contracts.result import Result, ResultEntry

REPORT_VERSION = 2


StepJson = Mapping[str, Any]
"""What a step tells of itself: its facts by the names it gave them."""


class Counted(TypedDict, total=False):
    """A file of a run in numbers."""

    rows: int
    columns: int
    rows_without_consent: int
    sha256: str
    family: str


class Loss(TypedDict, total=False):
    """What was taken from the privacy budget, and whom it protects."""

    epsilon: str | float
    delta: str | float
    unit: str


class GoalDemand(TypedDict):
    """One of several things that a goal asks."""

    name: str
    required: float
    achieved: float | None


class GoalFinding(TypedDict, total=False):
    """A goal, and what was found about it."""

    goal: str
    column: str | None
    unit: str
    required: float | list[float] | None
    achieved: float | list[float] | None
    holds: bool
    violating_rows: int | None
    remark: str
    demands: Sequence[GoalDemand]


class Leaving(TypedDict, total=False):
    """What may leave with a table with a privacy guarantee."""

    steps: Sequence[StepJson]
    privacy_loss: Loss


class ReportJson(TypedDict, total=False):
    """A report as JSON spells it."""

    version: int
    input: Counted
    output: Counted
    engine: Mapping[str, str]
    steps: Sequence[StepJson]
    goals: Sequence[GoalFinding]
    measures: Sequence[ResultEntry]
    privacy_loss: Loss
    warnings: Sequence[str]
    files: Mapping[str, Counted]
    public: Leaving


@dataclass
class Report:
    """Filled while the work goes on; `measures` holds one result for each instance."""

    input: dict[str, Any] = field(default_factory=dict)
    output: dict[str, Any] = field(default_factory=dict)
    engine: dict[str, Any] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)
    goals: list[dict[str, Any]] = field(default_factory=list)
    measures: list[Result] = field(default_factory=list)
    privacy_loss: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    public: dict[str, Any] = field(default_factory=dict)
    """Of a table with a privacy guarantee: the only part that may leave with it."""

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON; a figure that does not exist is null."""
        held = {one.name: getattr(self, one.name) for one in fields(self)}
        held["measures"] = [one.as_dict() for one in self.measures]
        return plain({"version": REPORT_VERSION, **held})

    def to_json(self) -> str:
        """The report file."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Figures as JSON holds them; one that does not exist is null."""
    made: dict[str, Any] = _finite(facts)
    return made


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    if hasattr(value, "item"):  # a numpy number
        return _finite(value.item())
    return value
