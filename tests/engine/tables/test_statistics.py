"""Statistics do not depend on how the rows were cut, and consent keeps rows out."""

import math
import statistics as plain
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.running import recipe_of, table_of
from worker.engine.errors import EngineError, LimitExceeded
from worker.engine.execution.dataset import Dataset
from worker.engine.reporting import NullReporter
from worker.engine.tables.after_steps import Replay
from worker.engine.tables.column import Column
from worker.engine.tables.counting import Counter
from worker.engine.tables.dense import Numbers
from worker.engine.tables.keys import Packer, pack
from worker.engine.tables.kinds import Kind, Role
from worker.engine.tables.long_table import LongTable
from worker.engine.tables.questions import CountsOf
from worker.engine.tables.statistics import Statistics
from worker.engine.tables.table import Field, MemorySource, Schema, Table


def statistics_of(table, columns, memory=None):
    recipe = recipe_of(columns)
    data = Dataset(MemorySource(table), recipe.columns, recipe.declarations({}), recipe.missing_texts)
    return Statistics(data, recipe.declarations({}), NullReporter(), memory)


class Pieces:
    """A source that cuts wherever it is told, each piece with labels of its own."""

    def __init__(self, table, cuts):
        self.table, self.cuts = table, [0, *sorted(cuts), table.rows]
        self.schema = Schema(tuple(Field(c.name, c.kind) for c in table.columns))
        self.rows = table.rows

    def chunks(self, columns=None):
        for low, high in zip(self.cuts, self.cuts[1:], strict=False):
            yield Table(
                [Column.of_texts(n, self.table[n].texts()[low:high]) for n in columns or self.table.names],
                low,
                high - low,
            )


CELLS = st.sampled_from(["", "a", "b", "é", "*"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CELLS, CELLS), max_size=30), st.lists(st.integers(0, 30), max_size=4))
def test_counts_do_not_depend_on_the_cuts(rows, cuts):
    table = table_of([{"x": x, "y": y} for x, y in rows], ["x", "y"])
    columns = {"x": {"role": "quasi-identifier"}, "y": {"role": "other"}}
    pieces = Pieces(table, [cut for cut in cuts if cut <= len(rows)])
    recipe = recipe_of(columns)
    counted = Statistics(Dataset(pieces, recipe.columns, {}), {}, NullReporter()).counts(("x", "y"))
    found = {
        tuple(d.texts[code] for d, code in zip(counted.domains, codes, strict=True)): int(n)
        for *codes, n in zip(*counted.codes, counted.counts, strict=True)
    }
    assert found == {row: rows.count(row) for row in set(rows)}
    assert list(found) == sorted(found)


def test_columns_are_looked_at_and_counted_together(monkeypatch):
    table = table_of([{"a": "1", "b": "x", "c": "y"}, {"a": "2", "b": "x", "c": "z"}])
    asked = statistics_of(table, {name: {"role": "quasi-identifier"} for name in "abc"})
    read, chunks = [], Dataset.chunks
    monkeypatch.setattr(Dataset, "chunks", lambda data, names: (read.append(names), chunks(data, names))[1])
    assert len(asked.classes_tuples()) == 2
    assert read == [("a", "b", "c")] * 2


def test_persons_are_part_of_the_tuple():
    table = table_of([{"q": q, "p": p} for q, p in (("a", "1"), ("a", "1"), ("a", "2"), ("b", "1"))])
    columns = {"q": {"role": "quasi-identifier"}, "p": {"role": "person-key"}}
    counted = statistics_of(table, columns).counts(("q",), persons=True)
    assert len(counted) == 3
    assert counted.rows == 4


def test_moments_and_quantiles_against_the_standard_library():
    numbers = [3.5, -2.0, 10.0, 3.5, 0.25, 8.0]
    table = table_of([{"x": str(n)} for n in numbers] + [{"x": ""}])
    asked = statistics_of(table, {"x": {"role": "other", "kind": "decimal"}})
    moments = asked.moments("x")
    assert (moments.count, moments.missing) == (6, 1)
    assert moments.mean == pytest.approx(plain.fmean(numbers))
    assert moments.variance == pytest.approx(plain.variance(numbers))
    assert (moments.minimum, moments.maximum) == (-2.0, 10.0)
    assert asked.quantiles("x", (0.0, 0.5, 1.0)) == (-2.0, 3.5, 10.0)


def test_nothing_has_no_moments():
    asked = statistics_of(table_of([], ["x"]), {"x": {"role": "other", "kind": "decimal"}})
    assert math.isnan(asked.moments("x").mean)
    assert math.isnan(asked.quantiles("x", (0.5,))[0])


def test_a_whole_column_keeps_texts_and_is_refused_above_the_limit():
    table = table_of([{"x": t} for t in ("007", "7", "", "007")])
    assert statistics_of(table, {"x": {"role": "other"}}).column("x").texts() == ["007", "7", "", "007"]
    with pytest.raises(LimitExceeded) as caught:
        statistics_of(table, {"x": {"role": "other"}}, memory=10).column("x")
    assert caught.value.code == "memory"


def test_rows_without_granted_consent_never_enter():
    table = table_of([{"x": str(i), "ok": ok} for i, ok in enumerate(("yes", "no", "", "yes"))])
    columns = {"x": {"role": "other"}, "ok": {"role": "consent", "granted": ["yes"]}}
    asked = statistics_of(table, columns)
    assert asked.distinct("x").texts == ("0", "3")
    assert asked.rows() == 2


