"""The words for columns, and the annotations of parameters that forms and validation read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What the values of a column are."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    CATEGORICAL = "categorical"
    ORDINAL = "ordinal"
    DATE = "date"
    BOOLEAN = "boolean"
    TEXT = "text"


NUMERIC = frozenset({Kind.INTEGER, Kind.DECIMAL})


class Role(StrEnum):
    """What a column is to the release."""

    DIRECT_IDENTIFIER = "direct-identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    OTHER = "other"
    DROPPED = "dropped"
    WEIGHT = "weight"
    PERSON_KEY = "person-key"
    HOUSEHOLD_KEY = "household-key"
    CONSENT = "consent"


RELEASED = frozenset({Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER})
"""Roles whose columns leave; a weight leaves only when the steward says so."""


GROUPING = RELEASED | {Role.HOUSEHOLD_KEY, Role.PERSON_KEY}
"""Roles whose columns tell which rows belong together, whether they leave or not."""


@dataclass(frozen=True, init=False)
class Columns:
    """Marks a parameter that names one column (or, with `many`, a tuple of columns).

    `kind` and `role` say which columns are acceptable; None means any that the release may hold.
    """

    kinds: frozenset[Kind] | None
    roles: frozenset[Role] | None
    many: bool

    def __init__(
        self,
        kind: Kind | frozenset[Kind] | None = None,
        role: Role | frozenset[Role] | None = None,
        many: bool = False,
    ) -> None:
        object.__setattr__(self, "kinds", frozenset({kind}) if isinstance(kind, Kind) else kind)
        object.__setattr__(self, "roles", frozenset({role}) if isinstance(role, Role) else role)
        object.__setattr__(self, "many", many)

    def accepts(self, kind: Kind, role: Role) -> bool:
        """Whether a column of this kind and role may be named."""
        return (self.kinds is None or kind in self.kinds) and (self.roles is None or role in self.roles)


@dataclass(frozen=True)
class PopulationFile:
    """Marks a parameter that names a population file: a path, or what the form of a page offers."""


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
