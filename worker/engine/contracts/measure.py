"""The contract of measures: readings of risk and utility, and attacks, each in one file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, TypeVar

import numpy as np

from worker.engine.contracts.chart import Chart
from worker.engine.contracts.figure import Figure, Figures
from worker.engine.contracts.parametric import Parametric, Registry
from worker.engine.contracts.scene import Outlook, Scene, Side
from worker.engine.errors import LimitExceeded
from worker.engine.tables.questions import Question
from worker.engine.tables.table import Schema
from worker.engine.wording import thousands

PerRecord = np.ndarray[Any, np.dtype[Any]]


class Section(StrEnum):
    """Where in the report a measure stands."""

    RISK = "risk"
    UTILITY = "utility"
    ATTACK = "attack"


class DoesNotApply(Exception):
    """Raised by a measure that finds out from the data that it has nothing to say, with the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Found:
    """What a reading or a comparison found: figures by their declared names, and charts as data.

    `before` are figures of the original that a comparison met on its way. `records` are figures per record:
    arrays of one number for each input row, NaN where there is none.
    """

    figures: Figures = field(default_factory=dict)
    charts: tuple[Chart, ...] = ()
    before: Figures = field(default_factory=dict)
    records: Mapping[str, PerRecord] = field(default_factory=dict)


@dataclass(frozen=True)
class Effort:
    """What an instance will take, as far as can be said before the data are read."""

    seconds: float = 0.0
    memory: int = 0
    """Bytes held at once."""


MOST_SECONDS = 3600
"""A measure that says it would take longer is not begun."""
NO_ROOM = "It would need more memory than it may use. Measure fewer columns or rows, or allow more memory."


def too_large(effort: Effort, memory: int | None) -> LimitExceeded | None:
    """Why an instance of such an effort is not begun; None when it is."""
    if memory is not None and effort.memory > memory:
        return LimitExceeded("memory", NO_ROOM)
    if effort.seconds > MOST_SECONDS:
        minutes = round(effort.seconds / 60)
        text = f"It would take about {thousands(minutes)} minutes; {MOST_SECONDS // 60} are the most."
        return LimitExceeded("time-limit", f"{text} Measure fewer columns or rows, or a sample.")
    return None


SECONDS_PER_CELL = 7e-8
"""What counting takes, roughly: for saying it in minutes, not for comparing."""


class Measure(Parametric):
    """A reading of risk or utility. An instance is the measure with its parameters.

    `read` looks at one table and is asked for the original and the release apart; its charts show one side,
    and the engine lays both over one another. `compare` looks at both at once. A measure has one of the two,
    or both.
    """

    section: ClassVar[Section]
    figures: ClassVar[tuple[Figure, ...]] = ()
    """Everything `read` and `compare` may return; anything else is a fault."""
    by_default: ClassVar[bool] = True
    """Whether `*` stands for it too, where it can be had without parameters: it costs little."""
    looks_beside: ClassVar[bool] = False
    """Whether it hangs on other releases: it is asked again of what is put forward, as they are then."""

    @property
    def id(self) -> str:
        """The name of the instance: the same measure with the same parameters has the same one.

        What is as usual is not spelled, so that a measure that learns a parameter keeps the names it had.
        """
        said = self.model_dump(mode="json", exclude_defaults=True)
        spelled = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return f"{self.slug}#{hashlib.sha256(spelled.encode()).hexdigest()[:8]}"

    def does_not_apply(self, outlook: Outlook) -> str | None:
        """Why there is nothing to measure in such data, in words; None where there is."""
        return None

    @property
    def compares(self) -> bool:
        """Whether it looks at the original beside a release, and not at each alone."""
        return type(self).compare is not Measure.compare

    def effort(self, outlook: Outlook) -> Effort:
        """How long it will take and how much memory: by default what it asks of both sides, or every column
        once where it does not say what it asks.
        """
        asked = [question.names for question in self.questions(outlook.schema)] or [outlook.schema.names]
        return Effort(seconds=2 * outlook.rows * sum(map(len, asked)) * SECONDS_PER_CELL)

    def questions(self, schema: Schema) -> Sequence[Question]:
        """The statistics it is going to ask of either side, so that they can be answered together with those
        of other measures. One that says nothing may ask what it likes, a pass over the rows each."""
        return ()

    def read(self, side: Side) -> Found | None:
        """The figures of one table."""
        return None

    def compare(self, scene: Scene) -> Found | None:
        """The figures of a release against its original."""
        return None


measures: Registry[type[Measure]] = Registry("measure")
R = TypeVar("R", bound=type[Measure])


def register(cls: R) -> R:
    """Make a measure known under its slug."""
    measures.register(cls)
    return cls
