"""ε and δ in words, without zeros that say nothing."""

from __future__ import annotations

from decimal import Decimal

import pytest

from stewardapp.access.amounts import amount, delta_words, epsilon_words, spend_words

WORDS = [(500_000, "0.5"), (1, "0.000001"), (2_000_000, "2"), (10_000_000, "10"), (0, "0")]


@pytest.mark.parametrize(("micro", "words"), WORDS)
def test_epsilon(micro: int, words: str) -> None:
    assert epsilon_words(micro) == f"ε = {words}"


def test_delta_only_where_there_is_some() -> None:
    assert delta_words(1_000_000) == "δ = 1e-9"
    assert spend_words(1_500_000, 0) == "ε = 1.5"
    assert spend_words(1_500_000, 1_000) == "ε = 1.5, δ = 1e-12"


def test_a_local_epsilon_has_four_places() -> None:
    assert amount(Decimal("1.386294361")) == "1.3863"
    assert amount(Decimal("100.00001")) == "100"
