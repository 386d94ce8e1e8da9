"""Reconstruction: the only people that fit all the answers are the real ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.demonstrations.answerers import Answerer, Answers
from worker.engine.demonstrations.people import Bits, People

Matrix = np.ndarray[Any, np.dtype[np.float64]]


def candidates(people: int) -> Bits:
    """Everything that so many bits can be, a row each; without its first row, every possible question."""
    numbers = np.arange(2**people)
    return np.asarray((numbers[:, None] >> np.arange(people)) & 1, bool)


def every_question(people: People, answerer: Answerer, questions: int) -> Bits:
    """Ask so many of all possible questions, and compare every candidate with the answers."""
    generator, whole = np.random.default_rng(), candidates(len(people))
    groups = generator.permutation(whole[1:])[:questions]
    answers = answerer.counts(people, groups)
    groups, answers = _answered(groups, answers)
    off = np.abs(whole.astype(float) @ groups.T.astype(float) - answers)
    # Of bounded errors the largest tells who fits, of noise without a bound the sum (most likely candidate).
    bounded = answerer.largest_error is not None
    misfit = off.max(axis=1, initial=0.0) if bounded else off.sum(axis=1)
    best = np.flatnonzero(misfit <= misfit.min() + 1e-9)
    return np.asarray(whole[generator.choice(best)])


def random_questions(people: People, answerer: Answerer, questions: int) -> Bits:
    """Ask about random groups, and find by linear programming the people who fit best; then round."""
    groups = np.random.default_rng().random((questions, len(people))) < 0.5
    groups[~groups.any(axis=1), 0] = True  # nobody is no group
    groups, answers = _answered(groups, answerer.counts(people, groups))
    return fitted(groups, answers) > 0.5


def fitted(groups: Bits, answers: Answers) -> Matrix:
    """Shares from 0 to 1 whose sums over the groups differ least from the answers, added up."""
    from scipy.optimize import linprog

    asked, people = groups.shape
    return np.asarray(linprog(**program(groups, answers)).x[:people]) if asked else np.full(people, 0.5)


def program(groups: Bits, answers: Answers) -> dict[str, Any]:
    """The linear program: a share for each person, and how far each answer is off at least."""
    from scipy.sparse import csr_matrix, eye, hstack, vstack

    asked, people = groups.shape
    members, slack = csr_matrix(groups.astype(float)), eye(asked)
    over, under = hstack([members, -slack]), hstack([-members, -slack])
    return {
        "c": np.concatenate([np.zeros(people), np.ones(asked)]),
        "A_ub": vstack([over, under], format="csr"),
        "b_ub": np.concatenate([answers, -answers]),
        "bounds": [(0, 1)] * people + [(0, None)] * asked,
        "method": "highs",
    }


def _answered(groups: Bits, answers: Answers) -> tuple[Bits, Answers]:
    """Without the questions that were refused."""
    kept = ~np.isnan(answers)
    return groups[kept], answers[kept]
