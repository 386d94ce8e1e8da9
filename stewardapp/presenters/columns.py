"""Columns as the tag page prints them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from stewardapp.forms.columns import ROLE_LABELS, UNTAGGED
from stewardapp.models import Column, Hierarchy
from stewardapp.presenters.hierarchies import levels_of
from stewardapp.presenters.numbers import NO_BREAK, thousands
from worker.engine.tables.kinds import Kind, Role

TONES = {Role.DIRECT_IDENTIFIER: "danger", Role.QUASI_IDENTIFIER: "warn"}


@dataclass(frozen=True)
class ColumnLine:
    """One row of the table of columns."""

    id: Any
    position: int
    name: str
    kind: str
    kind_guessed: bool
    distinct_words: str
    missing: int
    shape: list[int]
    shape_label: str
    role: str
    role_label: str
    suggested_role: str
    suggested_label: str
    reason: str
    tone: str
    hierarchy: Hierarchy | None
    levels: int
    can_propose: bool
    granted: str
    known: bool
    because: str
    words: str
    randomized: bool


TYPED = ("role", "granted", "known", "because", "words")
"""What a person says of a column in its row."""


def column_line(column: Column, typed: Mapping[str, str] | None = None) -> ColumnLine:
    """A column; `typed` is what somebody chose but could not yet be stored."""
    said = _stored(column) | dict(typed or {})
    shown = said["role"] if said["role"] in ROLE_LABELS else column.role
    return ColumnLine(
        id=column.id,
        position=column.position,
        name=column.name,
        kind=column.kind,
        kind_guessed=not column.kind_confirmed,
        distinct_words=_distinct(column),
        missing=column.missing,
        shape=list(column.profile.get("shape", ())),
        shape_label=f"Distribution of {column.name}",
        role=shown,
        role_label="Untagged: dropped" if shown == UNTAGGED else ROLE_LABELS[shown],
        suggested_role=column.suggested_role,
        suggested_label=ROLE_LABELS.get(column.suggested_role, "").lower(),
        reason=column.reason,
        tone=TONES.get(column.suggested_role, ""),  # type: ignore[call-overload]
        hierarchy=column.hierarchy,
        levels=levels_of(column) if column.hierarchy else 0,
        can_propose=shown == Role.QUASI_IDENTIFIER,
        granted=said["granted"],
        known=said["known"] != "no",
        because=said["because"],
        words=said["words"],
        randomized=bool(column.randomized),
    )


def _stored(column: Column) -> dict[str, str]:
    return {
        "role": column.role,
        "granted": ", ".join(column.settings.get("granted", ())),
        "known": "no" if column.unknown_because else "yes",
        "because": column.unknown_because,
        "words": column.unknown_words,
    }


def _distinct(column: Column) -> str:
    """The count; of very many values only an estimate is kept, and it says so."""
    about = "" if column.profile.get("distinct_is_exact", True) else f"about{NO_BREAK}"
    return about + thousands(column.distinct)


def column_lines(columns: Iterable[Column]) -> list[ColumnLine]:
    """All columns of a version, in the order of the file."""
    return [column_line(column) for column in columns]


def asks_for_kind(line: ColumnLine) -> bool:
    """Whether the kind of a column that plays a part was guessed; text is what every other one is."""
    return line.kind_guessed and line.kind != Kind.TEXT and line.role not in (UNTAGGED, Role.DROPPED)


def untagged(lines: Iterable[ColumnLine]) -> int:
    """How many columns will be dropped because nobody tagged them."""
    return sum(line.role == UNTAGGED for line in lines)
