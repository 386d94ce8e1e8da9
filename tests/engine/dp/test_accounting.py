"""What spends add up to, against exact enumeration and known figures."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.engine.contracts.privacy import FEMTO, MICRO, Spend
from worker.engine.dp import accounting

SLACK = 10**9  # δ = 1e-6
TIGHTER = (accounting.advanced, accounting.zero_concentrated, accounting.loss_distribution)
spends = st.lists(st.builds(Spend, st.integers(1, 3 * MICRO), st.integers(0, 10**6)), max_size=12)


def test_the_sum_is_exact() -> None:
    assert accounting.basic([Spend.of(0.1)] * 10) == Spend(MICRO)
    assert accounting.basic([]) == Spend()


def test_known_figures() -> None:
    """A hundred times ε = 0.1 at δ = 1e-6, worked out by hand from the theorems."""
    hundred = [Spend.of(0.1)] * 100
    bias = 100 * 0.1 * math.tanh(0.05)
    expected = bias + math.sqrt(2 * 1.0 * math.log(1e6))
    assert accounting.advanced(hundred, SLACK).epsilon_micro == pytest.approx(expected * MICRO, abs=2)
    simple = 0.5 + 2 * math.sqrt(0.5 * math.log(1e6))  # the simple way back from ρ = 0.5
    assert accounting.zero_concentrated(hundred, SLACK).epsilon_micro < simple * MICRO
    best = accounting.loss_distribution(hundred, SLACK)
    assert best.epsilon_micro == pytest.approx(worst_case(hundred, 1e-6) * MICRO, rel=1e-5)
    order = [method(hundred, SLACK).epsilon_micro for method in TIGHTER]
    assert order == sorted(order, reverse=True)
    assert order[0] < 10 * MICRO


def worst_case(spends: list[Spend], delta: float) -> float:
    """The least ε of equal randomized responses in a row, by the binomial distribution."""
    n, epsilon = len(spends), float(spends[0].epsilon)
    yes = 1 / (1 + math.exp(-epsilon))
    shares = [(math.comb(n, k) * yes**k * (1 - yes) ** (n - k), (2 * k - n) * epsilon) for k in range(n + 1)]

    def excess(at: float) -> float:
        return math.fsum(share * (1 - math.exp(at - loss)) for share, loss in shares if loss > at)

    low, high = 0.0, n * epsilon
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) <= delta else (middle, high)
    return high


@given(spends)
@settings(deadline=None, max_examples=40)
def test_tighter_is_never_more_than_the_sum_and_never_less_than_the_truth(some: list[Spend]) -> None:
    truth = exact(some[:10], SLACK)
    for method in TIGHTER:
        found = method(some[:10], SLACK)
        assert found.epsilon_micro <= accounting.basic(some[:10]).epsilon_micro
        assert found.epsilon_micro >= truth


def exact(some: list[Spend], slack: int) -> int:
    """The optimum by enumerating every outcome of the worst mechanisms."""
    allowed = (sum(one.delta_femto for one in some) + slack) / FEMTO
    survival = math.prod(1 - one.delta_femto / FEMTO for one in some)
    outcomes = []
    for signs in itertools.product((1, -1), repeat=len(some)):
        loss = sum(sign * one.epsilon_micro for sign, one in zip(signs, some, strict=True))
        share = math.prod(
            1 / (1 + math.exp(-sign * one.epsilon_micro / MICRO))
            for sign, one in zip(signs, some, strict=True)
        )
        outcomes.append((loss, share))

    def excess(at: int) -> float:
        rest: float = math.fsum(
            share * -math.expm1((at - loss) / MICRO) for loss, share in outcomes if loss > at
        )
        return 1 - survival + survival * rest

    low, high = 0, sum(one.epsilon_micro for one in some)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if excess(middle) <= allowed * (1 + 1e-9) else (middle + 1, high)
    return low


def test_few_spends_are_best_added() -> None:
    for method in TIGHTER:
        assert method([Spend.of(3)], SLACK).epsilon_micro <= 3 * MICRO
        assert method([], SLACK) == Spend()


def test_a_thousand_different_spends_in_no_time() -> None:
    many = [Spend(10_000 + number) for number in range(1000)]
    found = accounting.loss_distribution(many, SLACK)
    assert found.epsilon_micro < accounting.zero_concentrated(many, SLACK).epsilon_micro * 1.5
    assert found.delta_femto == SLACK


def test_families() -> None:
    assert accounting.for_group(Spend(MICRO), 4) == Spend(4 * MICRO)
    grown = accounting.for_group(Spend(MICRO, 1000), 2)
    assert grown == Spend(2 * MICRO, math.ceil(2000 * math.e))
    assert accounting.for_group(Spend(10**12, 10**14), 50).delta_femto == FEMTO
