"""Where rows and values of delimited text begin and end, found in whole arrays of bytes at once.

A quote is allowed only at the border of a value, or doubled inside a quoted one. Then whether a byte is
quoted is the parity of the quotes before it, and everything else follows without a loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Positions = np.ndarray[Any, np.dtype[np.int64]]
Bytes = np.ndarray[Any, np.dtype[np.uint8]]

LF, CR = 10, 13
_TRIES = 1_000


def count_line_ends(data: bytes) -> int:
    r"""How many lines end in `data`; \r\n is one end."""
    ends = _count(data, LF)
    if b"\r" in data:
        ends += _count(data, CR) - data.count(b"\r\n")
    return ends


def _count(data: bytes, byte: int) -> int:
    """A whole array compared at once is quicker than `bytes.count` where the byte is frequent."""
    return int(np.count_nonzero(_bytes(data) == byte))


def positions(data: bytes, mark: str) -> Positions:
    """Where a one-byte mark stands."""
    if not mark or mark.encode() not in data:
        return np.empty(0, np.int64)
    return np.flatnonzero(_bytes(data) == ord(mark))


def _bytes(data: bytes) -> Bytes:
    return np.frombuffer(data, np.uint8)


def outside(places: Positions, quotes: Positions) -> Positions:
    """Those places that no quotes surround."""
    if not len(quotes):
        return places
    free: Positions = places[np.searchsorted(quotes, places) % 2 == 0]
    return free


def row_ends(data: bytes, quote: str) -> Positions:
    r"""The position after each row end outside quotes; \r\n counts once. An unfinished last row has none."""
    array = _bytes(data)
    ends = array == LF
    if b"\r" in data:
        returns = np.flatnonzero(array == CR)
        followed = np.append(array, 0)[returns + 1] == LF
        ends[returns[~followed]] = True
    return outside(np.flatnonzero(ends), positions(data, quote)) + 1


def stray_return(data: bytes, quote: str) -> int | None:
    """The first carriage return outside quotes that no line feed follows."""
    if data.count(b"\r") == data.count(b"\r\n"):
        return None
    array = _bytes(data)
    returns = np.flatnonzero(array == CR)
    lonely = returns[np.append(array, 0)[returns + 1] != LF]
    free = outside(lonely, positions(data, quote))
    return int(free[0]) if len(free) else None


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


def survey(data: bytes, quote: str, delimiter: str) -> tuple[int | None, int]:
    """The first quote that is neither at the border of a value nor doubled inside it; the rows that begin."""
    from worker.engine.kernels import quotes

    place, ends = quotes.survey(_bytes(data), ord(quote) if quote else -1, ord(delimiter))
    if place >= 0:
        return int(place), 0
    if b"\r" in data:
        return None, len(row_starts(data, quote))
    return None, int(ends) + (not data.endswith(b"\n"))


def is_open(data: bytes, quote: str) -> bool:
    """Whether a quote that was opened is not closed."""
    return bool(quote) and data.count(quote.encode()) % 2 == 1


def row_starts(data: bytes, quote: str) -> Positions:
    """Where each row begins."""
    ends = row_ends(data, quote)
    starts = np.append(0, ends)
    return starts[:-1] if len(ends) and ends[-1] == len(data) else starts


def delimiters_per_row(data: bytes, delimiter: str, quote: str) -> Positions:
    """How many delimiters outside quotes each row holds."""
    if not data:
        return np.empty(0, np.int64)
    marks = outside(positions(data, delimiter), positions(data, quote))
    return np.diff(np.append(np.searchsorted(marks, row_starts(data, quote)), len(marks)))


def longest_value(data: bytes, delimiter: str, quote: str) -> tuple[int, int]:
    """The length of the longest value of one row, and its position among the values, counted from 1."""
    marks = outside(positions(data, delimiter), positions(data, quote))
    lengths = np.diff(np.concatenate(([-1], marks, [len(data)]))) - 1
    return int(lengths.max()), int(lengths.argmax()) + 1
