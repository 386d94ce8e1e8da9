"""What a measure is shown: what is known before a run, one table, or a release beside its original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from worker.engine.contracts.channels import Channels
from worker.engine.contracts.traces import Traces
from worker.engine.errors import EngineError
from worker.engine.randomness import Source
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Mask
from worker.engine.tables.kinds import Role
from worker.engine.tables.table import Schema

if TYPE_CHECKING:
    from worker.engine.tables.statistics import Statistics


FEWEST_HELD_OUT = 30
"""Of fewer rows that no step learnt from nobody can tell what is chance."""


class Outside(Protocol):
    """A door that the caller opens to what is not in the data themselves."""

    def auxiliary(self, name: str) -> Statistics:
        """The table that a parameter names; refused when it is not there."""

    def releases(self) -> Mapping[str, Statistics]:
        """Other releases about the same people, by a name that pages may show."""

    def placed(self) -> frozenset[str]:
        """Those of them whose rows have the numbers that they had in the input."""


class Nothing:
    """A closed door."""

    def auxiliary(self, name: str) -> Statistics:
        """There is no file."""
        raise no_file(name)

    def releases(self) -> Mapping[str, Statistics]:
        """There are none."""
        return {}

    def placed(self) -> frozenset[str]:
        """There are none."""
        return frozenset()


def no_file(name: str) -> EngineError:
    """The refusal for an auxiliary file that nobody gave."""
    return EngineError(
        "no-auxiliary-file", f"The auxiliary file {name} is not there. Give a path that exists."
    )


@dataclass(frozen=True)
class Outlook:
    """What is known before anything is read: enough to say what applies and what it will take.

    `traces` say what the steps leave of each column; None where there is no release, or nobody knows how it
    was made.
    """

    schema: Schema
    rows: int
    traces: Traces | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The quasi-identifiers by whose values rows can be matched."""
        return truthful_keys(self.schema.named(Role.QUASI_IDENTIFIER), self.traces)


def truthful_keys(names: tuple[str, ...], traces: Traces | None) -> tuple[str, ...]:
    """Those that stayed truthful; all of them where nobody knows what was done to them."""
    return names if traces is None else traces.truthful(names)


@dataclass(frozen=True, kw_only=True)
class Helps:
    """What every reading may use beside the data. `rows` are those of the input, with or without consent:
    figures per record are arrays of this length. They are `by_record` where somebody is going to have them.
    """

    rows: int
    by_record: bool = True
    source: Source
    reporter: Reporter
    outside: Outside


@dataclass(frozen=True, kw_only=True)
class Side(Helps):
    """One table, original or released. It does not know which, so that what was read can be kept.

    `keys` are the quasi-identifiers whose values still tell whose row it is: all of the original, those of a
    release that stayed truthful. `origin` holds the same rows with the keys of persons and households that
    never leave; None where nobody knows where the rows stood. `traces` say of which columns the values are
    true, where steps changed some; None where they are as they came, or nobody knows.
    """

    statistics: Statistics
    keys: tuple[str, ...] = ()
    origin: Statistics | None = None
    traces: Traces | None = None


@dataclass(frozen=True, kw_only=True)
class Scene(Helps):
    """A release beside its original.

    `held_out` marks the input rows from which no step learnt anything, when a step set some aside. A release
    that is `aligned` knows where its rows stood in the input; one read back from a file alone does not.
    `beside` are both sides row by row, where it does. `channels` are the published mechanisms by which the
    steps moved values. `left_behind` are columns of the original that no step
    was shown.
    """

    before: Statistics
    after: Statistics
    held_out: Mask | None = None
    traces: Traces | None = None
    channels: Channels = field(default_factory=Channels)
    aligned: bool = True
    beside: Statistics | None = None
    left_behind: tuple[str, ...] = ()
