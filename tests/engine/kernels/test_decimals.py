"""Decimal texts as codes: only the usual way to write a number has one, and the text comes back."""

from __future__ import annotations

import random
import re
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from worker.engine.kernels.decimals import (
    MOST_DECIMALS,
    MOST_DIGITS,
    OTHER,
    encode,
    encode_doubles,
    encode_integers,
    length,
    numbers,
    put,
)
from worker.engine.tables.dense import string_parts

USUAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]{1,7})?")
ODD = ["", "-", ".", "1.", ".5", "+1", "01", "00", "-0", "-0.0", "1e5", "1 ", " 1", "1.2.3", "--1", "1-", "½"]


def codes_of(texts: list[str]) -> list[int]:
    data, offsets = string_parts(pa.array(texts, pa.large_string()))
    codes = np.empty(len(texts), np.int64)
    others = encode(data, offsets, codes)
    assert others == np.count_nonzero(codes == OTHER)
    return codes.tolist()


def text_of(code: int) -> str:
    out = np.zeros(40, np.uint8)
    end = put(code, out, 3)
    assert end - 3 == length(code)
    return out[3:end].tobytes().decode()


def has_code(text: str) -> bool:
    negative_zero = text.startswith("-") and not text.strip("-0.")
    return bool(USUAL.fullmatch(text)) and sum(map(str.isdigit, text)) <= MOST_DIGITS and not negative_zero


def drawn(chance: random.Random) -> str:
    digits = "".join(chance.choice("0123456789") for _ in range(chance.randint(0, 17)))
    point = chance.randint(0, len(digits)) if chance.random() < 0.6 else None
    text = digits if point is None else f"{digits[:point]}.{digits[point:]}"
    return chance.choice(["", "", "-"]) + text


@pytest.mark.parametrize("seed", range(10))
def test_what_has_a_code_comes_back(seed: int) -> None:
    chance = random.Random(seed)
    texts = [drawn(chance) for _ in range(500)] + ODD
    for text, code in zip(texts, codes_of(texts), strict=True):
        assert (code != OTHER) is has_code(text), text
        if code != OTHER:
            assert text_of(code) == text
            out = np.empty(1)
            numbers(np.array([code]), out)
            assert out[0] == float(text)


def test_equal_codes_mean_equal_texts() -> None:
    assert len(set(codes_of(["1", "1.0", "1.00", "10", "-1"]))) == 5


def test_integers() -> None:
    most = 10**MOST_DIGITS
    given = np.array([0, 7, -7, most - 1, most, -most, 1 - most], np.int64)
    codes = np.empty(len(given), np.int64)
    encode_integers(given, codes)
    expected = [OTHER if abs(one) >= most else codes_of([str(one)])[0] for one in given.tolist()]
    assert codes.tolist() == expected


@pytest.mark.parametrize("seed", range(10))
def test_doubles_are_written_as_python_writes_them(seed: int) -> None:
    chance = random.Random(seed)
    given = [round(chance.uniform(-1e6, 1e6), chance.randint(0, 9)) for _ in range(300)]
    given += [0.0, -0.0, 1e-4, 9e-5, 1e10, 9_999_999_999.0, 0.1 + 0.2, float("nan"), float("inf")]
    codes = np.empty(len(given), np.int64)
    encode_doubles(np.array(given), codes)
    for number, code in zip(given, codes.tolist(), strict=True):
        plain = repr(number).removesuffix(".0")
        if code != OTHER:
            assert text_of(code) == plain
        elif has_code(plain) and 1e-4 <= abs(number) < 1e10:
            assert -Decimal(plain).as_tuple().exponent > MOST_DECIMALS  # type: ignore[operator]
