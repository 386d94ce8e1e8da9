"""Chunks added up into a table of distinct tuples: only values that occur are in it."""

from __future__ import annotations

import pytest

from worker.engine.tables.column import Column
from worker.engine.tables.counting import Counter, marginal
from worker.engine.tables.kinds import Kind
from worker.engine.tables.long_table import LongTable
from worker.engine.tables.table import Table

ROWS = 5_000


def counted(texts: list[str], rows: slice) -> dict[str, int]:
    """Two columns of which one is looked at: some rows of a list of labels."""
    town = Column.of_texts("town", texts, Kind.CATEGORICAL)
    number = Column.of_texts("number", [str(at) for at in range(len(texts))], Kind.CATEGORICAL)
    table = Table([town.take(rows), number.take(rows)])
    counter = Counter([("town", Kind.CATEGORICAL), ("number", Kind.CATEGORICAL)], None, None)
    counter.add({name: table[name] for name in ("town", "number")}, table.rows)
    found = counter.table()
    domain, sums = found.domain("town"), found.marginal("town")
    return {domain.text(code): int(rows) for code, rows in enumerate(sums.tolist())}


def test_a_value_of_one_row_is_found_wherever_it_stands() -> None:
    for place in (0, 1, 2, 3, ROWS - 1):
        texts = ["a", "c"] * (ROWS // 2)
        texts[place] = "b"
        found = counted(texts, slice(None))
        assert list(found) == ["a", "b", "c"]
        assert (found["b"], sum(found.values())) == (1, ROWS)


def test_a_label_that_no_row_holds_is_no_value() -> None:
    assert counted(["z", "b", "a", "y"], slice(1, 3)) == {"a": 1, "b": 1}


def test_tuples_stay_what_they_are_however_wide() -> None:
    """Just below, at and above what one integer holds: 10 bits each, and one column of 1 … 5 more."""
    for more in range(1, 6):
        names = [f"c{at}" for at in range(6)] + ["last"]
        rows = [[str(row * by % 1000) for row in range(1000)] for by in (1, 3, 7, 9, 11, 13)]
        rows.append([str(row % (1 << more)) for row in range(1000)])
        columns = {name: Column.of_texts(name, texts) for name, texts in zip(names, rows, strict=True)}
        counter = Counter([(name, Kind.TEXT) for name in names], None, None)
        counter.add(columns, 1000)
        found = counter.table()
        codes = (one.tolist() for one in found.codes)
        told = [
            tuple(domain.text(code) for domain, code in zip(found.domains, tuple_, strict=True))
            for tuple_ in zip(*codes, strict=True)
        ]
        assert sorted(told) == sorted(zip(*rows, strict=True)), more


@pytest.mark.parametrize("columns", [3, 7])
def test_some_columns_of_a_long_table_follow_from_it(columns: int) -> None:
    """Of tuples that one integer holds and of wider ones, all of which come again."""
    names = [f"c{at}" for at in range(columns)]
    rows = [[str(row * by % 1000) for row in range(1000)] for by in (1, 3, 7, 9, 11, 13, 17)[:columns]]
    rows[0] = ["0"] * 1000
    given = {name: Column.of_texts(name, texts) for name, texts in zip(names, rows, strict=True)}
    kinds = [(name, Kind.TEXT) for name in names]
    long, whole = Counter(kinds, None, None, None, 50), Counter(kinds[:-1], None, None)
    for _ in range(2):
        long.add(given, 1000)
        whole.add(given, 1000)
    table, expected = long.tuples(), whole.table()
    assert isinstance(table, LongTable)
    assert sum(len(piece) for piece in table.pieces()) == 1000
    for most in (None, 50):
        tuples = marginal(table, names[:-1], most)
        assert isinstance(tuples, LongTable) == (most is not None)
        found = tuples.whole() if isinstance(tuples, LongTable) else tuples
        assert [one.texts for one in found.domains] == [one.texts for one in expected.domains]
        assert (found.counts == expected.counts).all()
        assert [one.tolist() for one in found.codes] == [one.tolist() for one in expected.codes]
