"""Each sentence about ε is compared with what a worked mechanism really does to beliefs, by enumeration.

A table of two cells, ill and well, gets discrete geometric noise in each cell for one ε; every pair of
published counts is enumerated with its exact probability. The numbers in the sentences are the greatest
change over all of them, no less and no more.
"""

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import pytest

from stewardapp.presenters.budgets import meaning
from worker.engine import catalogue
from worker.engine.contracts.method import Guarantee
from worker.engine.contracts.privacy import Protected, Spend
from worker.engine.demonstrations.theory import allowed
from worker.engine.dp import promises
from worker.engine.methods.randomized_response import RandomizedResponse

WIDE = 12
Table = tuple[int, int]
OTHERS: Table = (3, 4)
ALL = list(itertools.product(range(-WIDE, WIDE + 8), repeat=2))


def likelihood(seen: Table, true: Table, ratio: Fraction) -> Fraction:
    """Of two published counts, where noise k has the probability (1 − r)/(1 + r)·r^|k|."""
    found = Fraction(1)
    for published, count in zip(seen, true, strict=True):
        found *= (1 - ratio) / (1 + ratio) * ratio ** abs(published - count)
    return found


def worst(one: Table, other: Table, ratio: Fraction) -> Fraction:
    """By how much the odds between two data sets change at most, over everything that can be published."""
    return max(likelihood(seen, one, ratio) / likelihood(seen, other, ratio) for seen in ALL)


def added(ill: int, well: int) -> Table:
    return OTHERS[0] + ill, OTHERS[1] + well


ILL, WELL, ABSENT = added(1, 0), added(0, 1), added(0, 0)
RATIOS = [Fraction(1, 2), Fraction(1, 3), Fraction(9, 10)]


def micro(ratio: Fraction) -> int:
    """The ε for which the noise has this ratio: r = e^(−ε)."""
    return round(-math.log(ratio) * 1_000_000)


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_odds_that_somebody_is_there(ratio: Fraction) -> None:
    measured = max(worst(ILL, ABSENT, ratio), worst(ABSENT, ILL, ratio))
    assert float(measured) == pytest.approx(promises.presence_factor(micro(ratio)), rel=1e-5)


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_odds_of_an_attribute(ratio: Fraction) -> None:
    """Two rows apart: the factor that was printed once, e^ε, is too small."""
    measured = worst(ILL, WELL, ratio)
    assert float(measured) == pytest.approx(promises.attribute_factor(micro(ratio)), rel=1e-5)
    assert float(measured) > 1.1 * promises.presence_factor(micro(ratio))


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_probability_of_anything_that_can_follow(ratio: Fraction) -> None:
    """Of every event: here those that a threshold on one count decides, the most telling ones."""
    for bound in range(-WIDE, WIDE):
        events = [
            sum(likelihood(seen, true, ratio) for seen in ALL if seen[0] >= bound) for true in (ILL, ABSENT)
        ]
        assert max(events[0] / events[1], events[1] / events[0]) <= 1 / ratio


def test_the_belief_on_the_page_of_a_budget() -> None:
    """One in a hundred, at ε = 2: a third afterwards, where 6.9 % was printed once."""
    ratio = Fraction(1353352832, 10**10)  # e^-2
    prior = Fraction(1, 100)
    odds = prior / (1 - prior) * worst(ILL, WELL, ratio)
    after = float(odds / (1 + odds))
    assert after == pytest.approx(0.355, abs=0.001)
    said = " ".join(meaning(Spend.of(2))).replace("\N{NO-BREAK SPACE}", " ")
    assert "1 % likely can think it 35.5 % likely afterwards" in said
    assert "being in the data, 6.9 % likely" in said
    assert "factor 7.39 (e^ε)" in said
    assert "factor 54.6 (e^(2ε))" in said


@pytest.mark.parametrize("categories", [2, 5])
def test_a_randomized_answer(categories: int) -> None:
    """One cell exchanged, not one row beside another: e^ε for the answer itself."""
    epsilon = 1.0
    keep = math.exp(epsilon) / (math.exp(epsilon) + categories - 1)
    other = (1 - keep) / (categories - 1)
    assert keep / other == pytest.approx(math.e)
    assert "the factor 2.72 (e^ε)" in promises.randomized(epsilon)
    words = " ".join(preset.effect for preset in RandomizedResponse.presets())
    assert f"{math.exp(0.5):.2f}" in words
    assert "odds of the answer itself" in words


@pytest.mark.parametrize("ratio", RATIOS)
def test_how_often_a_bit_is_told_right_by_counts_of_one_answer(ratio: Fraction) -> None:
    """The attacks count the ill: a bit changes one count by one. Both counts together tell more."""
    epsilon = -math.log(ratio)
    pairs = [
        (likelihood((seen, 0), ILL, ratio), likelihood((seen, 0), (WELL[0], ILL[1]), ratio))
        for seen in range(-60, 70)
    ]
    one_count = sum(map(max, pairs)) / sum(map(sum, pairs))
    assert float(one_count) <= allowed(epsilon) + 1e-9
    surest = worst(ILL, WELL, ratio)
    assert float(surest / (1 + surest)) == pytest.approx(allowed(2 * epsilon), rel=1e-5)
    assert float(surest / (1 + surest)) > allowed(epsilon)


@pytest.mark.parametrize("epsilon", [0.001, 0.1, 0.7, 1.0, 1.1, math.log(3), 3.0, 6.9])
def test_a_factor_that_holds_at_most_is_never_rounded_down(epsilon: float) -> None:
    printed = promises.factor_words(math.exp(epsilon))
    assert math.exp(epsilon) <= float(printed) * (1 + 1e-11)
    assert float(printed) < 1.01 * math.exp(epsilon)


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [
        (math.log(3), "more than 3 times"),
        (1.1, "more than 3.01 times"),
        (10.0, "more than 22\u202f027 times"),
        (60.0, "more than 10^27 times"),
    ],
)
def test_what_is_promised_for_a_randomized_answer(epsilon: float, words: str) -> None:
    assert words in promises.for_respondents(epsilon)
    assert words in promises.as_likely(math.exp(epsilon))
    assert words.removeprefix("more than ") in promises.for_all_answers(epsilon)


def test_each_guarantee_says_what_its_neighbours_are() -> None:
    for method in catalogue.methods().values():
        assert (method.guarantee in promises.GUARANTEED) == ("privacy" in method.guarantee.value)
    central = promises.GUARANTEED[Guarantee.DIFFERENTIAL_PRIVACY]
    assert "with and without one person" in central
    assert "e^(2ε)" in central
    assert "e^(2ε)" not in promises.LOCAL


def test_rows_are_never_promised_to_persons() -> None:
    said = " ".join(promises.promised(Spend.of(1, Decimal("1e-9")), Protected.ROW))
    assert "one person" not in said
    assert "nothing here adds up to a promise to a person" in said
    assert "1e-09 (δ)" in said
    assert promises.factor_words(promises.attribute_factor(10**12)) == "more than a thousand"
