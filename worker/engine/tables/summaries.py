"""What statistics are added up with: block by block in order, so that the cutting of rows does not matter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from worker.engine.randomness import Source
from worker.engine.tables.column import Codes, Column, Floats
from worker.engine.tables.dense import Numbers
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.table import BLOCK, Chunk, Rows, Table

Features = Callable[[Sequence[Column]], Floats]
"""Makes a matrix of numbers (features × rows) of some columns; NaN where one is not known."""


@dataclass(frozen=True)
class Covariance:
    """Count, means, and covariances with divisor n − 1."""

    rows: int
    mean: Floats
    matrix: Floats


FEW = 12


class Spread:
    """Adds blocks of rows up to their means and covariances, without cancellation."""

    def __init__(self, width: int) -> None:
        self._rows = 0
        self._mean = np.zeros(width)
        self._products = np.zeros((width, width))

    def add(self, block: Floats) -> None:
        """One block (features × rows) of which only the rows without NaN count."""
        sums = block.sum(axis=1)
        if np.isnan(sums).any():
            block = block[:, ~np.isnan(block).any(axis=0)]
            sums = block.sum(axis=1)
        count = block.shape[1]
        if not count:
            return
        mean = sums / count
        rows = self._rows + count
        step = mean - self._mean
        self._products += _products(block - mean[:, None])
        self._products += np.outer(step, step) * (self._rows * count / rows)
        self._mean = self._mean + step * (count / rows)
        self._rows = rows

    def result(self) -> Covariance:
        """What has been added."""
        return Covariance(self._rows, self._mean, self._products / max(self._rows - 1, 1))


def _products(centred: Floats) -> Floats:
    """The product with its transpose. Summed pair by pair when few: more exact, and no threads are woken."""
    width = len(centred)
    if width > FEW:
        return np.asarray(centred @ centred.T)
    found = np.empty((width, width))
    for i in range(width):
        for j in range(i + 1):
            found[i, j] = found[j, i] = (centred[i] * centred[j]).sum()
    return found


def numbers_of(block: Sequence[Column]) -> Floats:
    """The columns' own numbers."""
    return np.stack([column.numbers for column in block])


def chosen_rows(chunks: Iterable[Chunk], rows: int, source: Source) -> Rows:
    """The row numbers of a simple random sample: those with the smallest draws."""
    ids, draws = [np.zeros(0, np.int64)], [np.zeros(0)]
    for chunk in chunks:
        for block, where in chunk.blocks():
            found = chunk.row_ids[where]
            at = found - block * BLOCK
            ids.append(found)
            draws.append(source.stream("\x00sample", block).random(int(at[-1]) + 1)[at])
    priority, numbers = np.concatenate(draws), np.concatenate(ids)
    if rows < len(numbers):
        numbers = numbers[np.argpartition(priority, rows)[:rows]]
    return np.sort(numbers)


def joined_table(pieces: Sequence[Table], columns: Sequence[tuple[str, Kind]]) -> Table:
    """Pieces in order as one table."""
    whole = [joined([piece[name] for piece in pieces], name, kind) for name, kind in columns]
    rows = sum(piece.rows for piece in pieces)
    if all(piece.is_contiguous for piece in pieces):
        return Table(whole, pieces[0].first_row if pieces else 0, rows)
    return Table(whole, 0, rows, np.concatenate([piece.row_ids for piece in pieces]))


def joined(pieces: Sequence[Column], name: str, kind: Kind) -> Column:
    """Pieces of one column as one, over one list of labels."""
    if not pieces:
        return Column.of_texts(name, [], kind)
    if all(isinstance(piece, NumberColumn) for piece in pieces):
        told = [piece.known_places for piece in pieces if isinstance(piece, NumberColumn)]
        places = None if None in told else max(one for one in told if one is not None)
        return NumberColumn(name, kind, np.concatenate([piece.numbers for piece in pieces]), places)
    dense = [piece for piece in pieces if isinstance(piece, Numbers)]
    if len(dense) == len(pieces) and all(piece.others.equals(dense[0].others) for piece in dense):
        whole = Numbers(name, kind, np.concatenate([piece.values for piece in dense]), dense[0].others)
        return Column(name, kind, whole.codes, whole.labels, whole.missing)
    if all(piece.labels is pieces[0].labels for piece in pieces):
        codes = np.concatenate([piece.codes for piece in pieces])
        return Column(name, kind, codes, pieces[0].labels, pieces[0].missing)
    return _unified(pieces, name, kind)


def _unified(pieces: Sequence[Column], name: str, kind: Kind) -> Column:
    own = [pa.array(np.arange(len(piece.labels), dtype=np.int32)) for piece in pieces]
    listed = [
        pa.DictionaryArray.from_arrays(codes, piece.labels.cast(pa.string()))
        for codes, piece in zip(own, pieces, strict=True)
    ]
    merged = pa.chunked_array(listed).unify_dictionaries()
    maps: list[Codes] = [chunk.indices.to_numpy() for chunk in merged.chunks]
    labels = merged.chunk(0).dictionary
    missing: np.ndarray[Any, np.dtype[np.bool_]] = np.zeros(len(labels), bool)
    for to, piece in zip(maps, pieces, strict=True):
        missing[to[piece.missing]] = True
    codes = [to[piece.codes] if len(to) else piece.codes for to, piece in zip(maps, pieces, strict=True)]
    return Column(name, kind, np.concatenate(codes), labels, missing)
