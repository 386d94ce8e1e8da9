"""The ways in which intervals are written."""

import pytest

from worker.engine.tables.intervals import ends_of


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("[20, 30[", (20, 30)),
        ("[20, 30]", (20, 30)),
        ("0-4", (0, 4)),
        ("0 – 4.5", (0, 4.5)),
        ("[-4, -2[", (-4, -2)),
        ("1,5", (1, 5)),
        ("20", None),
        ("*", None),
        ("", None),
        ("1990-05-12", None),
    ],
)
def test_the_ends_of_an_interval(text, ends):
    assert ends_of(text) == ends
