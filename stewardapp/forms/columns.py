"""Roles as a person chose them, one select per column."""

from collections.abc import Iterable, Mapping

from stewardapp.access.verdict import Invalid
from stewardapp.domain.unknown import Unknown
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


def unknown_columns(
    posted: Mapping[str, str], columns: Iterable[Column]
) -> tuple[dict[str, Unknown | None], list[str]]:
    """Why others could not know kept columns, where that is said anew, or None; and what is missing.

    A column that is kept no longer forgets it.
    """
    said: dict[str, Unknown | None] = {}
    errors: list[str] = []
    for column in columns:
        stored = Unknown(column.unknown_because, column.unknown_words) if column.unknown_because else None
        try:
            now = _unknown(posted, column, stored)
        except Invalid as refusal:
            errors.append(f"{column.name}: {refusal.reason}")
            continue
        if now != stored:
            said[column.name] = now
    return said, errors


def _unknown(posted: Mapping[str, str], column: Column, stored: Unknown | None) -> Unknown | None:
    at = column.position
    if posted.get(f"role-{at}", column.role) != Role.OTHER:
        return None
    known = posted.get(f"known-{at}")
    if known is None:
        return stored
    if known != "no":
        return None
    return Unknown.of(posted.get(f"because-{at}", ""), posted.get(f"words-{at}", ""))
