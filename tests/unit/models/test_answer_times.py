"""When an answer appears does not carry how long it took, and so not how many rows were selected."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from scipy.stats import ks_2samp

from stewardapp.models import Query

START = datetime(2026, 1, 1, tzinfo=UTC)
QUESTIONS = 400
ALPHA = 1e-9
FEW, MANY = (0.8, 0.2), (2.4, 0.5)
"""Seconds in the mean and their spread: of a question that selects few rows, and of one that selects many."""
CLOCKS = {"as it is": (10, 5), "ticks alone": (0, 5), "neither": (0, 0)}


def shown_after(seconds: np.ndarray, seed: int) -> np.ndarray:
    """How long after asking each answer appears; people ask at any time."""
    asked = np.random.default_rng(seed).uniform(0, 3600, len(seconds))
    found = []
    for moment, took in zip(asked, np.maximum(seconds, 0.1), strict=True):
        queued = START + timedelta(seconds=moment)
        query = Query(queued_at=queued, finished_at=queued + timedelta(seconds=took))
        assert query.shown_at is not None
        assert query.shown_at >= query.finished_at
        found.append((query.shown_at - queued).total_seconds())
    return np.array(found)


@pytest.mark.parametrize("clock", CLOCKS)
def test_times_tell_the_selection_only_without_the_clock(clock: str, settings: Any) -> None:
    """The controls without the wait, or without ticks either, are told apart."""
    settings.STEWARD_ANSWER_WAIT, settings.STEWARD_ANSWER_TICK = CLOCKS[clock]
    draw = np.random.default_rng(1)
    few, many = (draw.normal(*durations, QUESTIONS) for durations in (FEW, MANY))
    told_apart = ks_2samp(shown_after(few, 2), shown_after(many, 3)).pvalue < ALPHA
    assert told_apart is np.bool_(clock != "as it is")
    if clock == "as it is":  # asked at the same moments they appear at the same moments
        assert (shown_after(few, 4) == shown_after(many, 4)).all()


@pytest.mark.parametrize(
    ("took", "waited"), [(0.0, 10), (9.9, 10), (10.0, 10), (10.1, 20), (20.0, 20), (39.0, 40), (41.0, 80)]
)
def test_a_slow_machine_doubles_the_wait(took: float, waited: float, settings: Any) -> None:
    settings.STEWARD_ANSWER_WAIT, settings.STEWARD_ANSWER_TICK = 10, 5
    query = Query(queued_at=START, finished_at=START + timedelta(seconds=took))
    assert query.waited == timedelta(seconds=waited)
    assert query.shown_at == START + timedelta(seconds=waited)


def test_a_repeated_answer_takes_as_long_as_the_first(settings: Any) -> None:
    settings.STEWARD_ANSWER_WAIT, settings.STEWARD_ANSWER_TICK = 10, 5
    first = Query(queued_at=START, finished_at=START + timedelta(seconds=33))
    later = START + timedelta(hours=1)
    again = Query(queued_at=later, finished_at=later + timedelta(seconds=1), repeats=first)
    assert again.shown_at == later + timedelta(seconds=40)
