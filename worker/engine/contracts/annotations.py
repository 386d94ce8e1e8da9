"""The annotations of parameters, from which forms, validation and the catalogue follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from worker.engine.tables.kinds import Kind, Role


@dataclass(frozen=True, init=False)
class Columns:
    """Marks a parameter that names one column, or several where it is a tuple.

    `kind` and `role` say which columns are acceptable; None means any that the release may hold.
    """

    kinds: frozenset[Kind] | None
    roles: frozenset[Role] | None

    def __init__(
        self,
        kind: Kind | frozenset[Kind] | None = None,
        role: Role | frozenset[Role] | None = None,
    ) -> None:
        object.__setattr__(self, "kinds", frozenset({kind}) if isinstance(kind, Kind) else kind)
        object.__setattr__(self, "roles", frozenset({role}) if isinstance(role, Role) else role)

    def accepts(self, kind: Kind, role: Role) -> bool:
        """Whether a column of this kind and role may be named."""
        return (self.kinds is None or kind in self.kinds) and (self.roles is None or role in self.roles)


@dataclass(frozen=True)
class AuxiliaryFile:
    """Marks a parameter that names a table of its own: a path, or what the form of a page offers."""

    type: ClassVar[str] = "file"


@dataclass(frozen=True)
class PopulationFile(AuxiliaryFile):
    """One that holds the people from whom the data were drawn."""

    type: ClassVar[str] = "population"


@dataclass(frozen=True)
class Unit:
    """What a number counts, in words, printed beside the field."""

    name: str


@dataclass(frozen=True)
class Transition:
    """Marks a parameter that holds a matrix of probabilities between the categories of a column.

    The names are those of the method's other parameters; a page can draw the matrix as a table from them.
    `derived` is a switch that makes the matrix in use from this one and the data.
    """

    column: str
    categories: str
    keep: str
    groups: str
    strata: str
    derived: str


@dataclass(frozen=True)
class LogScale:
    """Marks a positive number that is chosen on a logarithmic scale between two powers of ten."""

    low: int
    high: int
