"""The order of a column's values, beside sorting them one by one."""

import math
import random

import numpy as np
import pytest

from worker.engine.hierarchies.value_order import ranks_of
from worker.engine.tables.declaration import Declaration
from worker.engine.tables.frequency import Domain
from worker.engine.tables.kinds import Kind


def domain(kind, texts):
    return Domain("x", kind, tuple(texts), np.array([not text for text in texts], bool))


def size(text):
    try:
        return float(text)
    except ValueError:
        return -math.inf


@pytest.mark.parametrize("seed", range(40))
def test_numbers_stand_by_size_and_those_of_one_number_by_text(seed):
    draw = random.Random(seed)
    some = ["", "*", "a", "1", "1.0", "01", "-3", "-3.00", "2.5", "10", "9", "0", "-0"]
    texts = sorted(draw.sample(some, draw.randrange(len(some) + 1)))
    order = sorted(range(len(texts)), key=lambda code: (size(texts[code]), texts[code]))
    found = ranks_of(domain(Kind.DECIMAL, texts), Declaration())
    assert found[order].tolist() == list(range(len(texts)))


def test_ordinals_stand_as_declared_and_everything_else_by_text():
    texts = ("", "high", "low", "middle", "odd")
    ranks = ranks_of(domain(Kind.ORDINAL, texts), Declaration(categories=("low", "middle", "high")))
    assert ranks.tolist() == [0, 3, 1, 2, 4]
    assert ranks_of(domain(Kind.TEXT, texts), Declaration()).tolist() == [0, 1, 2, 3, 4]
