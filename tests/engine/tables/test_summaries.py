"""Statistics that are added up do not depend on how the rows were cut."""

import numpy as np
import pytest

from tests.engine.methods.running import Tagged
from worker.engine.execution.dataset import Dataset
from worker.engine.randomness import Source, key_from_seed, step_names
from worker.engine.reporting import NullReporter
from worker.engine.tables.column import Column
from worker.engine.tables.kinds import Kind
from worker.engine.tables.numeric import NumberColumn
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.summaries import joined
from worker.engine.tables.table import BLOCK, MemorySource, Table

ROWS = 3 * BLOCK + 11


def table() -> Table:
    rng = np.random.default_rng(1)
    x = 1e6 + rng.standard_normal(ROWS)
    y = x + rng.standard_normal(ROWS)
    y[::50] = np.nan
    return Table([NumberColumn("x", Kind.DECIMAL, x), NumberColumn("y", Kind.DECIMAL, y)])


def asked(blocks: int) -> Statistics:
    source = MemorySource(table(), blocks_per_chunk=blocks)
    data = Dataset(source, {"x": Tagged(kind=Kind.DECIMAL), "y": Tagged(kind=Kind.DECIMAL)}, {})
    return Statistics(data, {}, NullReporter())


def test_moments_and_covariances_are_numpys_for_any_cutting():
    before, pieces = asked(16), asked(1)
    x, y = table()["x"].numbers, table()["y"].numbers
    known = ~np.isnan(y)
    moments = before.moments("y")
    assert moments == pieces.moments("y")
    assert moments.missing == (~known).sum()
    assert moments.mean == pytest.approx(y[known].mean(), rel=1e-12)
    assert moments.variance == pytest.approx(y[known].var(ddof=1), rel=1e-9)
    assert (moments.minimum, moments.maximum) == (y[known].min(), y[known].max())
    found = before.covariance(["x", "y"])
    assert np.array_equal(found.matrix, pieces.covariance(["x", "y"]).matrix)
    assert found.matrix == pytest.approx(np.cov(x[known], y[known]), rel=1e-9)
    assert found.rows == known.sum()


def test_whole_columns_and_samples_are_the_same_for_any_cutting():
    wholes = [asked(blocks).table(["y", "x"]) for blocks in (1, 16)]
    assert np.array_equal(wholes[0]["x"].numbers, table()["x"].numbers)
    assert np.array_equal(wholes[0]["y"].numbers, wholes[1]["y"].numbers, equal_nan=True)
    samples = [asked(blocks).sample(["x"], 1000, Source(key_from_seed(1))) for blocks in (1, 16)]
    assert np.array_equal(samples[0].row_ids, samples[1].row_ids)
    assert len(np.unique(samples[0].row_ids)) == 1000
    assert np.array_equal(samples[0]["x"].numbers, table()["x"].numbers[samples[0].row_ids])
    assert len(asked(1).sample(["x"], 10**9, Source(key_from_seed(1)))) == ROWS


def test_pieces_with_labels_of_their_own_are_joined():
    pieces = [
        Column.of_texts("x", ["a", "b", ""]),
        Column.of_texts("x", ["b", "NA", "c"]).described(missing_texts=frozenset({"NA"})),
    ]
    whole = joined(pieces, "x", Kind.TEXT)
    assert whole.texts() == ["a", "b", "", "b", "", "c"]
    assert whole.missing_rows.tolist() == [False, False, True, False, True, False]
    assert joined([], "x", Kind.TEXT).texts() == []


def test_steps_are_named_by_what_they_do():
    one, other = ("noise", {"column": "a", "amount": 1}), ("noise", {"amount": 1, "column": "b"})
    there, back = step_names([one, other]), step_names([other, one])
    assert there == back[::-1]
    assert len(set(step_names([one, one, one]))) == 3
    assert step_names([one, other])[0] == step_names([one])[0]
    assert step_names([("noise", {"column": "a", "amount": 2})]) != step_names([one])
