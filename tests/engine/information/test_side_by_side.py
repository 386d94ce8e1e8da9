"""Both sides row by row: whatever pieces they come in, however their columns are held."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from worker.engine.execution.dataset import Dataset
from worker.engine.information.side_by_side import SideBySide, exactly, in_bins
from worker.engine.recipes.document import ColumnPart
from worker.engine.reporting import NullReporter
from worker.engine.tables.column import Column
from worker.engine.tables.dense import Numbers, codes_of
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import BLOCK, MemorySource, Table

ROWS = 2 * BLOCK + 100
PARTS = {"x": ColumnPart(role="other", kind="decimal"), "y": ColumnPart(role="other", kind="categorical")}


class Thinned(MemorySource):
    """Some rows are gone, and one whole block."""

    def chunks(self, columns=None):
        for chunk in super().chunks(columns):
            ids = chunk.row_ids
            kept = chunk.filter((ids % 3 > 0) & (ids // BLOCK != 1))
            if kept.rows:
                yield kept


def dense(numbers):
    return Numbers("x", Kind.DECIMAL, codes_of(pa.array(numbers)), pa.array([""]))


def listed(numbers):
    return Column.of_numbers("x", Kind.DECIMAL, numbers)


def fresh(numbers):
    return NumberColumn("x", Kind.DECIMAL, numbers)


def statistics(source):
    return Statistics(Dataset(source, PARTS, {}, None, False), {}, NullReporter())


def cells(table):
    texts = [domain.column(codes).texts() for domain, codes in zip(table.domains, table.codes, strict=True)]
    return Counter(dict(zip(zip(*texts, strict=True), table.counts.tolist(), strict=True)))


@pytest.mark.parametrize("held", [dense, listed, fresh])
@pytest.mark.parametrize("blocks", [1, 2, 16])
def test_each_row_meets_what_became_of_it(held, blocks):
    numbers = np.arange(ROWS) % 997 / 4
    labels = Column.of_texts("y", [f"v{i % 7}" for i in range(ROWS)])
    released = Table([held(numbers + 1), labels.relabelled([text.upper() for text in labels.label_texts])])
    source = Thinned(released, blocks_per_chunk=blocks)
    was = statistics(MemorySource(Table([dense(numbers), labels]), blocks_per_chunk=4))
    beside = was.over(SideBySide(was, statistics(source), ROWS))
    beside.announce([exactly("x"), exactly("y")])
    ids = np.arange(ROWS)
    stays = ((ids % 3 > 0) & (ids // BLOCK != 1)).tolist()
    texts = {
        "x": ([f"{one:g}" for one in numbers], [f"{one:g}" for one in numbers + 1]),
        "y": ([f"v{i % 7}" for i in range(ROWS)], [f"V{i % 7}" for i in range(ROWS)]),
    }
    for name, (old, new) in texts.items():
        told = (text if kept else "*" for text, kept in zip(new, stays, strict=True))
        assert cells(beside.counts(exactly(name).columns)) == Counter(zip(old, told, strict=True))


def test_bins_are_those_of_the_original():
    numbers = np.arange(1000) / 4
    was = statistics(MemorySource(Table([dense(numbers), Column.of_texts("y", ["a"] * 1000)])))
    after = Table([fresh(numbers + 1000), Column.of_texts("y", ["a"] * 1000)])
    beside = was.over(SideBySide(was, statistics(MemorySource(after)), 1000))
    table = beside.counts(in_bins("x").columns)
    assert sorted(table.counts.tolist()) == [100] * 10
    assert len(table.domains[1]) == 1
