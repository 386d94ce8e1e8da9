"""Roles as a person chose them, one select per column."""

from collections.abc import Iterable, Mapping

from stewardapp.models import Column
from worker.engine.tables.kinds import Role

UNTAGGED = ""
ROLE_LABELS: dict[str, str] = {
    UNTAGGED: "– untagged –",
    Role.DIRECT_IDENTIFIER: "Direct identifier",
    Role.QUASI_IDENTIFIER: "Quasi-identifier",
    Role.SENSITIVE: "Sensitive",
    Role.OTHER: "Other (kept)",
    Role.DROPPED: "Dropped",
    Role.WEIGHT: "Weight",
    Role.PERSON_KEY: "Person key",
    Role.HOUSEHOLD_KEY: "Household key",
    Role.CONSENT: "Consent",
}


def chosen_roles(posted: Mapping[str, str], columns: Iterable[Column]) -> tuple[dict[str, str], list[str]]:
    """The roles that differ from what is stored, by column name, and sentences about what cannot be read."""
    roles: dict[str, str] = {}
    errors: list[str] = []
    for column in columns:
        role = posted.get(f"role-{column.position}", column.role)
        if role not in ROLE_LABELS:
            errors.append(f"Column {column.position + 1}: choose one of the listed roles.")
        elif role != column.role:
            roles[column.name] = role
    return roles, errors


def consent_words(
    posted: Mapping[str, str], columns: Iterable[Column]
) -> tuple[dict[str, list[str]], list[str]]:
    """Which values mean yes in the column of consent, when that is said anew; and what is missing."""
    granted: dict[str, list[str]] = {}
    errors: list[str] = []
    for column in columns:
        if posted.get(f"role-{column.position}", column.role) != Role.CONSENT:
            continue
        stored = list(column.settings.get("granted", ()))
        text = posted.get(f"granted-{column.position}")
        words = stored if text is None else [word.strip() for word in text.split(",") if word.strip()]
        if not words:
            errors.append(f"{column.name}: write which of its values mean that consent was given.")
        elif words != stored:
            granted[column.name] = words
    return granted, errors
