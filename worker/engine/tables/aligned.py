"""Whole columns in a plan, row by row beside the data: each chunk finds its own rows again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from worker.engine.tables.table import Chunk, Table


@dataclass(frozen=True)
class Aligned:
    """Columns decided for all rows at once."""

    table: Table

    def put_into(self, chunk: Chunk) -> Chunk:
        """The chunk with its rows of these columns."""
        if not chunk.rows:
            return chunk
        if self.table.is_contiguous and chunk.is_contiguous:
            start = chunk.first_row - self.table.first_row
            rows: slice | np.ndarray[tuple[int], np.dtype[np.int32]] = slice(start, start + chunk.rows)
        else:
            rows = np.searchsorted(self.table.row_ids, chunk.row_ids).astype(np.int32)
        return chunk.with_columns(*(column.take(rows) for column in self.table.columns))
