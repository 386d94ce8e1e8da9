"""Plain decimal texts as one integer each, and back, without losing a character.

`-12.50` becomes (−1250 · 8 + 2): the digits, and how many of them stand behind the point. Only the one usual
way to write a number has such a code – no plus sign, no leading zero, no exponent, no "-0" – so that equal
codes mean equal texts and the text comes back exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled

Array = np.ndarray[Any, Any]

OTHER = np.iinfo(np.int64).min
"""What stands for a text that is no such number."""
MOST_DIGITS = 15
MOST_DECIMALS = 7
SMALLEST, LARGEST = 1e-4, 1e10
MINUS, POINT, ZERO = 45, 46, 48


@compiled
def _encoded(data: Array, start: int, end: int) -> int:
    at = start
    negative = at < end and data[at] == MINUS
    if negative:
        at += 1
    first, digits, decimals, mantissa = at, 0, -1, 0
    while at < end:
        byte = data[at]
        if byte == POINT and decimals < 0 and at > first:
            decimals = 0
        elif ZERO <= byte <= ZERO + 9:
            mantissa = mantissa * 10 + (byte - ZERO)
            digits += 1
            if decimals >= 0:
                decimals += 1
        else:
            return OTHER
        at += 1
    whole = digits - max(decimals, 0)
    if digits == 0 or whole == 0 or digits > MOST_DIGITS or decimals == 0 or decimals > MOST_DECIMALS:
        return OTHER
    if (whole > 1 and data[first] == ZERO) or (negative and mantissa == 0):
        return OTHER
    if negative:
        mantissa = -mantissa
    return mantissa * 8 + max(decimals, 0)


@compiled
def encode(data: Array, offsets: Array, codes: Array) -> int:
    """Fill `codes`; how many texts have no code."""
    others = 0
    for row in range(len(codes)):
        start, end = offsets[row], offsets[row + 1]
        codes[row] = OTHER if end - start > MOST_DIGITS + 2 else _encoded(data, start, end)
        others += codes[row] == OTHER
    return others


@compiled
def encode_integers(numbers: Array, codes: Array) -> None:
    """The same for whole numbers."""
    for row in range(len(codes)):
        fits = -(10**MOST_DIGITS) < numbers[row] < 10**MOST_DIGITS
        codes[row] = numbers[row] * 8 if fits else OTHER


@compiled
def encode_doubles(numbers: Array, codes: Array) -> None:
    """The same for numbers whose shortest text is such a decimal: with at most 15 digits there is but one.

    Very small and large ones are written with an exponent, and −0 is not 0: they have no code.
    """
    powers = np.array([1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7])
    usual = 0
    for row in range(len(codes)):
        number = numbers[row]
        codes[row] = OTHER
        size = abs(number)
        if not SMALLEST <= size < LARGEST and (number != 0 or np.signbit(number)):
            continue
        mantissa = np.rint(number * powers[usual])
        first = usual if mantissa / powers[usual] == number and mantissa % 10 != 0 else 0
        for decimals in range(first, MOST_DECIMALS + 1):
            mantissa = np.rint(number * powers[decimals])
            if abs(mantissa) >= 10.0**MOST_DIGITS:
                break
            if mantissa / powers[decimals] == number:
                codes[row] = np.int64(mantissa) * 8 + decimals
                usual = decimals
                break


@compiled
def length(code: int) -> int:
    """How many bytes the text of a code takes."""
    decimals, mantissa = code & 7, code >> 3
    size = 0
    if mantissa < 0:
        mantissa = -mantissa
        size = 1
    digits = 1
    power = 10
    while mantissa >= power:
        power *= 10
        digits += 1
    digits = max(digits, decimals + 1)
    return size + digits + (1 if decimals else 0)


@compiled
def put(code: int, out: Array, at: int) -> int:
    """Write the text of a code; the position after it."""
    decimals, mantissa = code & 7, code >> 3
    end = at + length(code)
    if mantissa < 0:
        mantissa = -mantissa
        out[at] = MINUS
        at += 1
    place, written = end - 1, 0
    while place >= at:
        if decimals and written == decimals:
            out[place] = POINT
            place -= 1
        out[place] = ZERO + mantissa % 10
        mantissa //= 10
        written += 1
        place -= 1
    return end


@compiled
def numbers(codes: Array, out: Array) -> None:
    """The nearest double of each code: both parts are exact, so that one division rounds once."""
    for row in range(len(codes)):
        power = 1.0
        for _ in range(codes[row] & 7):
            power *= 10.0
        out[row] = (codes[row] >> 3) / power
