"""What left the last step is kept for those who measure it: no step runs for them, and the memory holds."""

import tracemalloc
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.running import recipe_of, run, without_times
from worker.engine import catalogue
from worker.engine.contracts.samples import sample_columns, sample_table
from worker.engine.execution import kept, local, work
from worker.engine.reporting import Reporter
from worker.engine.tables.column import Column
from worker.engine.tables.dense import Numbers, codes_of
from worker.engine.tables.kinds import Kind
from worker.engine.tables.table import BLOCK, Field, Schema, Table

METHODS = [cls for cls in catalogue.methods().values() if not cls.tabulates]
EXAMPLES = [pytest.param(one, id=f"{c.slug}-{i}") for c in METHODS for i, one in enumerate(c.examples())]


class Stages(Reporter):
    """Knows what is being done."""

    stage_now = ""

    def show(self, stage, fraction):
        self.stage_now = stage


@cache
def sampled(rows):
    """The sample, made once: rows are written one by one."""
    return sample_table(rows)


@pytest.mark.parametrize("keep_order", [True, False])
@pytest.mark.parametrize("example", EXAMPLES)
def test_no_step_runs_for_a_measure(example, keep_order, monkeypatch):
    reporter, seen, method = Stages(), [], type(example)
    honest = method.transform

    def watched(self, chunk, plan, source):
        seen.append((reporter.stage_now, chunk.first_row, chunk.rows))
        return honest(self, chunk, plan, source)

    monkeypatch.setattr(method, "transform", watched)
    goals = [("k-anonymity", {"k": 2})] if example.enforces else []
    recipe = recipe_of(sample_columns(), goals, [(example.slug, example.params())], ["*"])
    table = sampled(BLOCK + 10) if example.scope == "rows" and not example.enforces else sample_table()
    run(recipe, table, blocks=1, keep_order=keep_order, reporter=reporter, categories={})
    writing = [place for stage, *place in seen if stage == "Writing the release"]
    assert len(writing) == -(-table.rows // BLOCK)
    on_rows = [stage for stage, *_ in seen if stage != "Writing the release"]
    assert not on_rows or example.per_tuple, "distinct tuples may be gone through instead of rows"


@pytest.mark.parametrize("keep_order", [True, False])
def test_what_is_measured_does_not_depend_on_how_rows_are_kept(keep_order, monkeypatch):
    steps = [
        ("generalization", {"suppression_limit": 0.2, "drop_suppressed": True}),
        ("noise", {"column": "income"}),
        ("pram", {"column": "disease"}),
        ("sampling", {"share": 0.7}),
    ]
    columns = sample_columns()
    recipe = recipe_of(columns, [("k-anonymity", {"k": 3})], steps, ["*"])
    whole = run(recipe, sample_table(1000), keep_order=keep_order)
    monkeypatch.setattr(kept, "SEGMENT", 64)
    pieces = run(recipe, sample_table(1000), keep_order=keep_order, memory=2_000_000)
    assert pieces[0] == whole[0]
    for section in ("measures", "goals"):
        assert rounded(without_times(pieces[1][section])) == rounded(without_times(whole[1][section]))


def rounded(value):
    """Sums over pieces end in other digits than sums over the whole."""
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    return round(value, 9) if isinstance(value, float) else value


NAMES = ("a", "b")
SCHEMA = Schema((Field("a", Kind.CATEGORICAL), Field("b", Kind.INTEGER)))


class Rows:
    """Chunks of which some rows are gone."""

    schema = SCHEMA

    def __init__(self, table, masks):
        self.pieces = []
        for start, mask in zip(range(0, table.rows, BLOCK), masks, strict=True):
            rows = slice(start, start + BLOCK)
            piece = Table([c.take(rows) for c in table.columns], start, len(mask))
            self.pieces.append(piece.filter(mask))

    def chunks(self, columns):
        yield from (piece.select(columns) for piece in self.pieces)


def numbered(rows):
    return Table(
        [
            Column.of_texts("a", [str(i % 9) for i in range(rows)]),
            Column.of_texts("b", list(map(str, range(rows)))),
        ]
    )


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.4, 0.999, 1.0]))
def test_rows_keep_their_numbers(seed, share):
    generator = np.random.default_rng(seed)
    table = numbered(2 * BLOCK + 77)
    masks = [generator.random(rows) < share for rows in (BLOCK, BLOCK, 77)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "SEGMENT", 30_000)
        data = Rows(table, masks)
        held = kept.hold(data, NAMES, 100_000)
    chunks = list(held.chunks(NAMES))
    ids = np.concatenate([chunk.row_ids for chunk in chunks] or [np.zeros(0, np.int64)])
    assert ids.tolist() == np.flatnonzero(np.concatenate(masks)).tolist()
    assert [text for chunk in chunks for text in chunk["b"].texts()] == [str(one) for one in ids]
    assert held.rows == len(ids) == sum(chunk.rows for chunk in held.chunks(()))


def dense(names, rows):
    """Columns with a value for nearly every row."""
    generator, none = np.random.default_rng(1), pa.array([""])
    numbers = [codes_of(pa.array(np.round(generator.normal(size=rows), 6))) for _ in names]
    return Table(Numbers(name, Kind.DECIMAL, codes, none) for name, codes in zip(names, numbers, strict=True))


def test_all_that_is_held_while_measuring_stays_below_the_limit(monkeypatch):
    """Rows, tables of both sides, counters: in sum, though every column has a value for nearly every row."""
    rows, memory, peaks = 3 * BLOCK, 96 << 20, {}
    names = [f"n{i}" for i in range(12)]
    table = dense(names, rows)
    steps = [("noise", {"column": name}) for name in names]
    columns = {name: {"role": "other", "kind": "decimal"} for name in names}
    recipe = recipe_of(columns, [], steps, ["marginals"])
    run(recipe, table, keep_order=True, memory=memory)  # loads and compiles what has to be
    write, measure = local._write, work.measured

    def writing(*given):
        tracemalloc.start()
        write(*given)
        tracemalloc.reset_peak()  # what is kept is held from here on

    def measuring(*given):
        found = measure(*given)
        peaks[limit] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    monkeypatch.setattr(local, "_write", writing)
    monkeypatch.setattr(work, "measured", measuring)
    for limit in (memory, None):
        run(recipe, table, keep_order=True, memory=limit)
    # A twentieth more is what a process that ran many other tests was seen to hold besides.
    assert peaks[memory] < 1.05 * memory < peaks[None]
