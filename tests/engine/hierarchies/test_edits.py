"""Changes by hand keep a hierarchy a hierarchy, and other tools' files are read."""

import pytest

from worker.engine.errors import EngineError
from worker.engine.hierarchies.edits import edited, plain
from worker.engine.hierarchies.hierarchy import Hierarchy
from worker.engine.hierarchies.imports import read_any

FRUIT = ("apple", "pear", "leek", "kale")


def after(*changes, start=None, values=FRUIT):
    return edited(start or plain(FRUIT), changes, values).rows


def grouped(labels, to, level=0):
    return {"change": "group", "level": level, "labels": labels, "to": to}


def test_grouping_values_makes_the_level_between_them_and_the_top():
    assert after(grouped(["apple", "pear"], "fruit")) == (
        ("apple", "fruit", "*"),
        ("pear", "fruit", "*"),
        ("leek", "leek", "*"),
        ("kale", "kale", "*"),
    )


def test_a_value_joins_a_group_that_is_there():
    rows = after(grouped(["apple"], "fruit"), grouped(["pear"], "fruit"))
    assert [row[1] for row in rows] == ["fruit", "fruit", "leek", "kale"]
    assert len(rows[0]) == 3


def test_groups_are_grouped_again_and_renamed():
    rows = after(
        grouped(["apple", "pear"], "fruit"),
        grouped(["leek", "kale"], "greens"),
        {"change": "add-level", "level": 1},
        grouped(["fruit", "greens"], "plants", level=1),
        {"change": "rename", "level": 1, "label": "greens", "to": "vegetables"},
    )
    assert rows[0] == ("apple", "fruit", "plants", "*")
    assert rows[3] == ("kale", "vegetables", "plants", "*")


def test_renaming_to_a_label_that_exists_joins_both_under_its_path():
    start = Hierarchy((("a", "x", "1", "*"), ("b", "y", "2", "*")))
    rows = after({"change": "rename", "level": 1, "label": "x", "to": "y"}, start=start, values=("a", "b"))
    assert rows == (("a", "y", "2", "*"), ("b", "y", "2", "*"))


def test_levels_come_and_go():
    rows = after({"change": "add-level", "level": 0}, {"change": "remove-level", "level": 1})
    assert rows == plain(FRUIT).rows


def test_missing_rows_are_filled_in():
    rows = after({"change": "complete"}, start=Hierarchy((("apple", "fruit", "*"),)))
    assert ("kale", "kale", "*") in rows
    assert len(rows) == 4


@pytest.mark.parametrize(
    "change",
    [
        {"change": "explode"},
        {"change": "group", "level": 0},
        grouped(["apple"], " "),
        grouped(["apple"], "x" * 401),
        grouped(["*"], "all", level=1),
        {"change": "remove-level", "level": 1},
        {"change": "remove-level", "level": 0},
        {"change": "add-level", "level": 1},
        {"change": "rename", "level": 9, "label": "apple", "to": "b"},
        {"change": "rename", "level": "a", "label": "apple", "to": "b"},
    ],
)
def test_what_cannot_be_done_is_refused_without_a_value(change):
    with pytest.raises(EngineError) as refused:
        after(change)
    assert "apple" not in refused.value.message


def test_every_change_nests():
    start = Hierarchy((("a", "x", "1", "*"), ("b", "y", "2", "*"), ("c", "y", "2", "*")))
    rows = after(grouped(["a", "b"], "z"), start=start, values=("a", "b", "c"))
    parents = {}
    assert all(
        parents.setdefault(row[level], row[level + 1]) == row[level + 1] for row in rows for level in (1, 2)
    )


ROWS = {("apple", "fruit", "*"), ("pear", "fruit", "*"), ("leek", "green", "*")}


@pytest.mark.parametrize(
    "text",
    [
        "apple;fruit;*\npear;fruit;*\nleek;green;*",
        "apple,fruit,*\r\npear,fruit,*\r\nleek,green,*\r\n",
        '\ufeff{"name": "Any", "children": [{"name": "fruit", "children": [{"name": "apple"},'
        ' {"name": "pear"}]},'
        ' {"name": "green", "children": [{"name": "leek"}]}]}',
        '{"fruit": ["apple", "pear"], "green": {"leek": []}}',
        '{"root": "Any", "children": {"Any": ["fruit", "green"], "fruit": ["apple", "pear"],'
        ' "green": ["leek"]}}',
        '{"hierarchy": {"fruit": ["apple", "pear"], "green": ["leek"]}}',
        "distinct\nname food\ntype string\nheight 3\n\nfruit has apple pear\ngreen has leek\n\n"
        "Any has fruit green\n",
    ],
)
def test_tables_and_trees_of_other_tools_are_read(text):
    assert set(read_any(text, "food").rows) == ROWS


@pytest.mark.parametrize(
    "text",
    ["{", "[]", "{}", '{"a": ["x"], "b": ["x"]}', "distinct\nname a\n\nfruit apple", "[" * 5000 + "]" * 5000],
)
def test_what_is_no_hierarchy_is_refused_in_words(text):
    with pytest.raises(EngineError):
        read_any(text, "food")
