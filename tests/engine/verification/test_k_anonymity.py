"""The smallest class; with wildcards, whom a row agrees with."""

from __future__ import annotations

import pytest

from tests.engine.verification.by_hand import judged


@pytest.mark.parametrize(("k", "violating"), [(1, 0), (2, 1), (3, 3)])
def test_the_smallest_class(k: int, violating: int) -> None:
    rows = ["a x", "b x", "b y", "c x", "c y", "c z"]
    assert judged("k-anonymity", {"k": k}, rows) == (1, violating == 0, violating)


def test_a_missing_value_is_a_value_of_its_own_or_every_value() -> None:
    rows = ["a x", "a x", "- x", "b x"]
    assert judged("k-anonymity", {"k": 2}, rows) == (1, False, 2)
    # The missing one agrees with all four, a with the missing one too, b with it alone.
    assert judged("k-anonymity", {"k": 2, "missing": "wildcard"}, rows) == (2, True, 0)
    assert judged("k-anonymity", {"k": 3, "missing": "wildcard"}, rows) == (2, False, 1)
