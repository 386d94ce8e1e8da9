"""The ordered distance, beside one that walks over the whole scale."""

import random

import numpy as np
import pytest

from worker.engine.attributes.ordering import ordered_distances


def walked(inside, table):
    """Of one class: how often it has each place, and the table's shares."""
    held, far, flow = sum(inside), 0.0, 0.0
    for count, share in zip(inside, table, strict=True):
        flow += count / held - share
        far += abs(flow)
    return far / (len(table) - 1)


@pytest.mark.parametrize("seed", range(60))
def test_is_what_walking_finds(seed):
    draw = random.Random(seed)
    places, number = draw.randrange(2, 12), draw.randrange(1, 6)
    classes = [[draw.choice([0, 0, 1, 5]) for _ in range(places)] for _ in range(number)]
    for one in classes:
        one[draw.randrange(places)] += 1
    rows = [sum(column) + (draw.random() < 0.3) or 1 for column in zip(*classes, strict=True)]
    table = [count / sum(rows) for count in rows]
    entries = [(i, j, one[j]) for i, one in enumerate(classes) for j in range(places) if one[j]]
    ids, at, inside = (np.array(column, np.int64) for column in zip(*entries, strict=True))
    found = ordered_distances(ids, at, inside, np.array(table))
    assert found == pytest.approx([walked(one, table) for one in classes], abs=1e-12)


def test_the_ends_of_a_scale_are_one_apart():
    found = ordered_distances(np.array([0, 1]), np.array([0, 2]), np.array([7, 1]), np.array([1.0, 0, 0]))
    assert found.tolist() == pytest.approx([0, 1])


def test_a_scale_of_one_place_has_no_distances():
    assert ordered_distances(np.array([0]), np.array([0]), np.array([3]), np.array([1.0])).tolist() == [0]
    nothing = np.zeros(0, np.int64)
    assert ordered_distances(nothing, nothing, nothing, np.array([0.5, 0.5])).tolist() == []
