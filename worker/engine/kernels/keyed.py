"""A number for each text that only the holder of a key can work out.

Equal values have equal numbers however a file writes them: white space around a text and its case do not
count, and a plain decimal is compared as a number (5 = 5.0 = 05 = +5). An exponent is no plain decimal. What
is empty has the number 0. Texts that are not ASCII are brought to their normal form by whoever calls.

Every value is numbered by a hash that is quick and knows the key, and what is kept of these numbers is put
through SipHash-2-4 before it leaves: without the key nobody learns from it, not even by trying values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled

Array = np.ndarray[Any, Any]

SPACE, PLUS, MINUS, POINT, ZERO, NINE = 32, 43, 45, 46, 48, 57
ASCII = 128
NO_FIGURE, A_POINT, STRANGE = 1 << 8, 1 << 9, 1 << 10


def _letters() -> Array:
    """For each byte its small letter, and what it says of a text that it stands in."""
    found = [ord(chr(byte).lower()) if byte < ASCII else byte for byte in range(256)]
    for byte in range(256):
        figure = ZERO <= byte <= NINE or byte in (POINT, PLUS, MINUS)
        found[byte] |= (not figure) * NO_FIGURE | (byte == POINT) * A_POINT | (byte >= ASCII) * STRANGE
    return np.array(found, np.int64)


LETTERS = _letters()
EMPTY = np.uint64(0)

_C0, _C1 = np.uint64(0x736F6D6570736575), np.uint64(0x646F72616E646F6D)
_C2, _C3 = np.uint64(0x6C7967656E657261), np.uint64(0x7465646279746573)
_END = np.uint64(0xFF)
_CHOSEN_BY = ~np.uint64((1 << 40) - 1)
_M2 = np.uint64(0x9E3779B97F4A7C15)
_M0, _M1 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@compiled
def _turned(word: Any, by: int) -> Any:
    return (word << np.uint64(by)) | (word >> np.uint64(64 - by))


@compiled
def _round(v0: Any, v1: Any, v2: Any, v3: Any) -> tuple[Any, Any, Any, Any]:
    v0, v2 = v0 + v1, v2 + v3
    v1, v3 = _turned(v1, 13) ^ v0, _turned(v3, 16) ^ v2
    v0 = _turned(v0, 32)
    v2, v0 = v2 + v1, v0 + v3
    v1, v3 = _turned(v1, 17) ^ v2, _turned(v3, 21) ^ v0
    return v0, v1, _turned(v2, 32), v3


@compiled
def siphash(data: Array, size: int, key: Array) -> Any:
    """SipHash-2-4 of the first bytes of `data` under a key of two words."""
    v0, v1, v2, v3 = key[0] ^ _C0, key[1] ^ _C1, key[0] ^ _C2, key[1] ^ _C3
    for first in range(0, size - size % 8 + 8, 8):
        word = np.uint64(0)
        for place in range(min(8, size - first)):
            word |= np.uint64(data[first + place]) << np.uint64(8 * place)
        if size - first < 8:
            word |= np.uint64(size & 255) << np.uint64(56)
        v3 ^= word
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
        v0 ^= word
    v2 ^= _END
    for _ in range(4):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@compiled
def concealed(numbers: Array, key: Array, out: Array) -> None:
    """Numbers as they may be kept: their first bits, by which they were chosen, and SipHash for the rest."""
    room = np.empty(8, np.uint8)
    for at in range(len(numbers)):
        for place in range(8):
            room[place] = (numbers[at] >> np.uint64(8 * place)) & _END
        out[at] = (numbers[at] & _CHOSEN_BY) | (siphash(room, 8, key) & ~_CHOSEN_BY)


@compiled
def mixed(number: Any) -> Any:
    """Spread a number evenly, so that sums of such numbers are as good."""
    number = (number ^ (number >> np.uint64(30))) * _M0
    number = (number ^ (number >> np.uint64(27))) * _M1
    return number ^ (number >> np.uint64(31))


@compiled
def _is_decimal(data: Array, start: int, end: int) -> bool:
    """Digits, with at most one point among them."""
    digits, points = 0, 0
    for at in range(start, end):
        if data[at] == POINT:
            points += 1
        elif ZERO <= data[at] <= NINE:
            digits += 1
        else:
            return False
    return digits > 0 and points <= 1


@compiled
def _decimal(data: Array, start: int, end: int, negative: bool, out: Array) -> int:
    """The one way to write a number: no zero in front, none behind the point; how long it is."""
    point = start
    while point < end and data[point] != POINT:
        point += 1
    while start < point and data[start] == ZERO:
        start += 1
    while end > point and (data[end - 1] == ZERO or data[end - 1] == POINT):
        end -= 1
    size = 0
    if negative and start < end:
        out[size] = MINUS
        size += 1
    if start == point:
        out[size] = ZERO
        size += 1
    for at in range(start, end):
        out[size] = data[at]
        size += 1
    return size


@compiled
def normal(data: Array, start: int, end: int, out: Array) -> int:
    """Write the normal form of a text to `out`, which has room for one byte more; how long it is.

    −1 is the answer to a byte that is not ASCII.
    """
    while start < end and data[start] <= SPACE:
        start += 1
    while end > start and data[end - 1] <= SPACE:
        end -= 1
    first = start + 1 if start < end and (data[start] == PLUS or data[start] == MINUS) else start
    if _is_decimal(data, first, end):
        return _decimal(data, first, end, data[start] == MINUS, out)
    strange = False
    for at in range(start, end):
        byte = data[at]
        strange |= byte >= ASCII
        out[at - start] = LETTERS[byte] & 255
    return -1 if strange else end - start


@compiled
def _hashed(data: Array, start: int, end: int, key: Array) -> Any:
    number = key[0]
    for at in range(start, end):
        number = (number ^ np.uint64(data[at])) * _M2
    return mixed(number ^ key[1])


@compiled
def _usual(data: Array, start: int, end: int, key: Array) -> Any:
    """The number of a text in one pass; 0 when it may have to be brought to its normal form first."""
    number, seen = key[0], 0
    for at in range(start, end):
        letter = LETTERS[data[at]]
        seen |= letter
        number = (number ^ np.uint64(letter & 255)) * _M2
    first, last = data[start], data[end - 1]
    odd = seen & STRANGE or first <= SPACE or last <= SPACE
    if not seen & NO_FIGURE:
        zero_behind = seen & A_POINT and last in (ZERO, POINT)
        odd |= zero_behind or first < ZERO or (first == ZERO and end - start > 1)
    return EMPTY if odd else mixed(number ^ key[1])


@compiled
def numbers(data: Array, offsets: Array, key: Array, out: Array, strange: Array) -> int:
    """Each text's number; how many were left to the caller, because they are not ASCII."""
    longest, left = 0, 0
    for text in range(len(out)):
        longest = max(longest, offsets[text + 1] - offsets[text])
    room = np.empty(longest + 1, np.uint8)
    for text in range(len(out)):
        start, end = offsets[text], offsets[text + 1]
        strange[text] = False
        out[text] = _usual(data, start, end, key) if end > start else EMPTY
        if out[text] == EMPTY and end > start:
            size = normal(data, start, end, room)
            strange[text] = size < 0
            left += size < 0
            if size > 0:
                out[text] = _hashed(room, 0, size, key)
    return left


