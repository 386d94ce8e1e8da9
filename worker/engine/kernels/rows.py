"""Cells of many columns laid one behind the other, row by row.

First every column adds up how long its cells are, then every column writes its cells at each row's place and
moves the place on. `after` is the byte that follows a cell (a delimiter or a line end), or −1 for none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled
from worker.engine.kernels.decimals import length, put

Array = np.ndarray[Any, Any]


@compiled
def add_labels(codes: Array, offsets: Array, lengths: Array, after: int) -> None:
    """Lengths of cells that are labels."""
    extra = 1 if after >= 0 else 0
    for row in range(len(codes)):
        code = codes[row]
        lengths[row] += offsets[code + 1] - offsets[code] + extra


@compiled
def put_labels(codes: Array, data: Array, offsets: Array, out: Array, places: Array, after: int) -> None:
    """Cells that are labels."""
    for row in range(len(codes)):
        code = codes[row]
        at = places[row]
        for byte in range(offsets[code], offsets[code + 1]):
            out[at] = data[byte]
            at += 1
        if after >= 0:
            out[at] = after
            at += 1
        places[row] = at


@compiled
def add_numbers(codes: Array, smallest: int, offsets: Array, lengths: Array, after: int) -> None:
    """Lengths of cells that are decimal codes; below `smallest` they number the labels."""
    extra = 1 if after >= 0 else 0
    for row in range(len(codes)):
        code = codes[row]
        if code < smallest:
            label = code - np.iinfo(np.int64).min
            lengths[row] += offsets[label + 1] - offsets[label] + extra
        else:
            lengths[row] += length(code) + extra


@compiled
def put_numbers(
    codes: Array, smallest: int, data: Array, offsets: Array, out: Array, places: Array, after: int
) -> None:
    """Cells that are decimal codes."""
    for row in range(len(codes)):
        code = codes[row]
        at = places[row]
        if code < smallest:
            label = code - np.iinfo(np.int64).min
            for byte in range(offsets[label], offsets[label + 1]):
                out[at] = data[byte]
                at += 1
        else:
            at = put(code, out, at)
        if after >= 0:
            out[at] = after
            at += 1
        places[row] = at
