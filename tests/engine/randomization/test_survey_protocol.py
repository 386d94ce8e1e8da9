"""The protocol of surveys: exact probabilities, enumerated; the fingerprint both sides compute."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from decimal import Decimal
from itertools import pairwise

import pytest

from worker.engine.randomization.response import Design
from worker.engine.randomization.survey_protocol import MOST_TOTAL, design, fingerprint, reported


@pytest.mark.parametrize(("categories", "keep"), [(2, "0.75"), (3, "0.5"), (5, "0.31"), (30, "0.999")])
def test_every_word_is_enumerated(categories: int, keep: str) -> None:
    made = design(categories, None, Decimal(keep))
    for truth in range(categories):
        counts = Counter(reported(made, truth, word) for word in range(made.total))
        assert counts == {code: made.true if code == truth else made.other for code in range(categories)}
    assert made.true * 10**4 == made.total * int(Decimal(keep) * 10**4)


@pytest.mark.parametrize(("categories", "epsilon"), [(2, "1.098612"), (4, "1.5"), (30, "0.01"), (2, "20")])
def test_by_epsilon_the_ratio_never_exceeds_what_was_promised(categories: int, epsilon: str) -> None:
    made = design(categories, Decimal(epsilon), None)
    assert float(epsilon) * (1 - 1e-4) <= made.epsilon <= float(epsilon)
    assert made.total < MOST_TOTAL
    for truth in range(categories):
        ends = [made.true - 1, made.true, made.total - 1]
        ends += [made.true + n * made.other + shift for n in range(1, categories - 1) for shift in (-1, 0)]
        found = [reported(made, truth, word) for word in ends]
        assert found[0] == truth
        others = [code for code in range(categories) if code != truth]
        assert found[1] == others[0]
        assert found[2] == others[-1]
        assert found[3:] == [code for pair in pairwise(others) for code in pair]


@pytest.mark.parametrize(
    ("categories", "epsilon", "keep"),
    [
        (2, None, None),
        (2, Decimal(1), Decimal("0.5")),
        (2, None, Decimal("0.5")),
        (3, None, Decimal("0.2")),
        (2, None, Decimal(1)),
        (2, None, Decimal("0.7500000000000000001")),
    ],
)
def test_what_protects_nothing_or_is_not_exact_is_refused(
    categories: int, epsilon: Decimal | None, keep: Decimal | None
) -> None:
    with pytest.raises(ValueError, match=r"\."):
        design(categories, epsilon, keep)


def test_the_fingerprint_is_of_all_probabilities_in_their_order() -> None:
    one, other = Design(3, 1, 2), Design(5, 2, 4)
    assert fingerprint("id", [one, other]) == hashlib.sha256(b"k-rr/1\nid\n3/1/2\n5/2/4").hexdigest()
    different = [fingerprint("id", [other, one]), fingerprint("it", [one, other]), fingerprint("id", [one])]
    assert len({fingerprint("id", [one, other]), *different}) == 4
    assert math.isclose(one.epsilon, math.log(3))