@compiled
def plain_numbers(data: Array, offsets: Array, key: Array, out: Array) -> None:
    """The number of each text as it stands."""
    for text in range(len(out)):
        start, end = offsets[text], offsets[text + 1]
        out[text] = _hashed(data, start, end, key) if end > start else EMPTY


@compiled
def add_to_rows(codes: Array, values: Array, column: Any, rows: Array, used: Array) -> None:
    """Add a column to the number of each row, and note which values occur; a code below 0 is no value."""
    parts = np.empty(len(values), np.uint64)
    for value in range(len(values)):
        parts[value] = EMPTY if values[value] == EMPTY else mixed(values[value] ^ column)
    for row in range(len(codes)):
        code = codes[row]
        if code >= 0:
            rows[row] += parts[code]
            used[code] = True


@compiled
def keep(values: Array, used: Array, start: int, table: Array, state: Array) -> int:
    """Put values up to a limit into a table, each once; where it stopped because the table is full enough.

    `state` holds the limit, how many there are, and how many there may be. The table has a power of two of
    places; an empty place is 0.
    """
    last, limit, held, most = np.uint64(len(table) - 1), state[0], state[1], state[2]
    stopped = len(values)
    for at in range(start, len(values)):
        value = values[at]
        if value > limit or value == EMPTY or not used[at]:
            continue
        place = (value >> np.uint64(8)) & last
        while table[place] != EMPTY and table[place] != value:
            place = (place + np.uint64(1)) & last
        if table[place] == EMPTY:
            if held >= most:
                stopped = at
                break
            table[place] = value
            held += np.uint64(1)
    state[1] = held
    return stopped
