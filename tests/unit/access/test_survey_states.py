"""From where a survey moves, and where to."""

from __future__ import annotations

from stewardapp.access.survey_states import SOURCES, TARGETS, SurveyMove, SurveyState


def test_every_move_leads_somewhere_else() -> None:
    assert set(SOURCES) == set(TARGETS) == set(SurveyMove)
    assert all(TARGETS[move] not in SOURCES[move] for move in SurveyMove)


def test_what_is_closed_stays_closed() -> None:
    assert not any(SurveyState.CLOSED in sources for sources in SOURCES.values())


def test_every_state_is_reached_from_a_draft() -> None:
    reached = {SurveyState.DRAFT}
    for _ in SurveyState:
        reached |= {TARGETS[move] for move, sources in SOURCES.items() if sources & reached}
    assert reached == set(SurveyState)
