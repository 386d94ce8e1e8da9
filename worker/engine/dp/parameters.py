"""The parameters every differentially private method has: ε and δ as exact decimals."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from worker.engine.contracts.privacy import delta_femto, epsilon_micro


def _epsilon(value: Any) -> Decimal:
    """Refuses texts, NaN, infinities, anything not above 0 and anything finer than the ledger counts."""
    epsilon_micro(value)
    return _exact(value)


def _delta(value: Any) -> Decimal:
    delta_femto(value)
    return _exact(value)


def _exact(value: Any) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


Epsilon = Annotated[Decimal, BeforeValidator(_epsilon), PlainSerializer(float, when_used="json")]
"""Above 0, at most six decimal places. A number, never a text, and never a float inside."""

Delta = Annotated[Decimal, BeforeValidator(_delta), PlainSerializer(float, when_used="json")]
"""From 0 to below 1, at most fifteen decimal places."""
