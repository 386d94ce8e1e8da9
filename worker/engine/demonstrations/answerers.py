"""Who answers the attacker: exactly, with bounded noise, with noise nobody counts, or as our desk does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from worker.engine.contracts.privacy import MICRO, Spend
from worker.engine.demonstrations.desk import Desk
from worker.engine.demonstrations.people import Bits, People
from worker.engine.demonstrations.settings import AttackSettings
from worker.engine.dp.accuracy import laplace_noise
from worker.engine.dp.answering import Samplers

Answers = np.ndarray[Any, np.dtype[np.float64]]


class Answerer(ABC):
    """Answers to counts of the ill. A refused question has no answer: NaN."""

    name: str
    largest_error: int | None = None
    """What every error is known to stay within, if anything is."""

    @abstractmethod
    def counts(self, people: People, groups: Bits) -> Answers:
        """How many are ill in each group, a row per group."""

    @abstractmethod
    def repeated(self, people: People, times: int) -> Answers:
        """The question about each person so many times, a row per time."""


class Noisy(Answerer):
    """Exact counts and something added afresh each time."""

    @abstractmethod
    def noise(self, exact: Answers) -> Answers:
        """What is added."""

    def counts(self, people: People, groups: Bits) -> Answers:
        exact = (groups @ people.ill.astype(np.int64)).astype(float)
        return np.asarray(exact + self.noise(exact))

    def repeated(self, people: People, times: int) -> Answers:
        exact = np.tile(people.ill.astype(float), (times, 1))
        return np.asarray(exact + self.noise(exact))


class Exact(Noisy):
    """The truth."""

    name = "Exact answers"
    largest_error = 0

    def noise(self, exact: Answers) -> Answers:
        return np.zeros_like(exact)


class Bounded(Noisy):
    """Whole numbers within a bound, all alike."""

    name = "Bounded noise"

    def __init__(self, bound: int) -> None:
        self.largest_error = bound
        self._choices = np.arange(-bound, bound + 1, dtype=float)

    def noise(self, exact: Answers) -> Answers:
        return np.asarray(np.random.default_rng().choice(self._choices, exact.shape))


class Uncounted(Noisy):
    """The noise of our desk for one question, drawn anew for each; nobody adds up what is given away."""

    name = "Our noise, no budget"

    def __init__(self, settings: AttackSettings) -> None:
        self._noise = laplace_noise(1, settings.price)

    def noise(self, exact: Answers) -> Answers:
        zeros = np.zeros(exact.size, np.int64)
        return np.asarray(Samplers().noisy(zeros, self._noise), float).reshape(exact.shape)


@dataclass
class OurDesk(Answerer):
    """Our desk. The attacker knows the budget and divides it evenly among the questions."""

    settings: AttackSettings
    open: Callable[..., Desk] = Desk
    name = "Our desk"

    def _desk(self, people: People) -> Desk:
        return self.open(people.declared, Spend.of(self.settings.budget))

    def counts(self, people: People, groups: Bits) -> Answers:
        desk = self._desk(people)
        price = Spend(max(1, desk.budget.epsilon_micro // max(len(groups), 1))).epsilon
        found = [self._one(desk, people, np.flatnonzero(group), price) for group in groups]
        return np.array(found, float)

    @staticmethod
    def _one(desk: Desk, people: People, members: Any, price: Any) -> float:
        answer = desk.ask(people.about(members.tolist(), price), people.counted(members))
        return np.nan if answer is None else float(answer[0])

    def repeated(self, people: People, times: int) -> Answers:
        desk, question = self._desk(people), people.about_each(self.settings.price)
        return _rows([desk.ask(question, people.counted_each()) for _ in range(times)], len(people))


class VariedAtOurDesk(OurDesk):
    """The same, but the attacker changes a word each time, so that nothing can come from memory."""

    name = "Our desk, question varied"

    def repeated(self, people: People, times: int) -> Answers:
        desk, rows, answers = self._desk(people), people.counted_each(), []
        for time in range(times):
            price = Spend(max(1, round(self.settings.price * MICRO) - time)).epsilon
            answers.append(desk.ask(people.about_each(price), rows))
            if answers[-1] is None:
                break  # nothing is left for this question, and the others cost as much
        return _rows(answers, len(people))


def _rows(answers: Sequence[Any], width: int) -> Answers:
    nothing = np.full(width, np.nan)
    return np.array([nothing if one is None else one for one in answers], float).reshape(-1, width)
