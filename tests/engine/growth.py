"""How much work something does, in counts that are the same on every machine."""

import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from worker.engine.contracts.samples import sample_table
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import MemorySource, Table

FEW, MANY = 1_500, 6_000
SLACK = 1.2
"""A list that doubles when it is full, a merge of more pieces."""


@dataclass(frozen=True)
class Work:
    """Lines that the interpreter went to, cells that were read, and the most bytes held at once."""

    lines: int
    cells: int
    bytes: int

    def times(self, less: "Work") -> dict[str, float]:
        """How many times as much it is as another."""
        return {name: figure / max(getattr(less, name), 1) for name, figure in vars(self).items()}


@cache
def varied(rows: int) -> Table:
    """The sample with columns in which nearly every row has a value of its own."""
    whole = {
        "zip": (Kind.TEXT, [str(10_000 + i) for i in range(rows)]),
        "income": (Kind.DECIMAL, [f"{900 + i / 100:.2f}" for i in range(rows)]),
        "visits": (Kind.INTEGER, [str(i % 1000) for i in range(rows)]),
    }
    fresh = (Column.of_texts(name, texts, kind) for name, (kind, texts) in whole.items())
    return sample_table(rows).with_columns(*fresh)


def done_by(work: Callable[[], Any]) -> Work:
    """What a piece of work takes. It runs once before, so that nothing is loaded or compiled meanwhile."""
    most = _most_bytes(work)
    return Work(*steps_of(work), most)


def steps_of(work: Callable[[], Any]) -> tuple[int, int]:
    """How many lines the interpreter goes to, each turn of a loop anew, and how many cells it reads.

    Its instructions would tell the same, and take six times as long to count.
    """
    counted = {"lines": 0, "cells": 0}
    honest, outside = MemorySource.chunks, sys.gettrace()

    def watched(self: MemorySource, columns: Any = None) -> Any:
        for chunk in honest(self, columns):
            counted["cells"] += chunk.rows * max(len(chunk.columns), 1)
            yield chunk

    def traced(frame: Any, event: str, _: Any) -> Any:
        counted["lines"] += event == "line"
        return traced

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MemorySource, "chunks", watched)
        sys.settrace(traced)
        try:
            work()
        finally:
            sys.settrace(outside)
    return counted["lines"], counted["cells"]


def _most_bytes(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
