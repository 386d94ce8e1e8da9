"""Cells of columns laid row by row, against joining texts."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from worker.engine.kernels.decimals import OTHER, encode
from worker.engine.kernels.rows import add_labels, add_numbers, put_labels, put_numbers
from worker.engine.tables.dense import string_parts

COMMA, END = ord(","), ord("\n")


@pytest.mark.parametrize("seed", range(30))
def test_labels_and_numbers(seed: int) -> None:
    chance = random.Random(seed)
    labels = ["", "x", "long label", "ä"]
    codes = np.array([chance.randrange(4) for _ in range(20)], np.int32)
    texts = [f"{chance.randint(-999, 999) / 10 or 1}" for _ in range(20)]
    numbers = np.empty(20, np.int64)
    assert encode(*string_parts(pa.array(texts, pa.large_string())), numbers) == 0
    others = ["n/a", "-"]
    beside = [chance.randrange(3) for _ in range(20)]  # 2 stays a number
    numbers = np.where(np.array(beside) == 2, numbers, OTHER + np.array(beside))
    label_parts, other_parts = (string_parts(pa.array(one, pa.large_string())) for one in (labels, others))

    lengths = np.zeros(20, np.int64)
    add_labels(codes, label_parts[1], lengths, COMMA)
    add_numbers(numbers, OTHER + 2, other_parts[1], lengths, END)
    places = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    out = np.zeros(int(lengths.sum()), np.uint8)
    put_labels(codes, *label_parts, out, places, COMMA)
    put_numbers(numbers, OTHER + 2, *other_parts, out, places, END)

    second = [text if which == 2 else others[which] for text, which in zip(texts, beside, strict=True)]
    lines = (f"{labels[code]},{text}\n" for code, text in zip(codes, second, strict=True))
    assert out.tobytes().decode() == "".join(lines)
    assert places.tolist() == np.cumsum(lengths).tolist()


def test_a_last_cell_may_be_followed_by_nothing() -> None:
    data, offsets = string_parts(pa.array(["ab"], pa.large_string()))
    codes, lengths = np.zeros(2, np.int32), np.zeros(2, np.int64)
    add_labels(codes, offsets, lengths, -1)
    out, places = np.zeros(4, np.uint8), np.array([0, 2])
    put_labels(codes, data, offsets, out, places, -1)
    assert (lengths.tolist(), out.tobytes(), places.tolist()) == ([2, 2], b"abab", [2, 4])
