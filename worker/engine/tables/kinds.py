"""The words for columns: what their values are, and what they are to the release."""

from __future__ import annotations

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
