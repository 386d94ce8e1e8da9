"""Tables that are too wide for paper go on below, under the same first column."""

import pytest

from stewardapp.presenters.reports.parts import MOST_COLUMNS, Table, filled, parted, table


@pytest.mark.parametrize("width", [1, 2, MOST_COLUMNS, MOST_COLUMNS + 1, 30])
def test_a_wide_table_loses_no_cell(width: int) -> None:
    heads = tuple(f"h{number}" for number in range(width))
    rows = tuple(tuple(f"{row}.{number}" for number in range(width)) for row in range(3))
    pieces = parted(Table(heads, rows, "Wide", frozenset(range(1, width))))
    assert all(len(one.headers) <= MOST_COLUMNS for one in pieces)
    assert heads[1:] == tuple(head for one in pieces for head in one.headers[1:])
    for number, row in enumerate(rows):
        assert all(one.rows[number][0] == row[0] for one in pieces)
        assert row[1:] == tuple(cell for one in pieces for cell in one.rows[number][1:])
    assert all(one.numbers == frozenset(range(1, len(one.headers))) for one in pieces)


def test_nothing_stands_below_no_heading() -> None:
    assert filled("Empty", table(("Head",), iter(()))) == ()
    assert len(filled("Full", table(("Head",), iter([("cell",)])))) == 1
