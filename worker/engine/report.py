"""The report of a run: plain JSON, the same every time but for times and memory."""

from __future__ import annotations

import json
import math
import resource
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

REPORT_VERSION = 1


@dataclass
class Report:
    """Filled while the work goes on; `attack` holds the attacks that were replayed."""

    input: dict[str, Any] = field(default_factory=dict)
    output: dict[str, Any] = field(default_factory=dict)
    engine: dict[str, Any] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)
    goals: list[dict[str, Any]] = field(default_factory=list)
    risk: dict[str, dict[str, Any]] = field(default_factory=dict)
    utility: dict[str, Any] = field(default_factory=dict)
    attack: dict[str, Any] = field(default_factory=dict)
    privacy_loss: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    public: dict[str, Any] = field(default_factory=dict)
    """Of a table with a privacy guarantee: the only part that may leave with it."""

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON; a figure that does not exist is null."""
        return plain({"version": REPORT_VERSION, **asdict(self)})

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
