"""Who stands alone with all columns of a table."""

from tests.engine.scan.tables import tuples_of
from worker.engine.scan.looking_up import Alone, singled_out

VALUES = {"a": ["x", "x", "y", "*", "*"], "b": ["1", "1", "1", "*", "2"]}


def test_suppressed_rows_are_no_class_unless_every_row_is_one():
    assert singled_out(tuples_of(VALUES)) == Alone(2, 4, 4)
    assert singled_out(tuples_of({"a": ["*"], "b": ["*"]})) == Alone(1, 1, 1)
    assert singled_out(tuples_of({"a": ["*", "*"]})) == Alone(0, 2, 2)


def test_persons_stand_alone_who_share_a_class_with_nobody():
    assert singled_out(tuples_of(VALUES, ["p", "p", "q", "q", "p"])) == Alone(2, 2, 4)
    assert singled_out(tuples_of(VALUES, ["p", "q", "q", "r", "q"])) == Alone(1, 2, 4)
