"""Counting values by their numbers in tables of a bounded size: all of them, or those below a limit.

A table has a power of two of places; an empty place is 0, and a number that is 0 stands at 1. `state` holds
the limit, how many numbers are held, how many may be, and room for a loop. Every loop says where it stopped:
at the end, or where there is no room for one more number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from worker.engine.kernels.compiled import compiled
from worker.engine.kernels.keyed import mixed, siphash

Array = np.ndarray[Any, Any]

EMPTY, ONE = np.uint64(0), np.uint64(1)
FEW = 5
"""Combinations are counted up to so many rows, more are as many: what k-anonymity with such a k must know."""
TIMES = np.uint64(7)
"""The last bits of a combination's number, which say how often more it came, up to `FEW` in all."""
_SHIFT = np.uint64(8)
_TOGETHER = 64
_SOME_ROWS = 1 << 11


@compiled
def hashes(data: Array, offsets: Array, key: Array, out: Array) -> None:
    """The number of each text: SipHash, spread evenly twice, as `pandas.util.hash_array` and then we do."""
    for text in range(len(out)):
        start, end = offsets[text], offsets[text + 1]
        out[text] = mixed(mixed(siphash(data[start:end], end - start, key)))


@compiled
def spread(codes: Array, own: Array, out: Array) -> None:
    """Each row's number by its code."""
    for row in range(len(codes)):
        out[row] = own[codes[row]]


@compiled
def add(numbers: Array, rows: Array, start: int, table: Array, counts: Array, state: Array) -> int:
    """Count the rows of each number."""
    last, limit, held, most = np.uint64(len(table) - 1), state[0], state[1], state[2]
    stopped = len(numbers)
    for at in range(start, len(numbers)):
        number = max(numbers[at], ONE)
        if number > limit:
            continue
        place = (number >> _SHIFT) & last
        while table[place] != EMPTY and table[place] != number:
            place = (place + ONE) & last
        if table[place] == EMPTY:
            if held >= most:
                stopped = at
                break
            table[place] = number
            held += ONE
        counts[place] += rows[at]
    state[1] = held
    return stopped


@compiled
def add_sums(
    own: Array, columns: Array, rows: Array, start: int, table: Array, counts: Array, state: Array
) -> int:
    """Count the rows of tuples by numbers made of a sum: what each of these columns has for it.

    Of some tuples at a time, so that their numbers never leave the nearest memory.
    """
    room = np.empty(_SOME_ROWS, np.uint64)
    for first in range(start, len(rows), _SOME_ROWS):
        last = min(first + _SOME_ROWS, len(rows))
        part = room[: last - first]
        part[:] = EMPTY
        for column in columns:
            part += own[column][first:last]
        for at in range(len(part)):
            part[at] = mixed(part[at])
        stopped = first + add(part, rows[first:last], 0, table, counts, state)
        if stopped < last:
            return stopped
    return len(rows)


@compiled
def tally(codes: Array, columns: Array, sizes: Array, cells: Array) -> None:
    """How often combinations of few codes occur, up to `FEW` times; some rows at a time.

    `sizes` holds how many codes each of these columns has.
    """
    part = np.empty(_SOME_ROWS, np.int32)
    for first in range(0, codes.shape[1], _SOME_ROWS):
        rows = min(_SOME_ROWS, codes.shape[1] - first)
        part[:] = 0
        for at in range(len(columns)):
            size, own = np.int32(sizes[at]), codes[columns[at]][first : first + rows]
            for row in range(rows):
                part[row] = part[row] * size + own[row]
        for row in range(rows):
            cells[part[row]] = min(cells[part[row]] + 1, FEW)


@compiled
def of_cells(cells: Array, sizes: Array, own: Array, out: Array, times: Array) -> int:
    """The number of each combination that was tallied, and how often it came; how many there are.

    `own` holds the numbers of the codes, one column after the other.
    """
    found = 0
    for cell in range(len(cells)):
        if not cells[cell]:
            continue
        total, rest, first = EMPTY, cell, len(own)
        for at in range(len(sizes) - 1, -1, -1):
            first -= sizes[at]
            total += own[first + rest % sizes[at]]
            rest //= sizes[at]
        out[found], times[found] = mixed(total), cells[cell]
        found += 1
    return found


@compiled
def note(numbers: Array, times: Array, start: int, table: Array, state: Array) -> int:
    """Note which tuples occur, and by the last bits of each how often it came.

    The places of some are touched before they are needed, so that the processor waits for them together.
    """
    last, limit, held, most = np.uint64(len(table) - 1), state[0], state[1], state[2]
    let_in, touched = np.empty(_TOGETHER, np.int64), EMPTY
    for first in range(start, len(numbers), _TOGETHER):
        few = 0
        for at in range(first, min(first + _TOGETHER, len(numbers))):
            let_in[few] = at
            few += numbers[at] <= limit
        for one in range(few):
            touched |= table[(numbers[let_in[one]] >> _SHIFT) & last]
        for one in range(few):
            at = let_in[one]
            known = max(numbers[at] | TIMES, TIMES + TIMES + ONE)  # none looks like an empty place
            place = (numbers[at] >> _SHIFT) & last
            while table[place] != EMPTY and table[place] | TIMES != known:
                place = (place + ONE) & last
            if table[place] != EMPTY:
                came = (table[place] & TIMES) + np.uint64(times[at])
                table[place] = known - TIMES + min(came, np.uint64(FEW - 1))
                continue
            if held >= most:
                state[1] = held
                return int(at)
            table[place] = known - TIMES + np.uint64(min(times[at], FEW) - 1)
            held += ONE
    state[1], state[3] = held, touched
    return len(numbers)


@compiled
def note_rows(
    base: Array, own: Array, more: Array, less: Array, start: int, table: Array, state: Array
) -> int:
    """Note rows by their numbers, made of a sum: that of a set nearby, more columns and less columns.

    Of some rows at a time, so that their numbers never leave the nearest memory.
    """
    room, once = np.empty(_SOME_ROWS, np.uint64), np.ones(_SOME_ROWS, np.uint8)
    for first in range(start, len(base), _SOME_ROWS):
        last = min(first + _SOME_ROWS, len(base))
        part = room[: last - first]
        part[:] = base[first:last]
        for column in more:
            part += own[column][first:last]
        for column in less:
            part -= own[column][first:last]
        for row in range(len(part)):
            part[row] = mixed(part[row])
        stopped = first + note(part, once, 0, table, state)
        if stopped < last:
            return stopped
    return len(base)


@compiled
def gathered(table: Array, limit: Any, out: Array) -> int:
    """The numbers of a table that are let in; how many there are.

    `out` has room for one more, or is the table itself.
    """
    found = 0
    for number in table:
        out[found] = number
        found += (number != EMPTY) & (number <= limit)
    return found


@compiled
def moved(held: Array, table: Array) -> None:
    """Put what another table held into an empty one that has room for it."""
    last = np.uint64(len(table) - 1)
    for at in range(len(held)):
        place = (held[at] >> _SHIFT) & last
        while table[place] != EMPTY:
            place = (place + ONE) & last
        table[place] = held[at]
