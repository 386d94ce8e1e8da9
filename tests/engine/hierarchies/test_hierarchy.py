"""Hierarchies: read, built by rule, laid over the values that occur."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from worker.engine.errors import EngineError
from worker.engine.hierarchies.hierarchy import hierarchy_for, levels_of, read
from worker.engine.hierarchies.proposals import proposal
from worker.engine.hierarchies.rules import build
from worker.engine.linkage.coverage import between
from worker.engine.tables.declaration import HierarchySpec
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind

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


@pytest.mark.parametrize("value", ["a, b, c", "x\ty\tz", 'he said "no", twice, loudly', "a;b"])
def test_what_is_written_is_read_again_whatever_the_values_hold(value):
    hierarchy = read([f'"{value.replace(chr(34), 2 * chr(34))}";*'], "q")
    assert read(hierarchy.lines(), "q").rows == ((value, "*"),) == hierarchy.rows


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


ARX = [
    # What ARX makes of intervals [0, 5[ joined by two, repeated from 20 to 80, extended to 15 and 90, and
    # coded beyond: worked through its prepareGroups by hand.
    ("3", "<15", "<15"),
    ("16", "[15, 25[", "[15, 30["),
    ("24", "[15, 25[", "[15, 30["),
    ("25", "[25, 30[", "[15, 30["),
    ("74", "[70, 75[", "[70, 90["),
    ("75", "[75, 90[", "[70, 90["),
    ("89", "[75, 90[", "[70, 90["),
    ("90", ">=90", ">=90"),
]


@pytest.mark.parametrize(("value", "first", "second"), ARX)
def test_snapping_and_coding_are_those_of_arx(value, first, second):
    values = sorted({row[0] for row in ARX} | {str(n) for n in range(0, 100)})
    rows = {row[0]: row[1:] for row in built("interval", values, width=5, snap=[20, 80], bounds=[15, 90])}
    assert rows[value][:2] == (first, second)
    read([";".join((text, *labels)) for text, labels in rows.items()], "q")  # it nests


def test_snaps_that_meet_make_one_interval():
    rows = built("interval", ["5", "16", "50", "89"], width=100, snap=[20, 80], bounds=[15, 90])
    assert [row[1] for row in rows] == ["<15", *3 * ["[15, 90["]]


def test_one_side_may_be_open():
    values = ["5", "25", "85", "200"]
    bounded = built("interval", values, width=20, bounds=[None, 90])
    assert [row[1] for row in bounded] == ["[0, 20[", "[20, 40[", "[80, 90[", ">=90"]
    snapped = built("interval", values, width=20, snap=[20, None])
    assert [row[1] for row in snapped] == ["<40", "<40", "[80, 100[", "[200, 220["]
    both = built("interval", values, width=20, snap=[20, 80])
    assert [row[1] for row in both] == ["<40", "<40", ">=60", ">=60"]


def test_every_level_may_have_a_fan_out_of_its_own():
    rows = built("interval", ["3", "12", "47"], width=5, fan_out=[2, 5])
    assert rows[1] == ("12", "[10, 15[", "[10, 20[", "[0, 50[", "*")
    rows = build("order", {"values": list("abcdefgh"), "fan_out": [3, 2]}, [], "q")
    assert rows[4] == ("e", "[d, f]", "[a, f]", "*")


@pytest.mark.parametrize("snap", [[0, 1], [None, 200]])
def test_a_snap_beyond_its_bound_is_refused(snap):
    with pytest.raises(EngineError, match="within the bounds"):
        built("interval", ["50"], snap=snap, bounds=[15, 90])


@given(
    numbers=st.lists(st.integers(-300, 300), min_size=1, max_size=30, unique=True),
    ends=st.lists(st.one_of(st.none(), st.integers(-200, 200)), min_size=4, max_size=4),
    width=st.integers(1, 60),
    origin=st.integers(-7, 7),
)
@example(numbers=[0, -83], ends=[-82, None, -82, None], width=1, origin=0)
def test_intervals_nest_and_hold_their_value_whatever_the_ends(numbers, ends, width, origin):
    known = iter(sorted(end for end in ends if end is not None))
    low, first, last, high = (None if end is None else next(known) for end in ends)
    if len({low, high} - {None}) < 2 - [low, high].count(None) or (first is not None and first == last):
        return
    options = {"width": width, "origin": origin, "bounds": [low, high], "snap": [first, last]}
    rows = build("interval", options, [str(number) for number in numbers], "q")
    hierarchy = read([";".join(row) for row in rows], "q")
    for number, row in zip(numbers, hierarchy.rows, strict=True):
        for level, label in enumerate(row[1:], 1):
            others = {one[level] for one in hierarchy.rows}
            assert [one for one in others if one == "*" or between(one, np.array([number]))[0]] == [label]


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
        ("interval", {"fan_out": []}, "fan_out"),
        ("interval", {"fan_out": [2, "3"]}, "fan_out"),
        ("interval", {"snap": [5]}, "snap"),
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


@pytest.mark.parametrize(
    ("builder", "options", "values", "param"),
    [
        ("interval", {"width": 1e-300}, ["1"], "width"),
        ("interval", {"width": 10}, ["9" * 40], "width"),
        ("mask", {}, [SECRET * 2000 + sign for sign in "ab"], "builder"),
    ],
)
def test_a_builder_refuses_what_is_too_much_for_it(builder, options, values, param):
    with pytest.raises(EngineError) as caught:
        build(builder, options, values, "q")
    assert caught.value.param == f"columns.q.hierarchy.{param}"
    assert SECRET not in caught.value.message


def test_builders_leave_missing_values_alone():
    spec = HierarchySpec(builder="interval", options={"width": 10})
    assert [row[0] for row in hierarchy_for(spec, domain("", "5", "15")).rows] == ["15", "5"]


FAR = ("1e2000000", "-1e2000000", "1e-2000000", "1e999999999999999999", "NaN", "sNaN", "Infinity")


@pytest.mark.parametrize("far", FAR)
def test_a_few_characters_cannot_stand_for_a_billion_digits(far):
    """Neither as a value of the data nor as a setting."""
    with pytest.raises(EngineError, match="1 distinct values are none"):
        build("interval", {"width": 5}, ["1", far], "age")
    settings = ({"width": far}, {"origin": far}, {"bounds": [None, far]}, {"snap": [far, None]})
    for options in settings:
        with pytest.raises(EngineError, match=r"must be a (finite )?number"):
            build("interval", {"width": 5} | options, ["1", "2"], "age")
    proposed = proposal(Kind.DECIMAL, "income", {"1": 3, "2.5": 2, far: 1})
    assert (proposed or {}).get("builder") != "interval"


def test_values_are_lifted_to_every_level():
    lines = ("a;x;*", "b;x;*", "c;y;*", ";z;*")
    levels = levels_of(HierarchySpec(lines=lines), domain("c", "", "a"))
    values = np.array([2, 0, 1, 1], np.int8)
    for level in range(levels.height + 1):
        assert levels.lifted(values, level).tolist() == levels.from_values[level][values].tolist()
