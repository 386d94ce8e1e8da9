"""The interval of a share."""

import pytest

from worker.engine.linkage.shares import wilson


def test_known_intervals():
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1), abs=1e-4)


def test_nothing_tried_has_none():
    assert wilson(0, 0) is None
