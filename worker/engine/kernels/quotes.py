"""One look at every byte of delimited text: do its quotes stand where they may, where do rows end."""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled

Array = np.ndarray[Any, Any]

LF, CR = 10, 13


@compiled
def survey(data: Array, quote: int, delimiter: int) -> tuple[int, int, int, int, int]:
    """Of what stands outside quotes: the first quote that is neither at the border of a value nor doubled
    inside one; row ends; where the last one ends; the first return that no line feed follows; the first row
    that begins with its end. What is not there is −1; after a wrong quote nobody can tell, and nothing else
    counts."""
    inside, at, size = False, 0, len(data)
    ends, last, stray, blank = 0, 0, -1, -1
    while at < size:
        byte = data[at]
        if byte == quote:
            beside = at + 1 if inside else at - 1
            if inside and beside < size and data[beside] == quote:
                at += 1
            elif 0 <= beside < size and not (
                data[beside] == delimiter or data[beside] == LF or data[beside] == CR
            ):
                return at, 0, 0, -1, -1
            else:
                inside = not inside
        elif not inside and byte in (LF, CR):
            if at == last and blank < 0:
                blank = at
            alone = byte == CR and not (at + 1 < size and data[at + 1] == LF)
            if alone and stray < 0:
                stray = at
            if alone or byte == LF:
                ends, last = ends + 1, at + 1
        at += 1
    return -1, ends, last, stray, blank
