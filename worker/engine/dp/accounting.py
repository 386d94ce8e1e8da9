"""What several spends add up to: the sum that is enforced, and tighter figures to read beside it.

Pure arithmetic on whole units, for the web process as well as the worker. Every figure is rounded up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from worker.engine.contracts.privacy import FEMTO, MICRO, Spend

WORK = 400_000  # additions a loss distribution may take: decides how fine its grid is
LARGEST_ORDER = 10_000.0
FEW = 16  # different ε that are added as they are
Losses = dict[int, float]


def basic(spends: Iterable[Spend]) -> Spend:
    """The sum: what is enforced, because it holds whatever was asked and in whatever order."""
    return sum(spends, Spend())


def advanced(spends: Sequence[Spend], slack_femto: int) -> Spend:
    """Advanced composition for different ε (Kairouz, Oh & Viswanath 2015, theorem 3.5).

    For many small spends ε grows with the square root of their number, at the price of `slack` more δ.
    Never more than the sum, which holds as well.
    """
    plain = basic(spends)
    epsilons = [spend.epsilon_micro / MICRO for spend in spends]
    squares = sum(epsilon * epsilon for epsilon in epsilons)
    bias = sum(epsilon * math.tanh(epsilon / 2) for epsilon in epsilons)
    slack = slack_femto / FEMTO
    terms = [
        math.sqrt(2 * squares * math.log(math.e + math.sqrt(squares) / slack)),
        math.sqrt(2 * squares * math.log(1 / slack)),
    ]
    found = _micro(bias + min(terms))
    if found >= plain.epsilon_micro:
        return plain
    return Spend(found, min(FEMTO, plain.delta_femto + slack_femto))


def zero_concentrated(spends: Sequence[Spend], slack_femto: int) -> Spend:
    """By zCDP (Bun & Steinke 2016): ρ = ε²/2 each, added, and turned back at the best order.

    The way back is that of Canonne, Kamath & Steinke (2020), corollary 13.
    """
    plain = basic(spends)
    rho = sum(Fraction(spend.epsilon_micro, MICRO) ** 2 for spend in spends) / 2
    found = _micro(_epsilon_of(float(rho), slack_femto / FEMTO))
    if found >= plain.epsilon_micro:
        return plain
    return Spend(found, min(FEMTO, plain.delta_femto + slack_femto))


def _epsilon_of(rho: float, delta: float) -> float:
    """The least ε over orders α > 1 that a ρ-zCDP mechanism has at this δ."""
    if rho == 0:
        return 0.0

    def at(log_order: float) -> float:
        order = 1 + math.exp(log_order)
        rest = math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / (order - 1)
        return max(0.0, order * rho + rest)

    return at(_lowest(at, -12.0, math.log(LARGEST_ORDER)))


def _lowest(figure: Callable[[float], float], low: float, high: float) -> float:
    """Where a figure with one valley is lowest, by thirds: any order gives a valid bound."""
    for _ in range(200):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if figure(left) <= figure(right) else (left, high)
    return (low + high) / 2


def loss_distribution(spends: Sequence[Spend], slack_femto: int) -> Spend:
    """The best that holds for all mechanisms with these ε and δ, by their privacy loss distribution.

    The worst mechanism with a given (ε, δ) is known (Kairouz, Oh & Viswanath 2015): its loss is +ε or −ε,
    and infinite with probability δ. The distribution of the sum of losses is computed on a grid.
    """
    plain = basic(spends)
    survival = math.prod(1 - spend.delta_femto / FEMTO for spend in spends)
    losses = _composed(Counter(spend.epsilon_micro for spend in spends if spend.epsilon_micro))
    allowed = min(FEMTO, plain.delta_femto + slack_femto)

    def delta_at(epsilon_micro: int) -> float:
        return 1 - survival + survival * _excess(losses, epsilon_micro)

    found = _least(plain.epsilon_micro, delta_at, allowed / FEMTO)
    return plain if found >= plain.epsilon_micro else Spend(found, allowed)


def _composed(epsilons: Counter[int]) -> Losses:
    """Loss in millionths to its probability; losses are rounded up to a grid, so that the bound holds."""
    if len(epsilons) > FEW:
        epsilons = _rounded(epsilons)
    step = _step(epsilons)
    losses: Losses = {0: 1.0}
    for epsilon, times in epsilons.items():
        merged: Losses = {}
        for loss, share in losses.items():
            for more, likely in _repeated(epsilon, times):
                total = -(-(loss + more) // step) * step
                merged[total] = merged.get(total, 0.0) + share * likely
        losses = merged
    return losses


def _rounded(epsilons: Counter[int]) -> Counter[int]:
    """Every ε raised to three significant digits: a larger one promises less, and equal ones add exactly."""
    found: Counter[int] = Counter()
    for epsilon, times in epsilons.items():
        unit = 10 ** max(0, len(str(epsilon)) - 3)
        found[-(-epsilon // unit) * unit] += times
    return found


def _step(epsilons: Counter[int]) -> int:
    """A grid fine enough to lose little and coarse enough for a page; exact where all ε are the same."""
    if len(epsilons) <= 1:
        return 1
    points = max(500, WORK // epsilons.total())
    return max(1, 2 * sum(epsilon * times for epsilon, times in epsilons.items()) // points)


def _repeated(epsilon: int, times: int) -> Iterator[tuple[int, float]]:
    """The loss of the same mechanism used so often: binomial."""
    yes = -math.log1p(math.exp(-epsilon / MICRO))
    no = yes - epsilon / MICRO
    for up in range(times + 1):
        ways = math.lgamma(times + 1) - math.lgamma(up + 1) - math.lgamma(times - up + 1)
        yield (2 * up - times) * epsilon, math.exp(ways + up * yes + (times - up) * no)


def _excess(losses: Losses, epsilon_micro: int) -> float:
    """The δ that belongs to an ε: how much more likely the worse of two worlds makes what was seen."""
    return math.fsum(
        share * -math.expm1((epsilon_micro - loss) / MICRO)
        for loss, share in losses.items()
        if loss > epsilon_micro
    )


def _least(highest: int, delta_at: Callable[[int], float], allowed: float) -> int:
    """The smallest ε whose δ is allowed; δ falls with ε."""
    low, high = 0, highest
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if delta_at(middle) <= allowed else (middle + 1, high)
    return low


def for_group(spend: Spend, people: int) -> Spend:
    """What holds for several people together, a family for instance: k·ε, and δ·k·e^((k−1)ε)."""
    grown = spend.delta_femto * people * math.exp(min((people - 1) * spend.epsilon_micro / MICRO, 60.0))
    return Spend(spend.epsilon_micro * people, min(FEMTO, math.ceil(grown)))


def _micro(epsilon: float) -> int:
    """Rounded up, with room for what floating point loses."""
    return math.ceil(epsilon * (1 + 1e-12) * MICRO)
