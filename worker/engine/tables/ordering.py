"""The order of many numbers, found by sorting one integer per row that holds both number and row.

Sorting packed integers is several times faster than `argsort`, which follows pointers. The low bits of
the number give way to the row; the few rows that only those bits tell apart are put right afterwards.
Equal numbers come in a random order, so that their order in the input tells nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from worker.engine.kernels.compiled import compiled
from worker.engine.tables.column import Floats

if TYPE_CHECKING:
    from numpy.random import Generator

Order = np.ndarray[Any, np.dtype[np.int32]]
_Packed = np.ndarray[Any, np.dtype[np.uint64]]
LONGEST_RUN = 64


def order_of(numbers: Floats, generator: Generator) -> Order:
    """Positions in ascending order of numbers, none of which is NaN."""
    rows = len(numbers)
    bits = max(1, (rows - 1).bit_length())
    factor = int(generator.integers(0, 1 << bits)) | 1
    packed = np.empty(rows, np.uint64)
    bound = np.ascontiguousarray(numbers, np.float64)
    exact = _pack(bound, bits, factor, packed)
    packed.sort()
    order: Order = np.empty(rows, np.int32)
    _unpack(packed, bits, pow(factor, -1, 1 << bits), order)
    if exact or _mend(packed, bound, bits, order):
        return order
    shuffled = generator.permutation(rows).astype(np.int32)
    return shuffled[np.argsort(numbers[shuffled], kind="stable")]


def gathered(values: Any, order: Order) -> Any:
    """`values[order]`; about twice as fast."""
    fresh = np.empty(len(order), values.dtype)
    _gather(values, order, fresh)
    return fresh


def scattered(values: Any, order: Order) -> Any:
    """The array that has `values` at the positions of `order`."""
    fresh = np.empty(len(order), values.dtype)
    _scatter(values, order, fresh)
    return fresh


@compiled
def _pack(numbers: Floats, bits: int, factor: int, packed: _Packed) -> bool:
    """Returns whether no number loses anything to its row."""
    low = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    sign = np.uint64(1) << np.uint64(63)
    words = numbers.view(np.uint64)
    lost = np.uint64(0)
    for i in range(len(numbers)):
        word = words[i] if numbers[i] != 0.0 else np.uint64(0)  # one zero, not two
        lost |= word & low
        key = ~word if word & sign else word | sign
        packed[i] = (key & ~low) | ((np.uint64(i) * np.uint64(factor)) & low)
    return bool(lost == 0)


@compiled
def _unpack(packed: _Packed, bits: int, inverse: int, order: Order) -> None:
    low = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    for i in range(len(packed)):
        order[i] = np.int32((packed[i] & low) * np.uint64(inverse) & low)


@compiled
def _mend(packed: _Packed, numbers: Floats, bits: int, order: Order) -> bool:
    """Sort the short runs that only the lost bits tell apart; gives up on long ones."""
    low = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    start = 0
    for i in range(1, len(packed)):
        if packed[i] & ~low != packed[start] & ~low:
            start = i
            continue
        row, at = order[i], i
        if not numbers[row] < numbers[order[i - 1]]:
            continue
        if i - start > LONGEST_RUN:
            return False
        while at > start and numbers[row] < numbers[order[at - 1]]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = row
    return True


@compiled
def _gather(values: Any, order: Order, fresh: Any) -> None:
    for i in range(len(order)):
        fresh[i] = values[order[i]]


@compiled
def _scatter(values: Any, order: Order, fresh: Any) -> None:
    for i in range(len(order)):
        fresh[order[i]] = values[i]
