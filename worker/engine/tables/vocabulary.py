"""One code per distinct text of a column across all chunks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from worker.engine.arrays import Longs
from worker.engine.tables.column import Codes, Column, Mask

MANY_ROWS, FEW_LABELS = 1 << 18, 1 << 12


class Vocabulary:
    """Grows while chunks are read. Unless labels are foreseen, only values that occur in a row enter it."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.in_order = True
        """Whether codes are in the order of texts."""
        self.missing: list[bool] = []
        self._codes: dict[str, int] = {}
        self._last: tuple[pa.Array, Codes] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def foresee(self, column: Column) -> None:
        """Take up all labels of the first column met, in order, so that codes need not be ordered later."""
        if self.texts:
            return
        labels = column.label_texts
        texts = dict(zip(labels, column.missing.tolist(), strict=True))
        self.texts = sorted(texts)
        self.missing = [texts[text] for text in self.texts]
        self._codes = {text: code for code, text in enumerate(self.texts)}
        self._last = column.labels, np.fromiter(map(self._codes.__getitem__, labels), np.int32, len(labels))

    def encode(self, column: Column) -> Codes:
        """The code of each row."""
        to = self.translation(column)
        if len(to) < len(column.codes) and np.array_equal(to, np.arange(len(to))):
            return column.codes
        return to.take(column.codes)

    def translation(self, column: Column) -> Codes:
        """The code of each label that occurs in a row; -1 for labels that did not occur so far."""
        if self._last is not None and self._last[0] is column.labels and self._last[1].min(initial=0) >= 0:
            return self._last[1]
        return self._known(column, np.flatnonzero(tally(column)))

    def counted(self, column: Column) -> tuple[Codes, Longs]:
        """The codes that occur and their rows; a code occurs twice when two labels are the same text."""
        rows = tally(column)
        used = np.flatnonzero(rows)
        return self._known(column, used)[used], rows[used]

    def _known(self, column: Column, used: np.ndarray[Any, np.dtype[np.intp]]) -> Codes:
        if self._last is None or self._last[0] is not column.labels:
            self._last = column.labels, np.full(len(column.labels), -1, np.int32)
        translation = self._last[1]
        fresh = used[translation[used] < 0]
        texts = column.labels.take(pa.array(fresh)).to_pylist()
        for label, text in zip(fresh.tolist(), texts, strict=True):
            translation[label] = self._code(text, bool(column.missing[label]))
        return translation

    def lookup(self, column: Column) -> Codes:
        """The code of each label already known, without growing; -1 for others."""
        texts = column.labels.to_pylist()
        return np.fromiter((self._codes.get(text, -1) for text in texts), np.int32, len(texts))

    def sorted(self) -> tuple[Codes, list[str], Mask]:
        """Where each code goes when texts are sorted, the sorted texts, and which are missing."""
        order = sorted(range(len(self.texts)), key=self.texts.__getitem__)
        ranks: np.ndarray[Any, np.dtype[np.int32]] = np.empty(len(order), np.int32)
        ranks[order] = np.arange(len(order), dtype=np.int32)
        return ranks, [self.texts[i] for i in order], np.array([self.missing[i] for i in order], dtype=bool)

    def _code(self, text: str, missing: bool) -> int:
        code = self._codes.get(text)
        if code is None:
            self.in_order = self.in_order and (not self.texts or self.texts[-1] < text)
            code = self._codes[text] = len(self.texts)
            self.texts.append(text)
            self.missing.append(missing)
        return code


def tally(column: Column) -> Longs:
    """Rows per label. A compiled loop pays from some number of rows on, and the web process has none."""
    if len(column.codes) < MANY_ROWS or len(column.labels) > FEW_LABELS:
        return np.bincount(column.codes, minlength=len(column.labels))
    from worker.engine.kernels.tally import tallied

    counted: Longs = tallied(column.codes, len(column.labels))
    return counted
