"""Hierarchies: read, built by rule, laid over the values that occur."""

import numpy as np
import pytest

from worker.engine.algorithms.hierarchies import hierarchy_for, levels_of, read
from worker.engine.algorithms.hierarchy_builders import build
from worker.engine.declared import HierarchySpec
from worker.engine.errors import EngineError
from worker.engine.fields import Kind
from worker.engine.frequency import Domain

SECRET = "s3cret"


def domain(*texts):
    return Domain("q", Kind.TEXT, tuple(sorted(texts)), np.array([t == "" for t in sorted(texts)]))


def built(builder, values, **options):
    return build(builder, options, values, "q")


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_the_delimiter_is_sniffed(delimiter):
    lines = [delimiter.join(cells) for cells in (("1", "1-2", "*"), ("2", "1-2", "*"), ("3", "3-4", "*"))]
    assert read(lines, "q").paths["3"] == ("3", "3-4", "*")


def test_quoted_cells_may_hold_the_delimiter():
    hierarchy = read(['29;"[20;30[";*', '31;"[30;40[";*'], "q")
    assert hierarchy.paths["29"] == ("29", "[20;30[", "*")
    assert read(hierarchy.lines(), "q") == hierarchy


def test_a_mark_windows_line_ends_and_blank_lines_are_no_trouble():
    assert read(["\ufeffa;*\r\n", "\r\n", "b;*\r\n"], "q").paths == {"a": ("a", "*"), "b": ("b", "*")}


@pytest.mark.parametrize(
    ("lines", "code", "where"),
    [
        ([], "hierarchy-empty", "no line"),
        ([f"{SECRET};*", f"{SECRET}"], "hierarchy-ragged", "line 2"),
        ([f"a;{SECRET};*", f"b;{SECRET};x"], "hierarchy-not-nested", "line 2"),
        ([f"{SECRET};x;*", f"{SECRET};y;*"], "hierarchy-not-nested", "line 2"),
    ],
)
def test_a_bad_file_is_refused_by_line_and_never_quoted(lines, code, where):
    with pytest.raises(EngineError, match=where) as caught:
        read(lines, "q")
    assert caught.value.code == code
    assert caught.value.param == "columns.q.hierarchy"
    assert SECRET not in caught.value.message


def test_a_value_without_a_row_is_counted_not_quoted():
    spec = HierarchySpec(lines=("a;*", "b;*"))
    with pytest.raises(EngineError, match="no row for 2 of the 3 distinct values") as caught:
        levels_of(spec, domain("a", SECRET, "other"))
    assert SECRET not in caught.value.message


def test_surplus_rows_count_in_the_shares():
    levels = levels_of(HierarchySpec(lines=("a;x;*", "b;x;*", "c;y;*", "d;y;*")), domain("a", "b"))
    assert levels.size == 4
    assert [s.tolist() for s in levels.shares] == [[0.25, 0.25], [0.5], [1.0]]


def test_without_a_hierarchy_a_column_is_kept_or_starred():
    levels = levels_of(None, domain("a", "b", ""))
    assert levels.labels == (("", "a", "b"), ("*",))
    assert levels.size == 3


def test_a_missing_value_without_a_row_stays_itself_up_to_the_last_level():
    levels = levels_of(HierarchySpec(lines=("a;x;*", "b;x;*")), domain("a", "b", ""))
    assert levels.labels == (("", "a", "b"), ("", "x"), ("*",))
    assert levels.shares[1].tolist() == [0.5, 1.0]


def test_a_missing_value_follows_its_own_row():
    levels = levels_of(HierarchySpec(lines=("a;x;*", ";unknown;*")), domain("a", ""))
    assert levels.labels[1] == ("unknown", "x")


def test_a_missing_value_follows_the_row_of_its_declared_text():
    levels = levels_of(HierarchySpec(lines=("a;x;*", "NA;unknown;*"), missing=("NA",)), domain("a", ""))
    assert levels.labels == (("", "a"), ("unknown", "x"), ("*",))


def test_steps_lead_from_level_to_level():
    levels = levels_of(HierarchySpec(lines=("a;x;p;*", "b;y;p;*", "c;z;q;*")), domain("a", "b", "c"))
    codes = np.arange(3)
    for level in range(1, 4):
        codes = levels.steps[level][codes]
        assert codes.tolist() == levels.from_values[level].tolist()


