"""What a respondent's browser and the server agree on: whole-number probabilities and their fingerprint.

The browser draws a word uniformly below the total of a question's weights and reports what `reported` says;
only the code that was reported leaves the device. Nothing here or on the server sees the true answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from decimal import Decimal

from worker.engine.randomization.response import Design, of_epsilon, of_keep

PROTOCOL = "k-rr/1"
MOST_TOTAL = 1 << 53
"""Below this a browser's numbers are exact."""


def design(categories: int, epsilon: Decimal | None, keep: Decimal | None) -> Design:
    """The weights of one question, by ε or by the probability of the true answer."""
    if (epsilon is None) == (keep is None):
        raise ValueError("Give either ε or a keep probability.")
    made = of_keep(keep, categories) if keep is not None else of_epsilon(epsilon or Decimal(1), categories)
    if made.true <= made.other or made.other < 1:
        raise ValueError("The true answer must be likelier than any other one, and never certain.")
    if made.total >= MOST_TOTAL:
        raise ValueError("Too many digits for exact probabilities; use fewer.")
    return made


def reported(design: Design, truth: int, word: int) -> int:
    """The answer that a word below `design.total` turns the true one into."""
    if word < design.true:
        return truth
    place = (word - design.true) // design.other
    return place if place < truth else place + 1


def fingerprint(survey: str, designs: Iterable[Design]) -> str:
    """The hash by which both sides know that they mean the same probabilities."""
    lines = (f"{one.true}/{one.other}/{one.categories}" for one in designs)
    return hashlib.sha256("\n".join((PROTOCOL, survey, *lines)).encode()).hexdigest()
