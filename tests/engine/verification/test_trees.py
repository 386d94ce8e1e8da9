"""What recomputes a release reads declared hierarchies on its own, and as those who built them."""

from typing import Any

import pytest

from worker.engine.errors import EngineError
from worker.engine.hierarchies.rules import build
from worker.engine.verification.trees import Tree

NUMBERS = ["-7", "0", "3", "9", "9.5", "10", "18", "64", "65", "90"]
CODES = ["1", "12", "123", "124", "2345"]
DAYS = ["0999-12-31", "1999-12-31", "2000-01-01", "2000-02-29", "2009-11-05", "2010-01-03"]
SHORT = ["01/02/68", "01/02/69", "31/12/07", "01/01/30", "01/01/31"]
WORDS = ["low", "lower", "middle", "high", "highest"]
NESTED = {"north": {"coast": ["a", "b"], "hills": {"c": [], "d": None}}, "south": ["e", ["f"]], "west": "g"}
FLAT = {"north": {"coast": ["a", "b"], "hills": {"c": [], "d": None}}, "south": ["e"], "west": "g"}


@pytest.mark.parametrize(
    ("builder", "values", "options"),
    [
        ("interval", NUMBERS, {"width": 10}),
        ("interval", NUMBERS, {"width": 5, "fan_out": 3, "origin": 2}),
        ("interval", NUMBERS, {"width": 10, "bounds": [0, 65], "snap": [5, 60]}),
        ("interval", NUMBERS, {"width": 10, "snap": [0, 50]}),
        ("order", WORDS, {"values": WORDS}),
        ("order", WORDS, {"values": WORDS, "fan_out": 3}),
        ("order", WORDS, {}),
        ("order", NUMBERS, {}),
        ("order", ["10", "9", "high"], {}),
        ("mask", CODES, {}),
        ("mask", CODES, {"side": "left", "character": "#"}),
        ("mask", CODES, {"pad": "0"}),
        ("mask", CODES, {"pad": "0", "side": "left"}),
        ("date", DAYS, {}),
        ("date", DAYS, {"levels": ["day", "week"]}),
        ("date", DAYS, {"levels": ["quarter", "year"]}),
        ("date", SHORT, {"format": "%d/%m/%y"}),
        ("date", SHORT, {"format": "%d/%m/%y", "pivot": 30}),
        ("tree", list("abcdeg"), {"tree": FLAT}),
        ("tree", list("abcd"), {"children": [*"abcd"]}),
    ],
)
def test_a_label_fits_the_values_it_was_built_for_and_no_other(
    builder: str, values: list[str], options: dict[str, Any]
) -> None:
    rows = build(builder, options, values, "q")
    tree = Tree({"hierarchy": {"builder": builder, **options}}, {}, frozenset({"NA"}))
    for level in range(len(rows[0])):
        for label in {row[level] for row in rows}:
            meant = {row[0] for row in rows if label in ("*", row[level])}  # a star tells nothing
            assert {value for value in values if tree.fits(label, value)} == meant, (level, label)
        assert rows[0][level] == "*" or not tree.fits(rows[0][level], "NA")


def test_leaves_of_a_tree_may_lie_in_lists_of_lists() -> None:
    tree = Tree({"hierarchy": {"builder": "tree", "tree": NESTED}}, {}, frozenset())
    assert tree.path("f") == ("f", "south", "*")
    assert tree.path("a") == ("coast", "north", "*")
    assert tree.height == 3
    assert Tree({"hierarchy": {"builder": "tree"}}, {}, frozenset()).path("x") == ()


@pytest.mark.parametrize("mark", [";", ",", "\t"])
def test_a_file_is_read_by_its_own_delimiter(mark: str) -> None:
    text = "\ufeff" + "\n".join(mark.join(row) for row in (("a", "x", "*"), ("b", "y", "*"), ("", "x", "*")))
    tree = Tree({"hierarchy": "levels.csv"}, {"levels.csv": text}, frozenset({"NA"}))
    assert [tree.path(value) for value in ("a", "b", "c")] == [("x", "*"), ("y", "*"), ()]
    assert tree.path("NA") == ("x", "*"), "a missing value follows the row of a missing text"
    assert tree.fits("x", "NA")
    assert not tree.fits("y", "NA")
    assert not tree.fits("x", "c")


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(EngineError) as caught:
        Tree({"hierarchy": "levels.csv"}, {}, frozenset())
    assert (caught.value.code, caught.value.param) == ("no-hierarchy-file", "hierarchy")


def test_without_a_hierarchy_there_is_the_value_and_everything() -> None:
    tree = Tree({}, {}, frozenset())
    assert tree.height == 0
    assert [tree.fits(label, "a") for label in ("a", "*", "b", "[a, b", "")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_a_set_of_values_fits_those_in_it_whatever_they_hold() -> None:
    tree = Tree({}, {}, frozenset())
    assert [tree.fits('{a, "b, c", d}', value) for value in ("a", "b, c", "b", "d", "e")] == [
        True,
        True,
        False,
        True,
        False,
    ]
    assert not tree.fits("{}", "a")


def test_a_span_of_declared_categories_goes_by_their_order_alone() -> None:
    tree = Tree({"kind": "ordinal", "categories": ["low", "9", "middle", "10"]}, {}, frozenset())
    assert [tree.fits("[9, 10]", value) for value in ("low", "9", "middle", "10", "9.5")] == [
        False,
        True,
        True,
        True,
        False,
    ]
    rows = Tree({"kind": "ordinal", "hierarchy": ["s;*", "m;*", "l;*"]}, {}, frozenset())
    assert rows.fits("[s, m]", "m")
    assert not rows.fits("[s, m]", "l")


def test_a_text_that_is_no_date_lies_in_no_month() -> None:
    tree = Tree({"hierarchy": {"builder": "date"}}, {}, frozenset())
    assert tree.fits("2000-02", " 2000-02-29 ")
    assert not tree.fits("2000-02", "2000-02-30")
    leap = Tree({"hierarchy": {"builder": "date", "format": "%d/%m/%y", "pivot": 99}}, {}, frozenset())
    assert leap.fits("2000-02", "29/02/00")


def test_under_one_root_alone_missing_values_without_a_row_are_put() -> None:
    one, two = (
        Tree({"hierarchy": lines}, {}, frozenset({"NA"}))
        for lines in (["a;x;all", "b;x;all"], ["a;x;all", "b;y;none"])
    )
    assert one.fits("all", "NA")
    assert not one.fits("x", "NA")
    assert not two.fits("all", "NA")
    assert not one.fits("all", "c")
