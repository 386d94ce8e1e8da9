"""By how many doublings a share changes."""

from __future__ import annotations

import pytest

from tests.engine.verification.by_hand import judged


@pytest.mark.parametrize(("delta", "violating"), [(1.0, 2), (1.01, 0)])
def test_one_doubling_is_not_below_one(delta: float, violating: int) -> None:
    """y: a quarter of the file, half of class b; x changes by less than a doubling in both."""
    rows = ["a x", "a x", "b x", "b y"]
    found = judged("delta-disclosure", {"column": "s", "delta": delta}, rows)
    assert found == (pytest.approx(1.0), violating == 0, violating)
