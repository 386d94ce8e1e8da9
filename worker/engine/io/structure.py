"""Where rows and values of delimited text begin and end, found in whole arrays of bytes at once.

A quote is allowed only at the border of a value, or doubled inside a quoted one. Then whether a byte is
quoted is the parity of the quotes before it, and everything else follows without a loop.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from worker.engine.arrays import Longs

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

LF, CR = 10, 13
_TRIES = 1_000
_NONE = np.empty(0, np.int64)
_FIRST_BYTES = 1 << 16
_AT_ONCE = 1 << 18


def count_line_ends(data: bytes) -> int:
    r"""How many lines end in `data`; \r\n is one end."""
    array = _bytes(data)
    ends = _count(data, LF)
    if b"\r" in data:
        returns = array == CR
        ends += int(np.count_nonzero(returns)) - int(np.count_nonzero(returns[:-1] & (array[1:] == LF)))
    return ends


def _count(data: bytes, byte: int) -> int:
    """A whole array compared at once is quicker than `bytes.count` where the byte is frequent."""
    return int(np.count_nonzero(_bytes(data) == byte))


def positions(data: bytes, mark: str) -> Longs:
    """Where a one-byte mark stands."""
    if not mark or mark.encode() not in data:
        return np.empty(0, np.int64)
    return np.flatnonzero(_bytes(data) == ord(mark))


def _bytes(data: bytes) -> Bytes:
    return np.frombuffer(data, np.uint8)


def outside(places: Longs, quotes: Longs) -> Longs:
    """Those places that no quotes surround."""
    if not len(quotes):
        return places
    free: Longs = places[np.searchsorted(quotes, places) % 2 == 0]
    return free


def row_ends(data: bytes, quote: str) -> Longs:
    r"""The position after each row end outside quotes; \r\n counts once. An unfinished last row has none."""
    array = _bytes(data)
    ends = array == LF
    if b"\r" in data:
        returns = np.flatnonzero(array == CR)
        followed = np.append(array, 0)[returns + 1] == LF
        ends[returns[~followed]] = True
    return outside(np.flatnonzero(ends), positions(data, quote)) + 1


def first_row_end(data: bytes, quote: str) -> int:
    """How many bytes the first row takes with its end."""
    for size in (_FIRST_BYTES, len(data)):
        ends = row_ends(data[:size], quote)
        if len(ends) and (ends[0] < size or size >= len(data)):  # a \r cut from its \n is half an end
            return int(ends[0])
    return len(data)


def last_row_end(data: bytes, quote: str, final: bool = False) -> int:
    r"""How many bytes from the start are whole rows; a \r at the very end may be half a line end."""
    if final:
        return len(data)
    usable = data[:-1] if data.endswith(b"\r") else data
    if not quote or quote.encode() not in usable:
        return (usable.rfind(b"\n") + 1) or (usable.rfind(b"\r") + 1)
    if b"\r" not in usable and (end := _last_line_feed(usable, quote.encode())) is not None:
        return end
    ends = row_ends(usable, quote)
    return int(ends[-1]) if len(ends) else 0


def _last_line_feed(data: bytes, quote: bytes) -> int | None:
    """The position after the last line feed outside quotes, from the end; None when that takes long."""
    before, end = _count(data, quote[0]), len(data)
    for _ in range(_TRIES):
        place = data.rfind(b"\n", 0, end)
        before -= data.count(quote, place + 1, end)
        if place < 0 or before % 2 == 0:
            return place + 1
        end = place
    return None


class Survey(NamedTuple):
    """What one look at all bytes shows; −1 for what is not there.

    `wrong_quote` is neither at the border of a value nor doubled inside it: then nothing else counts.
    `stray_return` is followed by no line feed, `blank_row` begins with its end.
    """

    wrong_quote: int
    rows: int
    stray_return: int
    blank_row: int


def survey(data: bytes, quote: str, delimiter: str) -> Survey:
    """Look at every byte once."""
    if (plain := _plain(data, quote)) is not None:
        return plain
    from worker.engine.kernels import quotes

    looked = quotes.survey(_bytes(data), ord(quote) if quote else -1, ord(delimiter))
    wrong, ends, last, stray, blank = map(int, looked)
    return Survey(wrong, ends + (last < len(data)), stray, blank)


def _plain(data: bytes, quote: str) -> Survey | None:
    """The same of text without quotes, lone returns and blank rows, several times as fast; None of others."""
    if quote and quote.encode() in data:
        return None
    returns = b"\r" in data
    feeds, blank = 0, data.startswith((b"\n", b"\r"))
    for start in range(0, len(data), _AT_ONCE):  # pieces that stay in the processor's cache
        array = _bytes(data)[max(start - 2, 0) : start + _AT_ONCE]
        ends = array == LF
        feeds += int(np.count_nonzero(ends[min(start, 2) :]))
        blank = blank or bool((ends[1:] & ends[:-1]).any())
        if returns:
            alone = array == CR
            blank = blank or bool((ends[2:] & alone[1:-1] & ends[:-2]).any())
            if bool((alone[:-1] & ~ends[1:]).any()):
                return None
    if blank or data.endswith(b"\r"):
        return None
    return Survey(-1, feeds + (not data.endswith(b"\n") and bool(data)), -1, -1)


def is_open(data: bytes, quote: str) -> bool:
    """Whether a quote that was opened is not closed."""
    return bool(quote) and data.count(quote.encode()) % 2 == 1


def row_starts(data: bytes, quote: str) -> Longs:
    """Where each row begins."""
    ends = row_ends(data, quote)
    starts = np.append(0, ends)
    return starts[:-1] if len(ends) and ends[-1] == len(data) else starts


def delimiters_per_row(data: bytes, delimiter: str, quote: str) -> Longs:
    """How many delimiters outside quotes each row holds."""
    return delimiters_between(row_starts(data, quote), data, delimiter, quote) if data else _NONE


def delimiters_between(starts: Longs, data: bytes, delimiter: str, quote: str) -> Longs:
    """The same where it is known where rows begin."""
    marks = outside(positions(data, delimiter), positions(data, quote))
    return np.diff(np.append(np.searchsorted(marks, starts), len(marks)))


def longest_value(data: bytes, delimiter: str, quote: str) -> tuple[int, int]:
    """The length of the longest value of one row, and its position among the values, counted from 1."""
    marks = outside(positions(data, delimiter), positions(data, quote))
    lengths = np.diff(np.concatenate(([-1], marks, [len(data)]))) - 1
    return int(lengths.max()), int(lengths.argmax()) + 1
