"""How much more frequent a value is in a class than in the file."""

from __future__ import annotations

import pytest

from tests.engine.verification.by_hand import judged, result_of

ROWS = ["a x", "a x", "b x", "b y"]  # x: 3/4, y: 1/4; class b: y gains (1/2 - 1/4) / (1/4) = 1


def test_basic() -> None:
    assert judged("beta-likeness", {"column": "s", "beta": 1, "variant": "basic"}, ROWS) == (1.0, True, 0)
    assert judged("beta-likeness", {"column": "s", "beta": 0.99, "variant": "basic"}, ROWS) == (1.0, False, 2)


def test_enhanced_limits_frequent_values() -> None:
    """x gains a third in class a, which is more than -ln(3/4) = .288; no beta makes that hold."""
    result = result_of("beta-likeness", {"column": "s", "beta": 5}, ROWS)
    assert (result.achieved, result.holds, result.violating_rows) == (pytest.approx(1.0), False, 2)
    assert "Whatever β is" in result.remark
