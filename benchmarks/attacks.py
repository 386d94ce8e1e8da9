"""A reconstruction of invented people, beside the bare solver on the same linear program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.table import Result
from benchmarks.timing import processor
from worker.engine.demonstrations.answerers import Bounded
from worker.engine.demonstrations.people import People
from worker.engine.demonstrations.reconstruction import program, random_questions
from worker.engine.demonstrations.settings import AttackSettings

if TYPE_CHECKING:
    from benchmarks.suite import Setting

ROUNDS = 5


def attacks(setting: Setting) -> list[Result]:
    """Inventing, asking, fitting and rounding, as one point of the figure needs it."""
    from scipy.optimize import linprog

    chosen, rounds = AttackSettings(), max(setting.repeat, ROUNDS)
    people, answerer, asked = (
        People.invented(chosen.people),
        Bounded(chosen.bound),
        chosen.people * chosen.questions,
    )
    groups = np.random.default_rng(1).random((asked, len(people))) < 0.5
    same = program(groups, answerer.counts(people, groups))
    reference = processor(rounds, lambda: linprog(**same))
    ours = processor(rounds, lambda: random_questions(people, answerer, asked))
    return [Result(f"reconstruction, {asked} questions", ours, reference, "scipy: linprog alone", 1.5)]
