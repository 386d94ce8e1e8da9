"""The report of a run: plain JSON, the same every time but for times and memory."""

from __future__ import annotations

import json
import math
import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Required, TypedDict, cast

from worker.engine.contracts.facts import StepJson
from worker.engine.contracts.goal import GoalFinding
from worker.engine.contracts.result import Result, ResultEntry

REPORT_VERSION = 2


class ColumnJson(TypedDict, total=False):
    """A column that leaves."""

    name: Required[str]
    kind: Required[str]
    role: Required[str]
    trace: str


class Counted(TypedDict, total=False):
    """The data, or what was made of them, in numbers."""

    rows: int
    columns: int
    rows_without_consent: int
    sha256: str | None
    family: str
    schema: Sequence[ColumnJson]
    categories: Mapping[str, Sequence[str]]
    stands_for: Mapping[str, Mapping[str, Sequence[str]]]


class FileJson(TypedDict):
    """A file that was written."""

    sha256: str
    size: int
    rows: int
    formula_cells: int


class EngineJson(TypedDict, total=False):
    """What made the report, and what it took."""

    version: str
    recipe_sha256: str
    seconds: float
    peak_memory_bytes: int
    seed: int


class Loss(TypedDict, total=False):
    """What was taken from the privacy budget, and whom it protects."""

    epsilon: str | float
    delta: str | float
    unit: str
    neighbours: str
    charged: bool


class Leaving(TypedDict, total=False):
    """What may leave with a table with a privacy guarantee."""

    engine: EngineJson
    steps: Sequence[StepJson]
    privacy_loss: Loss
    files: Mapping[str, FileJson]
    output: Counted


class ReportJson(TypedDict, total=False):
    """A report as JSON spells it."""

    version: int
    input: Counted
    output: Counted
    engine: EngineJson
    steps: Sequence[StepJson]
    goals: Sequence[GoalFinding]
    measures: Sequence[ResultEntry]
    privacy_loss: Loss
    warnings: Sequence[str]
    files: Mapping[str, FileJson]
    public: Leaving


@dataclass
class Report:
    """Filled while the work goes on; `measures` holds one result for each instance."""

    input: Counted = field(default_factory=Counted)
    output: Counted = field(default_factory=Counted)
    engine: EngineJson = field(default_factory=EngineJson)
    steps: list[StepJson] = field(default_factory=list)
    goals: list[GoalFinding] = field(default_factory=list)
    measures: list[Result] = field(default_factory=list)
    privacy_loss: Loss = field(default_factory=Loss)
    warnings: list[str] = field(default_factory=list)
    files: dict[str, FileJson] = field(default_factory=dict)
    public: Leaving = field(default_factory=Leaving)
    """Of a table with a privacy guarantee: the only part that may leave with it."""

    def as_dict(self) -> ReportJson:
        """Plain JSON; a figure that does not exist is null."""
        held = {one.name: getattr(self, one.name) for one in fields(self)}
        held["measures"] = [one.as_dict() for one in self.measures]
        return cast(ReportJson, plain({"version": REPORT_VERSION, **held}))

    def to_json(self) -> str:
        """The report file."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def peak_memory() -> int:
    """The largest resident size of this process so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def plain(facts: Mapping[str, object]) -> dict[str, object]:
    """Figures as JSON holds them; one that does not exist is null."""
    made: dict[str, object] = _finite(facts)
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
