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


def count_line_ends(data: bytes) -> int:
    r"""How many lines end in `data`; \r\n is one end."""
    ends = data.count(b"\n")
    if returns := data.count(b"\r"):
        ends += returns - data.count(b"\r\n")
    return ends


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
    ends = row_ends(usable, quote)
    return int(ends[-1]) if len(ends) else 0


def stray_quote(data: bytes, quote: str, delimiter: str) -> int | None:
    """The first quote that is neither at the border of a value nor doubled inside one."""
    quotes = positions(data, quote)
    if not len(quotes):
        return None
    array = _bytes(data)
    borders = np.zeros(256, bool)
    borders[[LF, CR, ord(delimiter)]] = True
    fine = np.empty(len(quotes), bool)
    opening, closing = quotes[0::2], quotes[1::2]
    fine[0::2] = borders[array[opening - 1]] | (opening == 0)
    fine[1::2] = borders[array[np.minimum(closing + 1, len(array) - 1)]] | (closing == len(array) - 1)
    doubled = np.diff(quotes)[1::2] == 1  # a closing quote and an opening one that touch
    fine[1:-1:2] |= doubled
    fine[2::2] |= doubled
    bad = np.flatnonzero(~fine)
    return int(quotes[bad[0]]) if len(bad) else None


def is_open(data: bytes, quote: str) -> bool:
    """Whether a quote that was opened is not closed."""
    return bool(quote) and data.count(quote.encode()) % 2 == 1


def row_starts(data: bytes, quote: str) -> Positions:
    """Where each row begins."""
    ends = row_ends(data, quote)
    starts = np.append(0, ends)
    return starts[:-1] if len(ends) and ends[-1] == len(data) else starts


def count_rows(data: bytes, quote: str) -> int:
    """How many rows begin."""
    if b"\r" in data or (quote and quote.encode() in data):
        return len(row_starts(data, quote))
    return data.count(b"\n") + (not data.endswith(b"\n"))


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
