"""One look at delimited text, against a loop over characters."""

from __future__ import annotations

import csv
import io
import random

import numpy as np
import pytest

from worker.engine.kernels.quotes import survey


def seen(text: str) -> tuple[int, int, int, int, int]:
    return tuple(map(int, survey(np.frombuffer(text.encode(), np.uint8), ord('"'), ord(","))))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a,b\nc,d\n", (-1, 2, 8, -1, -1)),
        ("a\r\nb\r\n", (-1, 2, 6, -1, -1)),
        ("a\rb\r", (-1, 2, 4, 1, -1)),
        ('"a\nb",c\n', (-1, 1, 8, -1, -1)),
        ('"a""b"\n', (-1, 1, 7, -1, -1)),
        ('a"b\n', (1, 0, 0, -1, -1)),
        ('"a"b\n', (2, 0, 0, -1, -1)),
        ("a\n\nb\n", (-1, 3, 5, -1, 2)),
        ("a\nb", (-1, 1, 2, -1, -1)),
        ("", (-1, 0, 0, -1, -1)),
    ],
)
def test_what_is_found(text: str, found: tuple[int, ...]) -> None:
    assert seen(text) == found


@pytest.mark.parametrize("seed", range(60))
def test_rows_of_what_a_writer_writes(seed: int) -> None:
    chance = random.Random(seed)
    rows = [["".join(chance.choice('ab,"\n') for _ in range(4)) for _ in range(2)] for _ in range(6)]
    made = io.StringIO()
    csv.writer(made, lineterminator=chance.choice(["\n", "\r\n"])).writerows(rows)
    text = made.getvalue()
    assert seen(text) == (-1, len(rows), len(text), -1, -1)