def test_declared_missing_texts_are_the_one_missing_value():
    table = table_of([{"x": t} for t in ("1", "NA", "?", "", "2")])
    recipe = recipe_of({"x": {"role": "other", "kind": "integer"}}, data={"missing": ["NA", "?"]})
    data = Dataset(MemorySource(table), recipe.columns, {}, recipe.missing_texts)
    domain = Statistics(data, {}, NullReporter()).distinct("x")
    assert domain.texts == ("", "1", "2")
    assert domain.missing.tolist() == [True, False, False]


def test_numbers_that_are_none_are_counted_not_quoted():
    table = table_of([{"x": t} for t in ("1", "s3cret", "other")])
    with pytest.raises(EngineError, match="2 of its distinct values") as caught:
        statistics_of(table, {"x": {"role": "other", "kind": "integer"}})
    assert caught.value.param == "columns.x.kind"
    assert "s3cret" not in caught.value.message


@pytest.mark.parametrize("weight", ["0", "-1", ""])
def test_a_weight_is_above_zero_everywhere(weight):
    table = table_of([{"x": "a", "w": "1"}, {"x": "b", "w": weight}])
    with pytest.raises(EngineError, match="above 0"):
        statistics_of(table, {"x": {"role": "other"}, "w": {"role": "weight"}})


def test_kinds_come_from_the_texts_when_nobody_says():
    table = table_of([{"n": "12", "d": "1.5", "z": "01234", "t": "2021-02-03", "c": "red"}] * 2)
    asked = statistics_of(table, {name: {"role": "other"} for name in table.names})
    kinds = {field.name: field.kind for field in asked.schema}
    assert kinds["n"] is Kind.INTEGER
    assert kinds["d"] is Kind.DECIMAL
    assert kinds["z"] not in (Kind.INTEGER, Kind.DECIMAL)
    assert kinds["t"] is Kind.DATE
    assert asked.schema["n"].role is Role.OTHER


def test_wide_keys_never_overflow():
    sizes = [1000] * 12
    generator = np.random.default_rng(3)
    columns = [generator.integers(0, 1000, 500) for _ in sizes]
    doubled = [np.concatenate([c, c]) for c in columns]
    keys = pack(doubled, sizes, 1000)
    assert len(np.unique(keys)) == 500
    assert (keys[:500] == keys[500:]).all()
    packer = Packer(tuple(sizes))
    assert (packer.fit(columns, 500) == packer.apply(columns, 500)).all()
    order = np.lexsort(list(reversed(columns)))
    assert (np.argsort(pack(columns, sizes, 500), kind="stable") == order).all()


def test_one_label_may_stand_twice_in_a_dictionary():
    column = Column("x", Kind.TEXT, np.array([0, 1, 2], np.int32), pa.array(["a", "a", "b"]))
    counter = Counter([("x", Kind.TEXT)], None, None)
    counter.add({"x": column}, 3)
    table = counter.table()
    assert (table.domains[0].texts, table.counts.tolist()) == (("a", "b"), [2, 1])


def test_integers_of_any_length_keep_their_digits():
    column = Column.of_arrow("x", Kind.INTEGER, pa.array([9007199254740993, None], pa.int64()))
    assert column.texts() == ["9007199254740993", ""]
    assert column.missing_rows.tolist() == [False, True]


def test_a_piece_of_a_column_forgets_the_labels_it_does_not_hold():
    column = Column.of_texts("x", [str(n) for n in range(3000)])
    piece = column.take(slice(10, 14)).compact()
    assert piece.texts() == ["10", "11", "12", "13"]
    assert len(piece.labels) == 4


def test_what_steps_make_of_many_tuples_lies_in_parts_like_what_they_were_made_of():
    names, columns = ("x", "y"), {name: {"role": "quasi-identifier"} for name in ("x", "y")}
    table = table_of([{"x": str(i % 40), "y": str(i // 40)} for i in range(1600)], names)
    before = statistics_of(table, columns, memory=100 * 256)
    method = SimpleNamespace(per_tuple=True, drops_rows=False, transform=lambda chunk, plan, source: chunk)
    method.changes = method.touches = lambda schema: names
    step = SimpleNamespace(method=method, plan=None, source=None, schema=before.schema)
    found = Replay(before, [step]).counts(CountsOf(names), before.schema)
    assert isinstance(found, LongTable)
    whole, expected = found.whole(), statistics_of(table, columns).counts(names)
    assert (whole.counts == expected.counts).all()
    assert all(map(np.array_equal, whole.codes, expected.codes))


def test_what_follows_from_parts_is_not_read_from_the_rows(monkeypatch):
    numbers = Numbers("n", Kind.DECIMAL, np.arange(600, dtype=np.int64) % 300 << 3, pa.array([""]))
    texts = [Column.of_texts(name, [str(i % by) for i in range(600)]) for name, by in (("x", 40), ("y", 7))]
    asked = statistics_of(
        Table([numbers, *texts]), {name: {"role": "other"} for name in "nxy"}, memory=200 * 256
    )
    assert isinstance(asked.tuples(("n", "x", "y")), LongTable)
    monkeypatch.setattr(Dataset, "chunks", None)
    found = asked.tuples(("n", "x"))
    assert sum(len(piece) for piece in found.pieces()) == len({(i % 300, i % 40) for i in range(600)})
