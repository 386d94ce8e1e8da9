"""Chunks added up into a table of distinct tuples: only values that occur are in it."""

from __future__ import annotations

from worker.engine.tables.column import Column
from worker.engine.tables.counting import Counter
from worker.engine.tables.kinds import Kind
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
