"""The contract of measures: readings of risk and utility, before and after, with their charts."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from worker.engine.chart import Chart
from worker.engine.parametric import Parametric, Registry

if TYPE_CHECKING:
    from worker.engine.statistics import Statistics

Figures = Mapping[str, Any]
"""Plain JSON: what the report stores and the charts are drawn from."""


class Section(StrEnum):
    """Where in the report a measure stands."""

    RISK = "risk"
    UTILITY = "utility"
    ATTACK = "attack"


class Measure(Parametric):
    """Risk measures `read` one side at a time; utility measures and attacks `compare` two.

    Charts come from the figures alone, so that the stored report can be drawn again.
    """

    section: ClassVar[Section]
    explanations: ClassVar[Mapping[str, str]] = {}
    """For every figure: how do I read this? Keys are the names in the report."""

    labels: ClassVar[Mapping[str, str]] = {}
    """How a figure is called on pages, where its name in the report does not say it well."""

    def applies(self, statistics: Statistics) -> bool:
        """Whether there is anything to measure in these data."""
        return True

    def read(self, statistics: Statistics) -> dict[str, Any]:
        """The figures of one table (risk)."""
        raise NotImplementedError

    def compare(self, before: Statistics, after: Statistics) -> dict[str, Any]:
        """The figures of a table against its original (utility, attack)."""
        raise NotImplementedError

    def charts(self, before: Figures | None, after: Figures | None) -> tuple[Chart, ...]:
        """Pictures of the figures: of `read` before and after, or of `compare` as `after`."""
        return ()


measures: Registry[type[Measure]] = Registry("measure")
R = TypeVar("R", bound=type[Measure])


def register(cls: R) -> R:
    """Make a measure known under its slug."""
    measures.register(cls)
    return cls