def test_intervals_are_half_open_and_grow_by_the_fan_out():
    rows = built("interval", ["0", "9", "10", "19", "35"], width=10, fan_out=2)
    assert rows[1] == ("9", "[0, 10[", "[0, 20[", "*")
    assert rows[2][1] == "[10, 20["
    assert rows[4][1:] == ("[30, 40[", "[20, 40[", "*")


def test_intervals_of_decimals_are_exact():
    rows = built("interval", ["0.3", "0.29", "-0.1"], width="0.1")
    assert [row[1] for row in rows] == ["[0.3, 0.4[", "[0.2, 0.3[", "[-0.1, 0["]


def test_bounds_gather_what_lies_outside():
    rows = built("interval", ["5", "20", "99", "100"], width=50, bounds=[20, 100])
    assert [row[1] for row in rows] == ["<20", "[20, 50[", "[50, 100[", ">=100"]


def test_numbers_on_both_sides_of_the_origin_come_to_an_end():
    rows = built("interval", [str(n) for n in range(-100, 101, 10)], width=1)
    assert len(rows[0]) < 12


def test_order_joins_neighbours():
    rows = build("order", {"values": ["low", "middle", "high"], "fan_out": 2}, ["low", "high"], "q")
    assert rows == [("low", "[low, middle]", "*"), ("middle", "[low, middle]", "*"), ("high", "high", "*")]


def test_order_of_numbers_is_by_size():
    assert [row[0] for row in built("order", ["10", "9", "1"])] == ["1", "9", "10"]


def test_masks_hide_from_either_side():
    assert built("mask", ["02141"])[0] == ("02141", "0214*", "021**", "02***", "0****", "*")
    assert built("mask", ["123"], side="left", character="#")[0] == ("123", "#23", "##3", "*")


def test_masks_of_unequal_length_nest_and_pad():
    rows = {row[0]: row[1:] for row in built("mask", ["1234", "56"], pad="_")}
    assert rows["56"] == ("56_*", "56**", "5***", "*")
    read([";".join((text, *labels)) for text, labels in rows.items()], "q")


def test_dates_become_coarser():
    (row,) = built("date", ["2021-03-14"], levels=["month", "quarter", "year", "decade"])
    assert row == ("2021-03-14", "2021-03", "2021-Q1", "2021", "[2020, 2030[", "*")
    assert built("date", ["2021-01-03"], levels=["week"])[0][1] == "2020-W53"
    assert built("date", ["14.03.2021"], levels=["year"], format="%d.%m.%Y")[0][1] == "2021"


def test_a_tree_may_be_uneven():
    rows = built("tree", [], tree={"Europe": {"North": ["no", "se"], "Malta": None}, "Asia": ["jp"]})
    assert ("no", "North", "Europe", "*") in rows
    assert ("jp", "jp", "Asia", "*") in rows
    assert ("Malta", "Malta", "Europe", "*") in rows


@pytest.mark.parametrize(
    ("builder", "options", "param"),
    [
        ("pyramid", {}, "builder"),
        ("interval", {"wdith": 3}, "wdith"),
        ("interval", {"width": 0}, "width"),
        ("interval", {"width": "NaN"}, "width"),
        ("interval", {"bounds": [5, 1]}, "bounds"),
        ("interval", {"fan_out": 1}, "fan_out"),
        ("interval", {}, "builder"),
        ("order", {"values": ["a", "a"]}, "values"),
        ("mask", {"side": "middle"}, "side"),
        ("mask", {"character": "xx"}, "character"),
        ("date", {"levels": ["year", "month"]}, "levels"),
        ("date", {"levels": ["week", "year"]}, "levels"),
        ("date", {}, "format"),
        ("tree", {}, "tree"),
    ],
)
def test_a_builder_refuses_by_option(builder, options, param):
    with pytest.raises(EngineError) as caught:
        build(builder, options, [SECRET], "q")
    assert caught.value.param == f"columns.q.hierarchy.{param}"
    assert SECRET not in caught.value.message


def test_builders_leave_missing_values_alone():
    spec = HierarchySpec(builder="interval", options={"width": 10})
    assert [row[0] for row in hierarchy_for(spec, domain("", "5", "15")).rows] == ["15", "5"]
