"""SUDA2 against sets of keys gone through one by one."""

import math
import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from tests.engine.uniqueness.rows import classes_of_rows
from worker.engine.uniqueness.suda import WORST, dis_suda, disclosure_of_matches, suda


def by_hand(rows, persons=None, left_out=False):
    """Scores, fewest keys, parts and sizes, row by row and set by set."""
    m, persons = len(rows[0]), persons or list(range(len(rows)))
    scores, least = [0] * len(rows), [0] * len(rows)
    parts, sizes, sets = [0] * m, [0] * (m + 1), Counter()
    for i, row in enumerate(rows):
        alone = []
        for size in range(1, m + 1):
            for keys in combinations(range(m), size):
                if left_out and any(row[j] in ("", "*") for j in keys):
                    continue
                same = {
                    who
                    for other, who in zip(rows, persons, strict=True)
                    if all(other[j] == row[j] for j in keys)
                }
                if same == {persons[i]} and not any(set(less) <= set(keys) for less in alone):
                    alone.append(keys)
        for keys in alone:
            weight = math.factorial(m - len(keys))
            scores[i] += weight
            sizes[len(keys)] += 1
            sets[keys] += 1
            for j in keys:
                parts[j] += weight
        least[i] = min(map(len, alone), default=0)
    total = sum(scores)
    return scores, least, [part / total if total else 0 for part in parts], sizes, sets


def assert_worst(found, sets, m):
    """Those named are the sets with the largest parts of all scores, each with its rows."""
    adds = {keys: rows * math.factorial(m - len(keys)) for keys, rows in sets.items()}
    order = sorted(adds, key=lambda keys: -adds[keys])[:WORST]
    total = sum(adds.values())
    assert [one.adds for one in found.sets] == pytest.approx([adds[keys] / total for keys in order])
    assert all(
        (sets[one.keys], adds[one.keys] / total) == (one.rows, pytest.approx(one.adds)) for one in found.sets
    )


def random_rows(seed):
    draw = random.Random(seed)
    m, n = draw.randrange(1, 8), draw.choice([1, 2, 5, 15, 40])
    values = [["", "*", *"abcdefgh"][: draw.randrange(2, 10)] for _ in range(m)]
    return [tuple(draw.choice(one) for one in values) for _ in range(n)], draw


@pytest.mark.parametrize("seed", range(24))
def test_keys_that_tell_everybody_or_nobody_as_by_hand(seed):
    """No larger set with the first is minimal, none with the second; a value that is missing tells nobody."""
    rows, draw = random_rows(seed)
    persons = [str(draw.randrange(len(rows))) for _ in rows] if seed % 3 == 0 else None
    whose = persons or [str(i) for i in range(len(rows))]
    numbers = [f"n{who}" for who in whose]
    if seed % 4 == 1:
        numbers[0] = ""
    rows = [
        (number, "same", *row[:4], f"m{who}") for number, row, who in zip(numbers, rows, whose, strict=True)
    ]
    classes, names, at = classes_of_rows(rows, persons)
    found = suda(classes, names, seed % 2 == 1)
    scores, least, parts, sizes, sets = by_hand(rows, persons, seed % 2 == 1)
    assert (found.scores[at].tolist(), found.least[at].tolist()) == (scores, least)
    assert found.sizes.tolist() == sizes
    assert_worst(found, sets, len(names))
    assert found.contributions.tolist() == pytest.approx(parts)


def test_a_set_with_a_key_that_tells_all_or_nothing_is_not_looked_at():
    """Of forty keys there are more sets than anybody could go through."""
    rows = [(str(i), *["same"] * 36, *str(i), "x", "y") for i in range(4)]
    classes, names, at = classes_of_rows(rows)
    found = suda(classes, names)
    assert found.least[at].tolist() == [1] * 4
    assert found.scores[at].tolist() == [2.0 * math.factorial(39)] * 4


@pytest.mark.parametrize("seed", range(60))
def test_as_by_hand(seed):
    rows, draw = random_rows(seed)
    persons = [str(draw.randrange(len(rows))) for _ in rows] if seed % 3 == 0 else None
    left_out = seed % 2 == 1
    classes, names, at = classes_of_rows(rows, persons)
    found = suda(classes, names, left_out)
    scores, least, parts, sizes, sets = by_hand(rows, persons, left_out)
    assert found.scores[at].tolist() == scores
    assert found.least[at].tolist() == least
    assert found.sizes.tolist() == sizes
    assert_worst(found, sets, len(names))
    assert found.contributions.tolist() == pytest.approx(parts, abs=1e-9)


def test_many_wide_keys_need_several_words():
    draw = random.Random(5)
    rows = [tuple(f"{draw.randrange(3) * 40}{j % 2}" for j in range(8)) for _ in range(60)]
    rows += [tuple(f"x{i}{j}" for j in range(8)) for i in range(300)]
    classes, names, at = classes_of_rows(rows)
    scores, *_ = by_hand(rows[:60])
    found = suda(classes, names)
    assert found.scores[at[:60]].tolist() == scores
    assert set(found.scores[at[60:]].tolist()) == {8 * math.factorial(7)}


def test_a_small_table_by_hand():
    """Elliot's rule: a set of s among m keys weighs (m − s)!."""
    rows = [("f", "old", "north"), ("f", "young", "north"), ("m", "young", "south"), ("m", "young", "north")]
    classes, names, at = classes_of_rows(rows)
    found = suda(classes, names)
    # old; young with f; south; m with north: two of one key at 2!, two of two keys at 1!.
    assert found.scores[at].tolist() == [2, 1, 2, 1]
    assert found.sizes.tolist() == [0, 2, 2, 0]
    assert found.contributions.tolist() == pytest.approx([2 / 6, 3 / 6, 3 / 6])


def test_the_chance_of_a_right_match():
    assert disclosure_of_matches(10, 0, 0.01) == 1.0
    assert disclosure_of_matches(10, 20, 0.5) == pytest.approx(1 / 3)
    assert disclosure_of_matches(0, 0, 0.5) is None


def test_a_higher_score_is_a_higher_risk():
    scores, rows = np.array([0.0, 1, 2, 6]), np.array([2.0, 1, 1, 1])
    found = dis_suda(scores, rows, 3, 2, 0.1)
    assert found[0] == 0
    assert (np.diff(found) > 0).all()
    q = 1 + 5 / 20
    whole = 1 + 2**-q + 6**-q
    assert found[1] == pytest.approx(1 / (1 + 2 * 9 / whole))
    assert (dis_suda(scores, rows, 3, 0, 0.1)[1:] == 1).all()
