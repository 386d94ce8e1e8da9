"""Attacks on one person at a time: the same question again and again, and two questions a person apart."""

from __future__ import annotations

import numpy as np

from worker.engine.demonstrations.answerers import Answerer
from worker.engine.demonstrations.people import Bits, People


def averaging(people: People, answerer: Answerer, times: int) -> Bits:
    """Ask about each so often, and take the mean: noise that is drawn anew cancels out."""
    answers = answerer.repeated(people, times)
    kept = answers[~np.isnan(answers).any(axis=1)]
    return np.asarray(kept.mean(axis=0) >= 0.5) if len(kept) else np.zeros(len(people), bool)


def differencing(people: People, answerer: Answerer, targets: int) -> Bits:
    """The count of all less the count of all but one, for the first so many people; their bits only."""
    groups = np.ones((targets + 1, len(people)), bool)
    groups[np.arange(1, targets + 1), np.arange(targets)] = False
    answers = np.nan_to_num(answerer.counts(people, groups))
    return np.asarray(answers[0] - answers[1:] >= 0.5)
