"""Tables that are held whole."""

from tests.engine.scan.tables import drawn, tuples_of
from worker.engine.scan.counting import Table


def test_a_table_that_is_held_whole_counts_every_set():
    values, persons = drawn(1)
    table = Table(tuples_of(values, persons))
    assert table.is_exact
    assert table.whole() == table.told_apart([tuple(values)])[tuple(values)].singled_out
    assert table.told_apart([]) == {}
