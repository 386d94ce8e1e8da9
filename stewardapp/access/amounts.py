"""ε and δ in the words of a sentence."""

from __future__ import annotations

from decimal import Decimal


def amount(epsilon: Decimal) -> str:
    """A local ε to four places."""
    return f"{round(epsilon, 4).normalize():f}"


def epsilon_words(micro: int) -> str:
    """ε = 0.5, from millionths."""
    return f"ε = {_plain(Decimal(micro).scaleb(-6))}"


def delta_words(femto: int) -> str:
    """δ = 1e-9, from units of 1e-15."""
    return f"δ = {Decimal(femto).scaleb(-15).normalize():g}"


def spend_words(epsilon_micro: int, delta_femto: int) -> str:
    """Both; δ only where there is some."""
    epsilon = epsilon_words(epsilon_micro)
    return f"{epsilon}, {delta_words(delta_femto)}" if delta_femto else epsilon


def _plain(value: Decimal) -> str:
    """Without the zeros at its end; the value has decimal places."""
    return f"{value:f}".rstrip("0").rstrip(".")
