"""How many people of the population fit a class."""

from __future__ import annotations

import io

import pytest

from tests.engine.verification.by_hand import judged


@pytest.mark.parametrize(("k", "violating"), [(1, 0), (2, 2), (4, 3)])
def test_people_of_a_class(k: int, violating: int) -> None:
    """One person fits the two rows in the forties, three the row in the thirties."""
    tree = {"hierarchy": ["30;3x;*", "31;3x;*", "40;4x;*"]}
    file = io.BytesIO(b"q\n30\n31\n31\n40\n")
    params = {"population": "people.csv", "k": k}
    found = judged("k-map", params, ["3x x", "4x x", "4x y"], quasi=tree, populations={"people.csv": file})
    assert found == (1, violating == 0, violating)
