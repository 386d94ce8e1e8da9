"""Classes of released rows against a dictionary, whole and in parts."""

from __future__ import annotations

import io
import random
from collections import Counter, defaultdict

import numpy as np
import pytest

from worker.engine.verification.grouping import Grouping
from worker.engine.verification.released import Released

Row = tuple[str, str, str]
Found = dict[tuple[str, str], tuple[int, int, Counter[str]]]
"""Of each class its rows, its persons, and how many of these hold each value."""


def counted(rows: list[Row], people: list[int] | None, most: int) -> Found:
    text = "\n".join(["a,b,s", *(",".join(row) for row in rows)]) + "\n"
    persons = None if people is None else io.BytesIO(np.array(people, "<i8").tobytes())
    released = Released(io.BytesIO(text.encode()), persons=persons)
    found = {}
    for hidden, group in Grouping(released, ("a", "b"), ("s",), most).groups(lambda: None):
        contents = group.contents("s")
        words = {name: released.texts(name) for name in "abs"}
        for one in range(group.number):
            key = (words["a"][group.keys[0][one]], words["b"][group.keys[1][one]])
            assert hidden is (key == ("*", "*"))
            own = contents.classes == one
            held = zip(contents.values[own].tolist(), contents.counts[own].tolist(), strict=True)
            values = {words["s"][value]: count for value, count in held}
            assert key not in found  # a class is never split
            found[key] = (int(group.rows[one]), int(group.sizes[one]), Counter(values))
    return found


def expected(rows: list[Row], people: list[int] | None) -> Found:
    classes = defaultdict(list)
    for place, (a, b, s) in enumerate(rows):
        classes[a, b].append((place if people is None else people[place], s))
    return {
        key: (len(own), len({who for who, _ in own}), Counter(s for _, s in set(own)))
        for key, own in classes.items()
    }


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("most", [3, 1_000])
def test_classes(seed: int, most: int) -> None:
    chance = random.Random(seed)
    drawn = range(chance.randint(1, 40))
    rows = [(chance.choice("xy*"), chance.choice("uv*"), chance.choice("pqr")) for _ in drawn]
    people = [chance.randint(-2, 5) for _ in rows] if seed % 2 else None
    assert counted(rows, people, most) == expected(rows, people)
