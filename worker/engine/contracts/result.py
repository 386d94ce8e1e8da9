"""The result of one instance of a measure: what the report keeps, and what pages and manifests read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict

from worker.engine.contracts.chart import Chart, ChartJson
from worker.engine.contracts.figure import Figures
from worker.engine.contracts.parameters import Params


class State(StrEnum):
    """What became of an instance in a run."""

    MEASURED = "measured"
    DOES_NOT_APPLY = "does-not-apply"
    TOO_LARGE = "too-large"
    FAILED = "failed"


class ResultEntry(TypedDict):
    """A result as the report spells it."""

    id: str
    measure: str
    section: str
    params: Params
    state: str
    reason: str | None
    seconds: float | None
    before: Figures | None
    after: Figures | None
    charts: Sequence[ChartJson]


@dataclass(frozen=True)
class Result:
    """`id` is the measure with a hash of its parameters. A `reason` says why nothing was measured.

    `before` are figures of the original, `after` those of the release and of both compared; where there is
    no release everything stands in `before`.
    """

    id: str
    measure: str
    section: str
    params: Params
    state: State = State.MEASURED
    reason: str | None = None
    before: Figures | None = None
    after: Figures | None = None
    charts: tuple[Chart, ...] = ()
    seconds: float | None = None

    def as_dict(self) -> ResultEntry:
        """The entry of the report."""
        return ResultEntry(
            id=self.id,
            measure=self.measure,
            section=self.section,
            params=self.params,
            state=str(self.state),
            reason=self.reason,
            seconds=self.seconds,
            before=self.before,
            after=self.after,
            charts=[chart.as_dict() for chart in self.charts],
        )

    @classmethod
    def from_dict(cls, entry: ResultEntry) -> Result:
        """Read back what `as_dict` wrote."""
        return cls(
            id=entry["id"],
            measure=entry["measure"],
            section=entry["section"],
            params=entry["params"],
            state=State(entry["state"]),
            reason=entry["reason"],
            before=entry["before"],
            after=entry["after"],
            charts=tuple(Chart.from_dict(one) for one in entry["charts"]),
            seconds=entry["seconds"],
        )
