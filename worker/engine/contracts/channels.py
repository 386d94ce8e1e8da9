"""How the published mechanism of a step moves the values of a column: what whoever reads the codebook knows.

A step declares its mechanism, never the risk that it leaves. Measures ask for it, without knowing the step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol

from worker.engine.contracts.traces import Trace
from worker.engine.tables.column import Floats
from worker.engine.tables.table import Schema

if TYPE_CHECKING:
    from worker.engine.tables.statistics import Statistics

Shape = Literal["gaussian", "laplace", "uniform"]


@dataclass(frozen=True)
class Transitions:
    """`rows[i][j]` is the probability that the i-th category is released as the j-th; others stay."""

    categories: tuple[str, ...]
    rows: Floats


@dataclass(frozen=True)
class AddedNoise:
    """A number x is released near `factor` · x + `shift`, with a standard deviation in its own unit.

    `relative` noise has the deviation times |x|; results are multiples of `step` where it is above 0.
    """

    deviation: float
    shape: Shape = "gaussian"
    relative: bool = False
    step: float = 0.0
    factor: float = 1.0
    shift: float = 0.0


@dataclass(frozen=True)
class RankWindow:
    """A value is exchanged with one at most this share of the ranks away, all alike."""

    share: float


Channel = Transitions | AddedNoise | RankWindow


class Moving(Protocol):
    """Of a method: what it does to columns, and how."""

    def leaves(self, schema: Schema) -> Mapping[str, Trace]:
        """What it leaves of each column."""

    def output_schema(self, schema: Schema) -> Schema:
        """The columns after it."""

    def channels(self, statistics: Statistics) -> Mapping[str, Channel]:
        """The mechanism of each column whose values it moves, as far as it is published."""


_MOVED = (Trace.EXCHANGED, Trace.PERTURBED, Trace.MADE_UP)


@dataclass(frozen=True)
class Channels:
    """The mechanisms of all steps; what two steps move one after the other is nobody's mechanism."""

    steps: Sequence[Moving] = ()
    before: Statistics | None = None

    def of(self, name: str) -> Channel | None:
        """The mechanism that alone moved a column; None where it is not known."""
        movers = self._movers.get(name, ())
        if len(movers) != 1 or self.before is None:
            return None
        return movers[0].channels(self.before).get(name)

    @cached_property
    def _movers(self) -> Mapping[str, Sequence[Moving]]:
        found: dict[str, list[Moving]] = {}
        schema = self.before.schema if self.before is not None else Schema(())
        for step in self.steps:
            for name, trace in step.leaves(schema).items():
                if trace in _MOVED:
                    found.setdefault(name, []).append(step)
            schema = step.output_schema(schema)
        return found
