"""The states of a survey and how it moves between them, as data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class SurveyState(StrEnum):
    """Where a survey stands."""

    DRAFT = "draft"
    COLLECTING = "collecting"
    PAUSED = "paused"
    CLOSED = "closed"


class SurveyMove(StrEnum):
    """What a steward can do with a survey as a whole."""

    OPEN = "open"
    PAUSE = "pause"
    RESUME = "resume"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class SurveyFacts:
    """One survey."""

    state: SurveyState
    questions: int = 0
    answers: int = 0
    opens_on: date | None = None
    closes_on: date | None = None
    invited: bool = False
    erased: bool = False


SOURCES: dict[SurveyMove, frozenset[SurveyState]] = {
    SurveyMove.OPEN: frozenset({SurveyState.DRAFT}),
    SurveyMove.PAUSE: frozenset({SurveyState.COLLECTING}),
    SurveyMove.RESUME: frozenset({SurveyState.PAUSED}),
    SurveyMove.CLOSE: frozenset({SurveyState.COLLECTING, SurveyState.PAUSED}),
}
TARGETS: dict[SurveyMove, SurveyState] = {
    SurveyMove.OPEN: SurveyState.COLLECTING,
    SurveyMove.PAUSE: SurveyState.PAUSED,
    SurveyMove.RESUME: SurveyState.COLLECTING,
    SurveyMove.CLOSE: SurveyState.CLOSED,
}
