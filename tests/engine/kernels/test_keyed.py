"""Numbers of texts: SipHash as published, and one number for every way to write a value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from worker.engine.kernels.keyed import concealed, numbers, plain_numbers, siphash
from worker.engine.tables.dense import string_parts

KEY = np.frombuffer(bytes(range(16)), "<u8").copy()
# SipHash-2-4 of 00 01 02 … under the key 00 … 0f, from the reference implementation of its authors.
PUBLISHED = {
    0: 0x726FDB47DD0E0E31,
    1: 0x74F839C593DC67FD,
    7: 0xAB0200F58B01D137,
    8: 0x93F5F5799A932462,
    15: 0xA129CA6149BE45E5,
}


def numbers_of(*texts: str) -> list[int]:
    data, offsets = string_parts(pa.array(texts, pa.large_string()))
    out, strange = np.empty(len(texts), np.uint64), np.empty(len(texts), bool)
    left = numbers(data, offsets, KEY, out, strange)
    assert left == strange.sum() == sum(not text.isascii() for text in texts)
    return out.tolist()


@pytest.mark.parametrize("size", PUBLISHED)
def test_siphash(size: int) -> None:
    assert int(siphash(np.arange(64, dtype=np.uint8), size, KEY)) == PUBLISHED[size]


@pytest.mark.parametrize(
    "alike",
    [
        ("5", "5.0", "05", "+5", " 5 ", "5.", "005.00"),
        ("-1.5", "-01.50", "-1.5 "),
        ("0", "-0", "0.0", ".0", "+0", "00"),
        (".5", "0.5", "+.50"),
        ("Berlin", "berlin", " BERLIN\t"),
        ("1e3", "1E3"),
    ],
)
def test_ways_to_write_one_value(alike: tuple[str, ...]) -> None:
    assert len(set(numbers_of(*alike))) == 1


def test_different_values_differ() -> None:
    texts = ("5", "-5", "50", "0.5", "1e3", "1000", "5a", "a5", "a b", "ab", "1.2.3", "-", ".", "0")
    assert len(set(numbers_of(*texts))) == len(texts)


def test_nothing_is_nothing() -> None:
    assert numbers_of("", " ", "\t") == [0, 0, 0]
    assert 0 not in numbers_of("0", "a", ".")


def test_another_key_says_nothing() -> None:
    data, offsets = string_parts(pa.array(["a", "b"], pa.large_string()))
    one, other = np.empty(2, np.uint64), np.empty(2, np.uint64)
    plain_numbers(data, offsets, KEY, one)
    plain_numbers(data, offsets, KEY + np.uint64(1), other)
    assert not set(one.tolist()) & set(other.tolist())
    assert len({*one.tolist()}) == 2


def test_what_is_kept_shows_only_the_first_bits() -> None:
    found = np.array(numbers_of("a", "b", "c"), np.uint64)
    out, again = np.empty(3, np.uint64), np.empty(3, np.uint64)
    concealed(found, KEY, out)
    concealed(found, KEY + np.uint64(1), again)
    shown = np.uint64(40)
    assert (out >> shown).tolist() == (found >> shown).tolist() == (again >> shown).tolist()
    low = np.uint64((1 << 40) - 1)
    assert not set((out & low).tolist()) & {*(found & low).tolist(), *(again & low).tolist()}
