"""Regions of two editions: the smallest sets that are unions of classes of both, found by joining by hand."""

import random

import pytest

from tests.engine.measures.scenes import Case, statistics_of
from worker.engine.linkage.regions import regions_of
from worker.engine.linkage.releases import Known

COLUMNS = {
    "age": {"role": "quasi-identifier", "kind": "integer"},
    "job": {"role": "sensitive", "kind": "categorical"},
}


def interval(age, width, start=0):
    low = (age - start) // width * width + start
    return f"[{low}, {low + width}["


def statistics(ages, jobs, original=False):
    cells = {"age": [str(age) for age in ages], "job": list(jobs)}
    case = Case(COLUMNS, cells, cells)
    return statistics_of(cells, case, [True] * len(ages), original)


def regions(ages, here, there):
    """Of the ages that are known, and two releases as pairs of labels and jobs."""
    known = Known.of(statistics(ages, ["x"] * len(ages), original=True), ("age",), len(ages))
    return regions_of(known, *(statistics(*side) for side in (here, there)))


def jobless(labels):
    return labels, ["x"] * len(labels)


def by_hand(ages, here, there):
    """Classes that hold a common age are one region: the rows of each side in it."""
    parts = []
    for age in set(ages):
        labels = {(side, label) for side, of in enumerate((here, there)) if (label := of(age)) is not None}
        parts.append(labels)
    while True:
        for one in parts:
            other = next((part for part in parts if part is not one and part & one), None)
            if other is not None:
                parts.remove(other)
                one |= other
                break
        else:
            return parts


@pytest.mark.parametrize("seed", range(40))
def test_two_widths_meet_where_their_borders_do(seed):
    draw = random.Random(seed)
    widths = draw.choice([(4, 6), (5, 10), (3, 4), (7, 7)])
    ages = sorted(draw.randint(0, 35) for _ in range(30))
    later = [age for age in ages if draw.random() < 0.9]
    sides = [
        [interval(age, width) for age in some] for some, width in zip((ages, later), widths, strict=True)
    ]
    found = regions(ages, jobless(sides[0]), jobless(sides[1]))
    there = set(sides[1])
    parts = by_hand(
        ages,
        lambda age: interval(age, widths[0]),
        lambda age: label if (label := interval(age, widths[1])) in there else None,
    )
    counts = sorted(
        tuple(sum((side, label) in part for label in labels) for side, labels in enumerate(sides))
        for part in parts
    )
    assert (
        sorted(zip(*(side.counts(len(found.more)).tolist() for side in found.sides), strict=True)) == counts
    )
    assert found.exposed(3) == sum(abs(a - b) for a, b in counts if 0 < abs(a - b) < 3)


def test_one_who_came_is_known_with_the_only_job_there_is_more_of():
    ages = [21, 22, 23, 31, 32]
    before = (["[20, 30["] * 3 + ["[30, 40["] * 2, ["cook", "cook", "nurse", "cook", "cook"])
    after = (["[20, 30["] * 2 + ["[30, 40["] * 2, ["cook", "cook", "cook", "cook"])
    found = regions(ages, before, after)
    assert found.more.tolist() == [1, 0]
    assert (found.exposed(2), found.exposed(1)) == (1, 0)
    assert found.certain(2, "job") == 1


def test_who_changed_the_job_meanwhile_hides_who_came():
    ages = [21, 22, 23]
    before = (["[20, 30["] * 3, ["cook", "cook", "nurse"])
    after = (["[20, 30["] * 2, ["cook", "smith"])
    assert regions(ages, before, after).certain(2, "job") == 0


def test_suppressed_rows_stand_in_no_region():
    found = regions([21, 22, 31], jobless(["[20, 30[", "[20, 30[", "*"]), jobless(["[20, 30["] * 2))
    assert found.more.tolist() == [0]
    assert found.rows.tolist() == [2]
