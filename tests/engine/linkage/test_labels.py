"""Which labels may stand for a value: every pair that the module finds, and no other, asked one by one."""

import random

import numpy as np
import pytest

from worker.engine.linkage.labels import Labels
from worker.engine.tables.declaration import Declaration, HierarchySpec
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind

PLAIN = Declaration()


def domain(texts, kind=Kind.INTEGER):
    return Domain("q", kind, tuple(texts), np.array([not text for text in texts], bool))


def found(values, labels, kind=Kind.INTEGER, declared=PLAIN, known=None):
    """The labels of each value, as texts."""
    known = domain(known or values, kind)
    made = Labels.covering(domain(values, kind), known, domain(labels, kind), declared)
    pieces = zip(made.starts[:-1], made.starts[1:], strict=True)
    return {
        value: {labels[at] for at in made.labels[low:high]}
        for value, (low, high) in zip(values, pieces, strict=True)
    }


def holds(label, value):
    """Written from what labels say; a value is a whole number or missing."""
    if label in ("*", value):
        return True
    if not value or not label:
        return False
    number = int(value)
    if label.startswith("["):
        low, high = (int(part) for part in label[1:-1].split(", "))
        return low <= number and (number <= high if label.endswith("]") else number < high)
    if label.startswith("{"):
        return value in label[1:-1].split(", ")
    if label.startswith("<"):
        return number < int(label[1:])
    if "*" in label:
        return len(label) == len(value) and all(a in ("*", b) for a, b in zip(label, value, strict=True))
    return float(label) == number


def some_label(draw):
    low, high = sorted(draw.sample(range(40), 2))
    return draw.choice(
        [
            f"[{low}, {high}[",
            f"[{low}, {high}]",
            "{" + f"{low}, {high}" + "}",
            f"<{high}",
            f"{draw.randint(1, 3)}*",
            str(low),
            f"{low}.0",
            "*",
            "",
        ]
    )


@pytest.mark.parametrize("seed", range(60))
def test_numbers_have_the_labels_that_hold_them(seed):
    draw = random.Random(seed)
    values = sorted({str(draw.randint(0, 39)) for _ in range(12)} | {""})
    labels = sorted({some_label(draw) for _ in range(10)})
    expected = {value: {label for label in labels if holds(label, value)} for value in values}
    assert found(values, labels) == expected


def test_an_interval_that_is_a_value_lies_within_wider_ones():
    """Another release has intervals where this one has wider or narrower ones."""
    labels = ["[0, 20[", "[10, 20[", "[15, 25["]
    assert found(["[10, 20["], labels)["[10, 20["] == {"[0, 20[", "[10, 20["}


def test_a_date_has_the_labels_that_begin_it():
    days, labels = ["2001-05-07", "2001-11-30", "2010-01-01"], ["2001", "2001-05", "201", "2010-01-01"]
    assert found(days, labels, Kind.DATE) == {
        "2001-05-07": {"2001", "2001-05"},
        "2001-11-30": {"2001"},
        "2010-01-01": {"201", "2010-01-01"},
    }


def test_a_hierarchy_names_the_labels_above_a_value_and_above_each_other():
    lines = ("Bern;West;Country", "Chur;East;Country", "Genf;West;Country")
    declared = Declaration(hierarchy=HierarchySpec(lines=lines))
    towns, labels = ["Bern", "Chur", "West"], ["Country", "East", "Genf", "West"]
    names = ["Bern", "Chur", "Genf"]
    assert found(towns, labels, Kind.CATEGORICAL, declared, names) == {
        "Bern": {"Country", "West"},
        "Chur": {"Country", "East"},
        "West": {"Country", "West"},
    }


def test_a_word_is_no_mask_and_a_mask_no_word():
    assert found(["ab", "abc"], ["a*", "a**", "b"], Kind.CATEGORICAL) == {"ab": {"a*"}, "abc": {"a**"}}


def test_the_missing_are_held_by_the_empty_label_and_by_the_star():
    assert found(["", "7"], ["", "*", "[0, 9]"]) == {"": {"", "*"}, "7": {"*", "[0, 9]"}}
