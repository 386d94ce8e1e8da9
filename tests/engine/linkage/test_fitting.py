"""Which classes fit whom, held against every pair by hand."""

import random

import numpy as np
import pytest

from worker.engine.linkage import fitting
from worker.engine.linkage.fitting import fits
from worker.engine.linkage.labels import Labels
from worker.engine.tables.column import Column
from worker.engine.tables.counting import Counter
from worker.engine.tables.declaration import Declaration, HierarchySpec
from worker.engine.tables.kinds import Kind

TREE = HierarchySpec(lines=("a;ab;*", "b;ab;*", "c;cd;*", "d;cd;*"))
UNDER = {"a": "a", "b": "b", "c": "c", "d": "d", "ab": "ab", "cd": "cd", "*": "abcd"}
KINDS = {"town": Kind.CATEGORICAL, "age": Kind.INTEGER, "zip": Kind.TEXT}
DECLARED = {"town": Declaration(hierarchy=TREE), "age": Declaration(), "zip": Declaration()}


def counted(rows):
    counter = Counter(list(KINDS.items()), None, None)
    cells = {
        name: Column.of_texts(name, [row[i] for row in rows], KINDS[name]) for i, name in enumerate(KINDS)
    }
    counter.add({name: column.described() for name, column in cells.items()}, len(rows))
    return counter.table()


def tuples(table):
    return [
        tuple(domain.text(int(codes[i])) for domain, codes in zip(table.domains, table.codes, strict=True))
        for i in range(len(table))
    ]


def covers(label, value, column):
    """What a reader of the file would say."""
    if label == "*" or label == value:
        return True
    if not value or not label:
        return False
    if column == "town":
        return value in UNDER.get(label, "")
    if column == "age" and label.startswith("["):
        low, high = map(int, label[1:-1].split(","))
        return low <= int(value) < high
    return (
        column == "zip"
        and len(label) == len(value)
        and all(one in ("*", other) for one, other in zip(label, value, strict=True))
    )


def person(draw):
    gone = draw.random() < 0.1
    return (
        "" if gone else draw.choice("abcd"),
        str(draw.randrange(12)),
        draw.choice(["11", "12", "21", "31"]),
    )


def reading(draw, row):
    town = draw.choice([row[0], "ab" if row[0] in "ab" else "cd", "*"]) if row[0] else ""
    low = int(row[1]) // 4 * 4 - draw.choice([0, 0, 1])
    age = draw.choice([row[1], f"[{low}, {low + 5}[", "*"])
    return (town, age, draw.choice([row[2], row[2][0] + "*", "*"]))


@pytest.mark.parametrize("seed", range(40))
def test_pairs_are_those_of_a_reader(seed, monkeypatch):
    monkeypatch.setattr(fitting, "AT_ONCE", 1 if seed % 2 else 1 << 21)
    draw = random.Random(seed)
    rows = [person(draw) for _ in range(draw.choice([1, 5, 30]))]
    others = [person(draw) for _ in range(10)] + [reading(draw, row) for row in rows]
    people, classes = counted(rows), counted(others)
    labels = [
        Labels.covering(mine, mine, theirs, DECLARED[mine.name])
        for mine, theirs in zip(people.domains, classes.domains, strict=True)
    ]
    found = fits(people, classes, labels)
    expected = [
        (i, j)
        for i, row in enumerate(tuples(people))
        for j, label in enumerate(tuples(classes))
        if all(covers(label[at], row[at], name) for at, name in enumerate(KINDS))
    ]
    assert list(zip(found.people.tolist(), found.classes.tolist(), strict=True)) == expected
    sizes = classes.counts
    assert found.held(sizes).tolist() == [
        sum(int(sizes[j]) for k, j in expected if k == i) for i in range(len(people))
    ]
    smallest = found.smallest(sizes)
    for i in range(len(people)):
        mine = [(int(sizes[j]), j) for k, j in expected if k == i]
        assert smallest[i] == (min(mine)[1] if mine else -1)
    pairs = [(i, j) for i in range(len(people)) for j in range(len(classes))]
    here, there = (np.array(side) for side in zip(*pairs, strict=True))
    assert found.hold(here, there).tolist() == [pair in set(expected) for pair in pairs]


def test_numbers_are_read_as_numbers():
    people, classes = counted([("a", "7", "11")]), counted([("a", "7.0", "11"), ("a", "70", "11")])
    labels = [
        Labels.covering(mine, mine, theirs, DECLARED[mine.name])
        for mine, theirs in zip(people.domains, classes.domains, strict=True)
    ]
    assert len(fits(people, classes, labels).people) == 1


def test_a_beginning_covers_what_goes_on():
    people = counted([("a", "7", "11"), ("a", "7", "12"), ("a", "7", "21")])
    classes = counted([("a", "7", "1"), ("a", "7", "21")])
    labels = [
        Labels.covering(mine, mine, theirs, DECLARED[mine.name])
        for mine, theirs in zip(people.domains, classes.domains, strict=True)
    ]
    assert fits(people, classes, labels).held(classes.counts).tolist() == [1, 1, 1]


def test_without_columns_everybody_is_one():
    empty = Counter([], None, None)
    empty.add({}, 3)
    table = empty.table()
    assert fits(table, table, []).held(table.counts).tolist() == [3]
