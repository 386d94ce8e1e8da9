"""One look at every byte of delimited text: do its quotes stand where they may, how many rows end."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.algorithms.compiled import compiled

Array = np.ndarray[Any, Any]

LF, CR = 10, 13


@compiled
def survey(data: Array, quote: int, delimiter: int) -> tuple[int, int]:
    """The first quote that is neither at the border of a value nor doubled inside one, or −1; and the line
    feeds outside quotes before it."""
    inside, ends, at, size = False, 0, 0, len(data)
    while at < size:
        byte = data[at]
        if byte == quote:
            beside = at + 1 if inside else at - 1
            if inside and beside < size and data[beside] == quote:
                at += 1
            elif 0 <= beside < size and not (
                data[beside] == delimiter or data[beside] == LF or data[beside] == CR
            ):
                return at, ends
            else:
                inside = not inside
        elif byte == LF and not inside:
            ends += 1
        at += 1
    return -1, ends
