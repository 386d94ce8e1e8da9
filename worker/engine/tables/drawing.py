"""Draws for rows: the same for a row whatever piece it comes in and whichever other rows are left."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from worker.engine.randomness import Source
from worker.engine.tables.column import Column, Floats
from worker.engine.tables.table import BLOCK, Chunk

if TYPE_CHECKING:
    from numpy.random import Generator

Shape = Literal["gaussian", "laplace", "uniform"]
Words = np.ndarray[Any, np.dtype[np.uint64]]
T = TypeVar("T", np.float64, np.uint64)


def of_rows(
    chunk: Chunk, block: int, rows: slice, draw: Callable[[int], np.ndarray[Any, np.dtype[T]]]
) -> np.ndarray[Any, np.dtype[T]]:
    """What `draw(n)`, which draws for the first n rows of a block, gives to the rows that are there."""
    if chunk.is_contiguous and (chunk.first_row + rows.start) % BLOCK == 0:
        return draw(rows.stop - rows.start)
    at = chunk.row_ids[rows] - block * BLOCK
    drawn: np.ndarray[Any, np.dtype[T]] = draw(int(at[-1]) + 1)[at]
    return drawn


def put_noise(out: Floats, chunk: Chunk, block: int, rows: slice, generator: Generator, shape: Shape) -> None:
    """Noise with mean 0 and standard deviation 1 for the rows that are there, written where it is wanted."""
    if shape == "gaussian" and chunk.is_contiguous and (chunk.first_row + rows.start) % BLOCK == 0:
        generator.standard_normal(out=out)
    else:
        out[:] = of_rows(chunk, block, rows, partial(unit_noise, generator, shape))


def unit_noise(generator: Generator, shape: Shape, rows: int) -> Floats:
    """Noise with mean 0 and standard deviation 1."""
    if shape == "gaussian":
        return generator.standard_normal(rows)
    if shape == "uniform":
        return np.asarray((generator.random(rows) - 0.5) * np.sqrt(12.0))
    pairs = generator.standard_exponential(2 * rows)
    return np.asarray((pairs[0::2] - pairs[1::2]) * np.sqrt(0.5))


def words(generator: Generator, size: int, rows: int) -> Words:
    """A word of 32 or 64 random bits for each row, as 64-bit or 32-bit unsigned numbers."""
    raw: Words = generator.bit_generator.random_raw(rows if size == 64 else (rows + 1) // 2)
    return raw if size == 64 else raw.view(np.uint32)[:rows]  # type: ignore[return-value]


def hashed_noise(hashes: Words, shape: Shape) -> Floats:
    """The same noise from 64 keyed bits, for values that rows share."""
    high = ((hashes >> np.uint64(32)).astype(np.float64) + 0.5) / 2.0**32
    low = ((hashes & np.uint64(0xFFFFFFFF)).astype(np.float64) + 0.5) / 2.0**32
    if shape == "gaussian":
        return np.asarray(np.sqrt(-2.0 * np.log(high)) * np.cos(2.0 * np.pi * low))
    if shape == "uniform":
        return np.asarray((high - 0.5) * np.sqrt(12.0))
    return np.asarray((np.log(high) - np.log(low)) * np.sqrt(0.5))


def shared_noise(groups: Column, shape: Shape, source: Source, purpose: str) -> Floats:
    """One draw per distinct value of a column; NaN where that value is missing."""
    used, where = np.unique(groups.codes, return_inverse=True)
    texts = groups.labels.take(used).to_pylist()
    noise = hashed_noise(source.keyed_hash(texts, purpose), shape)
    noise[groups.missing[used]] = np.nan
    return noise[where.reshape(-1)]
