"""What ε promises, in sentences: the one place that words it.

Neighbours differ by all rows of one unit, added or removed. Three statements follow, and each belongs to its
own question: the probability of anything that can follow and the odds that somebody is in the data change by
at most e^ε; the odds of a belief about an attribute of somebody in the data by at most e^(2ε), because two
rows differ. A randomized answer is one cell that is exchanged: its odds change by at most e^ε.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, Context

from worker.engine.contracts.method import Forecast, Guarantee
from worker.engine.contracts.privacy import FEMTO, MICRO, Protected, Spend
from worker.engine.wording import thousands

LARGEST = 700.0  # beyond, a float has no room
MOST_PRINTED = 1000
MOST_WHOLE = 1e15
UPWARDS = Context(prec=3, rounding=ROUND_CEILING)
HAIR = 1e-12  # a factor of 3 is no more than 3 because a logarithm was rounded
SUBJECT = {Protected.PERSON: "one person", Protected.ROW: "one row"}
ROWS = (
    "Counted are rows: somebody with several rows is protected less, and nothing here adds up to a promise "
    "to a person."
)
EVERYBODY = (
    "What is learnt of everybody may move beliefs further; that would be learnt without this person too."
)


GENERAL = (
    "From these neighbours three statements follow, each for its own question: the probability of anything "
    "that can follow, and the odds that somebody is in the data, change by at most e^ε; the odds of a belief "
    "about an attribute of somebody in the data by at most e^(2ε), because two rows that differ are two "
    "steps apart."
)
LOCAL = "The odds of the original answer itself change by at most e^ε for whoever sees the released one."
GUARANTEED: Mapping[object, str] = {
    Guarantee.DIFFERENTIAL_PRIVACY: "Neighbours are data sets with and without one person – one row, where "
    f"no column tells persons apart. {GENERAL}",
    Guarantee.LOCAL_DIFFERENTIAL_PRIVACY: LOCAL,
}
"""What a kind of guarantee means, beside the description of each method that gives it."""
LOCAL_EPSILON = (
    "The local ε is the logarithm of the largest ratio between two rows of one column. Smaller protects "
    f"more. {LOCAL}"
)
ONE_CELL = (
    f"Local model: each cell was changed at random before anybody sees it, and this number is its ε. {LOCAL} "
    "Releases that share their draws count once, others add up. The privacy budget is for answers computed "
    "from unchanged data; nothing is taken from it. Columns that were not changed are not protected by it."
)
GUESSED = (
    "With a budget of ε in all, nobody who counts those with one answer, as these attacks do, is right about "
    "a bit that is as likely as not more often than e^ε / (1 + e^ε): a bit changes such a count by one, as "
    "one person's being there does. Questions that count both answers are two steps apart: "
    "e^(2ε) / (1 + e^(2ε))."
)


def presence_factor(epsilon_micro: int) -> float:
    """e^ε: of the odds that somebody is in the data, and of the probability of anything that can follow."""
    return math.exp(min(epsilon_micro / MICRO, LARGEST))


def attribute_factor(epsilon_micro: int) -> float:
    """e^(2ε): of the odds of a belief about an attribute of somebody in the data."""
    return math.exp(min(2 * epsilon_micro / MICRO, LARGEST))


def belief_after(before: float, factor: float) -> float:
    """The most somebody can believe whose odds changed by this factor."""
    odds = before * factor
    return odds / (odds + 1 - before)


def factor_words(factor: float) -> str:
    """As every page and codebook prints a factor: what holds at most is rounded up, never down."""
    if factor >= MOST_PRINTED:
        return "more than a thousand"
    return f"{UPWARDS.create_decimal_from_float(factor * (1 - HAIR)).normalize():f}"


def bound_words(factor: float) -> str:
    """The same where it says how many times something is as likely at most, however large it is."""
    if factor < MOST_PRINTED:
        return factor_words(factor)
    return thousands(math.ceil(factor)) if factor < MOST_WHOLE else f"10^{math.ceil(math.log10(factor))}"


def promised(spend: Spend, unit: Protected) -> tuple[str, ...]:
    """What results of this price promise together, each statement in its place."""
    who = SUBJECT[unit]
    presence, attribute = presence_factor(spend.epsilon_micro), attribute_factor(spend.epsilon_micro)
    said = [
        f"Whether {who} is in the data or not changes the probability of anything that can follow from what "
        f"is published at most by the factor {factor_words(presence)} (e^ε), and so the odds that it is "
        "there, whatever else somebody knows.",
        f"The odds of a belief about an attribute of {who} in the data change at most by the factor "
        f"{factor_words(attribute)} (e^(2ε)): two data sets in which it has different values are two steps "
        f"apart. {EVERYBODY}",
    ]
    if spend.delta_femto:
        said.append(
            f"Exceptions to this have at most the probability {spend.delta_femto / FEMTO:.3g} (δ), for an "
            "attribute (1 + e^ε) times that."
        )
    return (*said, ROWS) if unit is Protected.ROW else tuple(said)


def in_short(spend: Spend) -> str:
    """The two factors beside an ε, for a sentence that a reviewer reads."""
    presence, attribute = presence_factor(spend.epsilon_micro), attribute_factor(spend.epsilon_micro)
    return (
        f"odds that somebody is in the data × {factor_words(presence)} at most, "
        f"of an attribute × {factor_words(attribute)}"
    )


def foreseen(spend: Spend) -> tuple[Forecast, ...]:
    """The same before anything is spent; whether persons or rows are protected depends on the data's keys."""
    presence, attribute = presence_factor(spend.epsilon_micro), attribute_factor(spend.epsilon_micro)
    note = "Where no column tells persons apart it holds for rows."
    return (
        Forecast(
            "What can follow for somebody",
            f"probability × {factor_words(presence)}",
            "Whether this person is in the data or not changes the probability of anything that can follow "
            f"at most by this factor, e^ε. {note}",
        ),
        Forecast(
            "Whether somebody is in the data",
            f"odds × {factor_words(presence)}",
            "The odds that somebody is there change at most by this factor, e^ε.",
        ),
        Forecast(
            "What somebody is like",
            f"odds × {factor_words(attribute)}",
            f"The odds of a belief about an attribute change at most by this factor, e^(2ε). {EVERYBODY}",
        ),
    )


def randomized(epsilon: float) -> str:
    """What one randomized answer gives away of the answer itself."""
    factor = factor_words(math.exp(min(epsilon, LARGEST)))
    return f"the odds of the answer itself change at most by the factor {factor} (e^ε)"


def as_likely(factor: float) -> str:
    """The same of the matrix that changes categories."""
    return (
        f"No released category is more than {bound_words(factor)} times as likely for one original category "
        "as for another."
    )


def for_respondents(epsilon: float) -> str:
    """The same for somebody who is asked, about one answer."""
    factor = bound_words(math.exp(min(epsilon, LARGEST)))
    return f"No answer is more than {factor} times as likely for you as for somebody whose truth is another."


def for_all_answers(epsilon: float) -> str:
    """The same about all answers of one person: the ε add up."""
    factor = bound_words(math.exp(min(epsilon, LARGEST)))
    return f"at most {factor} times (ε = {thousands(epsilon)} in all)"
