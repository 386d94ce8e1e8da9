"""What theory says about how many bits can, or cannot, be learnt. Shares of all bits, from 0 to 1."""

from __future__ import annotations

import math


def allowed(epsilon: float) -> float:
    """How often a bit that is as likely as not is told right at most, by counts of those with one answer."""
    return 1 / (1 + math.exp(-epsilon))


def every_question(people: int, bound: int) -> float:
    """Dinur & Nissim: with all answers within E, people that fit them differ in at most 4E bits."""
    return max(0.0, 1 - 4 * bound / people)


def random_questions(people: int, bound: int, questions: int, chance: float = 0.05) -> float:
    """The argument of Dinur & Nissim for random groups, counted out instead of estimated.

    Somebody who is wrong in k bits passes one question with all answers within E only if a sum of k coins
    falls into a window of 4E + 1 numbers. All wrong candidates with at least k wrong bits together pass all
    questions with at most the given chance for the k that is found: fewer bits are wrong.
    """
    total, wrong = 0.0, people + 1
    for k in range(people, 0, -1):
        window = min(1.0, _window(k, 4 * bound + 1))
        passing = math.lgamma(people + 1) - math.lgamma(k + 1) - math.lgamma(people - k + 1)
        passing += questions * math.log(window)
        total += math.exp(min(passing, 0.0))
        if total > chance:
            break
        wrong = k
    return max(0.0, 1 - (wrong - 1) / people)


def _window(coins: int, width: int) -> float:
    """The chance that so many coins show a number of heads within the likeliest window of this width."""
    if width > coins:
        return 1.0
    first = (coins - width + 1) // 2
    return float(sum(math.comb(coins, heads) for heads in range(first, first + width)) / 2**coins)


def difference(bound: int) -> float:
    """How often two answers with bounded noise of their own tell one person's bit: the noises' difference
    does not point the wrong way.
    """
    return (1 + 1 / (2 * bound + 1)) / 2
